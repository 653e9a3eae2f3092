"""Pairwise features, by family: numbers for each candidate pair, mostly in [0, 1].

After Yang, Cardie & Frazier (2015), "A Hierarchical Distance-dependent Bayesian Model for Event
Coreference Resolution", TACL 3, table 2 (YCF below), without their frames and roles. Each function
takes the mentions and a block of pairs and returns one column a name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from cdec.arrays import Bools, Singles
from cdec.io.progress import Progress, silent
from cdec.pairs.candidates import Candidates
from cdec.pairs.mentions import EncodedMentions

T = TypeVar("T", bound=np.generic)
Columns = list[npt.NDArray[np.generic]]
REVISION = "1"  # raise it when a feature can move: models trained before are then refused
_BAGS = ("sentence", "window", "left", "right", "names", "numbers", "around", "events", "story")


@dataclass(frozen=True)
class Family:
    """Features that are switched together: names of the columns, and what computes them."""

    names: tuple[str, ...]
    compute: Callable[[EncodedMentions, Candidates], Columns]


def head(m: EncodedMentions, c: Candidates) -> Columns:
    """Whether the heads have the same lemma, form, stem or root (YCF: head match)."""
    return [same(m, c, name) for name in ("lemma", "form", "stem", "root", "text")]


def rarity(m: EncodedMentions, c: Candidates) -> Columns:
    """How rare a shared lemma or root is (its idf over documents), and how rare the heads are."""
    idf, equal = m.numbers["idf"], same(m, c, "lemma")
    least, most = both(idf, c)
    light = np.maximum(*sides(m.numbers["light"], c))
    return [equal * idf[c.left], same(m, c, "root") * least, least, most, light, light * equal]


def letters(m: EncodedMentions, c: Candidates) -> Columns:
    """Letter n-gram cosine and common beginning of the heads (YCF: character overlap)."""
    one, two = sides(m.codes["lemma"], c)
    return list(m.lexicon.compare(one, two))


def words(m: EncodedMentions, c: Candidates) -> Columns:
    """Overlap of the mentions' lemmas: idf-weighted cosine, and whether one holds the other's head.

    YCF: word overlap of the mentions.
    """
    one, two = sides(m.numbers["length"], c)
    return [cosine(m.bags["words"], c), np.abs(one - two), np.minimum(one, two)]


def pos(m: EncodedMentions, c: Candidates) -> Columns:
    """Parts of speech of the heads: same class, both verbs, both nouns, one of each (YCF)."""
    one, two = sides(m.codes["pos"], c)
    kinds = [(one == a) & (two == a) for a in (m.kinds["V"], m.kinds["N"])]
    mixed = (one != two) & np.isin(one, [m.kinds["V"], m.kinds["N"]])
    return [one == two, *kinds, mixed & np.isin(two, [m.kinds["V"], m.kinds["N"]])]


def context(m: EncodedMentions, c: Candidates) -> Columns:
    """Cosines of what stands around the mentions (YCF: context, in place of their roles)."""
    return [cosine(m.bags[name], c) for name in _BAGS]


def arguments(m: EncodedMentions, c: Candidates) -> Columns:
    """Whether both sentences have names, or numbers, and share none."""
    missing = []
    for name in ("names", "numbers"):
        held = np.diff(m.bags[name].indptr) > 0
        missing.append(held[c.left] & held[c.right] & (cosine(m.bags[name], c) == 0))
    return missing


def participants(m: EncodedMentions, c: Candidates) -> Columns:
    """Overlap of the gold participants of both sentences (YCF: Arg0 and Arg1)."""
    return overlap(m, c, "participants")


def times(m: EncodedMentions, c: Candidates) -> Columns:
    """Overlap of the gold times of both sentences (YCF: time)."""
    return overlap(m, c, "times")


def locations(m: EncodedMentions, c: Candidates) -> Columns:
    """Overlap of the gold places of both sentences (YCF: location)."""
    return overlap(m, c, "locations")


def documents(m: EncodedMentions, c: Candidates) -> Columns:
    """Cosine of the documents (YCF use it inside their distance)."""
    return [c.cosine]


def place(m: EncodedMentions, c: Candidates) -> Columns:
    """Distance inside a document, and how near both stand to the document's beginning (YCF)."""
    inside = same(m, c, "doc")
    sentence = np.abs(np.subtract(*sides(m.codes["sentence"], c)))
    order = np.abs(np.subtract(*sides(m.codes["order"], c)))
    early, late = both(m.numbers["depth"], c)
    equal = same(m, c, "lemma")
    return [
        inside,
        inside & (sentence == 0),
        inside * np.log1p(sentence),
        inside * np.log1p(order),
        early,
        late,
        inside * equal,
    ]


def crowd(m: EncodedMentions, c: Candidates) -> Columns:
    """How ambiguous the head is: mentions of its lemma in the same document, and documents."""
    one, two = both(m.numbers["repeats"], c)
    return [one, two, same(m, c, "lemma") * one]


def wordnet(m: EncodedMentions, c: Candidates) -> Columns:
    """Synonymy and derivation of the heads (YCF), and how much of what is above them is shared."""
    own, derived, above, known = m.lexicon.meanings(*sides(m.codes["lemma"], c))
    other = ~same(m, c, "lemma")
    return [other & (own > 0), other & (derived > 0), own, derived, above, known, other * above]


def embedding(m: EncodedMentions, c: Candidates) -> Columns:
    """Cosines of the vectors of the mentions and of their sentences (see ``embedding.embed``)."""
    mention, sentence = (dot(m.vectors[name], c) for name in ("mention", "sentence"))
    return [mention, sentence, same(m, c, "stem") * mention]


def same(m: EncodedMentions, c: Candidates, name: str) -> Bools:
    """Return whether both mentions of a pair have the same code ``name``."""
    one, two = sides(m.codes[name], c)
    return np.asarray(one == two)


def sides(values: npt.NDArray[T], c: Candidates) -> tuple[npt.NDArray[T], npt.NDArray[T]]:
    """Return the value of the left and of the right mention of each pair."""
    return values[c.left], values[c.right]


def both(values: Singles, c: Candidates) -> tuple[Singles, Singles]:
    """Return the lower and the higher value of each pair: no feature depends on the order."""
    one, two = sides(values, c)
    return np.minimum(one, two), np.maximum(one, two)


def cosine(bag: csr_matrix, c: Candidates) -> Singles:
    """Return the dot product of the two rows of each pair."""
    return np.asarray(bag[c.left].multiply(bag[c.right]).sum(axis=1)).ravel().astype(np.float32)


def overlap(m: EncodedMentions, c: Candidates, name: str) -> Columns:
    """Return the cosine of the bags, whether both have words, and whether they then share none."""
    held = np.diff(m.bags[name].indptr) > 0
    alike, known = cosine(m.bags[name], c), held[c.left] & held[c.right]
    return [alike, known, known & (alike == 0)]


def dot(rows: Singles, c: Candidates) -> Singles:
    """Return the dot product of the two dense rows of each pair."""
    return np.asarray(np.einsum("ij,ij->i", rows[c.left], rows[c.right]), dtype=np.float32)


FAMILIES: dict[str, Family] = {
    "head": Family(("same_lemma", "same_form", "same_stem", "same_root", "same_text"), head),
    "rarity": Family(
        ("lemma_idf", "root_idf", "idf_low", "idf_high", "light", "light_same"), rarity
    ),
    "letters": Family(("letter_cosine", "prefix"), letters),
    "words": Family(("word_cosine", "length_difference", "length_least"), words),
    "pos": Family(("same_pos", "verbs", "nouns", "verb_noun"), pos),
    "context": Family(_BAGS, context),
    "arguments": Family(("other_names", "other_numbers"), arguments),
    "documents": Family(("document_cosine",), documents),
    "place": Family(
        (
            "same_document",
            "same_sentence",
            "sentences",
            "mentions",
            "earlier",
            "later",
            "inside_same_lemma",
        ),
        place,
    ),
    "crowd": Family(("repeats_low", "repeats_high", "repeats_same"), crowd),
    "wordnet": Family(
        (
            "synonym",
            "derivation",
            "synsets",
            "derived",
            "hypernyms",
            "in_wordnet",
            "hypernyms_other",
        ),
        wordnet,
    ),
    "embedding": Family(("mention_vectors", "sentence_vectors", "same_stem_vectors"), embedding),
    "participants": Family(
        ("participant_cosine", "participants_known", "other_participants"), participants
    ),
    "times": Family(("time_cosine", "times_known", "other_times"), times),
    "locations": Family(("location_cosine", "locations_known", "other_locations"), locations),
}


def features(
    m: EncodedMentions, c: Candidates, families: Sequence[str], progress: Progress = silent
) -> Singles:
    """Return pairs × columns of the families named, in the order of ``FAMILIES``."""
    names = [name for name in FAMILIES if name in families]
    rows = np.empty((len(c), len(columns(names))), dtype=np.float32)
    at = 0
    blocks = c.blocks()
    for block in progress(blocks, len(blocks), "describing pairs"):
        made = [column for name in names for column in FAMILIES[name].compute(m, block)]
        rows[at : at + len(block)] = np.stack(made, axis=1) if made else 0
        at += len(block)
    return rows


def columns(families: Sequence[str]) -> list[str]:
    """Return the names of the columns of ``features``."""
    return [name for family in FAMILIES if family in families for name in FAMILIES[family].names]

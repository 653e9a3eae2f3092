"""Pairwise features, by family: numbers for each candidate pair, mostly in [0, 1].

After Yang, Cardie & Frazier (2015), "A Hierarchical Distance-dependent Bayesian Model for Event
Coreference Resolution", TACL 3, table 2 (YCF below), without their frames and roles. Each function
takes the mentions and a block of pairs, and returns one column per name. No feature depends on the
order of the two mentions. Audit and systems share these; ``cdec.baselines.sac.features`` adds some.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from cdec.arrays import Bools, Singles
from cdec.files.progress import Progress, silent
from cdec.pairs.candidates import Candidates
from cdec.pairs.mentions import EncodedMentions

T = TypeVar("T", bound=np.generic)
Columns = list[npt.NDArray[np.generic]]
_BAGS = ("sentence", "window", "left", "right", "names", "numbers", "around", "events", "story")


@dataclass(frozen=True)
class Family:
    """Features that are used together: the names of the columns, and their function."""

    names: tuple[str, ...]
    compute: Callable[[EncodedMentions, Candidates], Columns]


def head(m: EncodedMentions, c: Candidates) -> Columns:
    """Whether the heads have the same lemma, form, stem or root (YCF: head match)."""
    return [same(m, c, name) for name in ("lemma", "form", "stem", "root", "text")]


def rarity(m: EncodedMentions, c: Candidates) -> Columns:
    """Rarity of a shared lemma or root (idf over documents), and of the heads; light verbs."""
    idf, equal = m.numbers["idf"], same(m, c, "lemma")
    low, high = both(idf, c)
    _, light = both(m.numbers["light"], c)
    return [equal * idf[c.left], same(m, c, "root") * low, low, high, light, light * equal]


def letters(m: EncodedMentions, c: Candidates) -> Columns:
    """Letter n-gram cosine and common prefix of the heads (YCF: character overlap)."""
    return list(m.lexicon.compare(*sides(m.codes["lemma"], c)))


def words(m: EncodedMentions, c: Candidates) -> Columns:
    """Idf-weighted cosine of the mentions' lemmas (YCF: word overlap), and their lengths."""
    low, high = both(m.numbers["length"], c)
    return [cosine(m.bags["words"], c), high - low, low]


def pos(m: EncodedMentions, c: Candidates) -> Columns:
    """Parts of speech of the heads: same class, both verbs, both nouns, one of each (YCF)."""
    left, right = sides(m.codes["pos"], c)
    verb, noun = m.kinds["V"], m.kinds["N"]
    mixed = ((left == verb) & (right == noun)) | ((left == noun) & (right == verb))
    equal = left == right
    return [equal, equal & (left == verb), equal & (left == noun), mixed]


def context(m: EncodedMentions, c: Candidates) -> Columns:
    """Cosines of the contexts of the mentions (YCF: context, instead of their roles)."""
    return [cosine(m.bags[name], c) for name in _BAGS]


def arguments(m: EncodedMentions, c: Candidates) -> Columns:
    """Whether both sentences have names, or numbers, and share none."""
    return [overlap(m.bags[name], c)[2] for name in ("names", "numbers")]


def documents(m: EncodedMentions, c: Candidates) -> Columns:
    """Cosine of the documents (YCF use it inside their distance)."""
    return [c.cosine]


def place(m: EncodedMentions, c: Candidates) -> Columns:
    """Distance inside a document, and distance of both from the document's beginning (YCF)."""
    inside = same(m, c, "doc")
    sentences, mentions = (
        np.abs(np.subtract(*sides(m.codes[name], c))) for name in ("sentence", "order")
    )
    return [
        inside,
        inside & (sentences == 0),
        inside * np.log1p(sentences),
        inside * np.log1p(mentions),
        *both(m.numbers["depth"], c),
        inside * same(m, c, "lemma"),
    ]


def crowd(m: EncodedMentions, c: Candidates) -> Columns:
    """Ambiguity of the heads: number of mentions with the same lemma in the same document."""
    low, high = both(m.numbers["repeats"], c)
    return [low, high, same(m, c, "lemma") * low]


def same(m: EncodedMentions, c: Candidates, name: str) -> Bools:
    """Return whether both mentions of a pair have the same code ``name``."""
    left, right = sides(m.codes[name], c)
    return np.asarray(left == right)


def sides(values: npt.NDArray[T], c: Candidates) -> tuple[npt.NDArray[T], npt.NDArray[T]]:
    """Return the value of the left and of the right mention of each pair."""
    return values[c.left], values[c.right]


def both(values: Singles, c: Candidates) -> tuple[Singles, Singles]:
    """Return the lower and the higher value of each pair."""
    left, right = sides(values, c)
    return np.minimum(left, right), np.maximum(left, right)


def cosine(bag: csr_matrix, c: Candidates) -> Singles:
    """Return the dot product of the two rows of each pair."""
    return np.asarray(bag[c.left].multiply(bag[c.right]).sum(axis=1)).ravel().astype(np.float32)


def overlap(bag: csr_matrix, c: Candidates) -> Columns:
    """Return the cosine of the bags, whether both have words, and whether these are disjoint."""
    left, right = sides(np.diff(bag.indptr) > 0, c)
    similarity = cosine(bag, c)
    return [similarity, left & right, left & right & (similarity == 0)]


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
            *("same_document", "same_sentence", "sentences", "mentions", "earlier", "later"),
            "inside_same_lemma",
        ),
        place,
    ),
    "crowd": Family(("repeats_low", "repeats_high", "repeats_same"), crowd),
}


def features(
    m: EncodedMentions,
    c: Candidates,
    families: Mapping[str, Family] = FAMILIES,
    progress: Progress = silent,
) -> Singles:
    """Return pairs × columns of ``families``, in their order."""
    rows = np.empty((len(c), len(columns(families))), dtype=np.float32)
    at, blocks = 0, c.blocks()
    for block in progress(blocks, len(blocks), "describing pairs"):
        values = [column for each in families.values() for column in each.compute(m, block)]
        rows[at : at + len(block)] = np.stack(values, axis=1) if values else 0
        at += len(block)
    return rows


def columns(families: Mapping[str, Family] = FAMILIES) -> list[str]:
    """Return the column names of ``features``.

    >>> columns()[:3]
    ['same_lemma', 'same_form', 'same_stem']
    """
    return [name for family in families.values() for name in family.names]

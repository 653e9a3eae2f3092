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

from cdec.arrays import Bools, Ints, Singles
from cdec.files.progress import Progress, silent
from cdec.language.similarity import Pairs
from cdec.pairs.candidates import BLOCK
from cdec.pairs.mentions import EncodedMentions

T = TypeVar("T", bound=np.generic)
Columns = list[npt.NDArray[np.generic]]
_BAGS = (
    "sentence",
    "window",
    "left",
    "right",
    "names",
    "numbers",
    "around",
    "events",
    "story",
)


@dataclass(frozen=True)
class Family:
    """Features that are used together: the names of the columns, and their function."""

    names: tuple[str, ...]
    compute: Callable[[EncodedMentions, Pairs], Columns]


def head(mentions: EncodedMentions, pairs: Pairs) -> Columns:
    """Whether the heads have the same lemma, form, stem or root (YCF: head match)."""
    return [
        same(mentions, pairs, name)
        for name in ("lemma", "form", "stem", "root", "text")
    ]


def rarity(mentions: EncodedMentions, pairs: Pairs) -> Columns:
    """Rarity of a shared lemma or root (idf over documents), and of the heads; light verbs."""
    idf = mentions.numbers["idf"]
    low, high = both(idf, pairs)
    _, light = both(mentions.numbers["light"], pairs)
    same_lemma = same(mentions, pairs, "lemma")
    same_root = same(mentions, pairs, "root")
    return [
        same_lemma * idf[pairs.left],
        same_root * low,
        low,
        high,
        light,
        light * same_lemma,
    ]


def letters(mentions: EncodedMentions, pairs: Pairs) -> Columns:
    """Letter n-gram cosine and common prefix of the heads (YCF: character overlap)."""
    left, right = sides(mentions.codes["lemma"], pairs)
    return list(mentions.lexicon.compare(left, right))


def words(mentions: EncodedMentions, pairs: Pairs) -> Columns:
    """Idf-weighted cosine of the mentions' lemmas (YCF: word overlap), and their lengths."""
    low, high = both(mentions.numbers["length"], pairs)
    return [cosine(mentions.bags["words"], pairs), high - low, low]


def pos(mentions: EncodedMentions, pairs: Pairs) -> Columns:
    """Parts of speech of the heads: same class, both verbs, both nouns, one of each (YCF)."""
    left, right = sides(mentions.codes["pos"], pairs)
    verb = mentions.kinds["V"]
    noun = mentions.kinds["N"]
    same_pos = left == right
    verb_noun = (left == verb) & (right == noun)
    noun_verb = (left == noun) & (right == verb)
    return [
        same_pos,
        same_pos & (left == verb),
        same_pos & (left == noun),
        verb_noun | noun_verb,
    ]


def context(mentions: EncodedMentions, pairs: Pairs) -> Columns:
    """Cosines of the contexts of the mentions (YCF: context, instead of their roles)."""
    return [cosine(mentions.bags[name], pairs) for name in _BAGS]


def arguments(mentions: EncodedMentions, pairs: Pairs) -> Columns:
    """Whether both sentences have names, or numbers, and share none."""
    return [disjoint(mentions.bags[name], pairs) for name in ("names", "numbers")]


def documents(mentions: EncodedMentions, pairs: Pairs) -> Columns:
    """Cosine of the documents (YCF use it inside their distance)."""
    return [pairs.cosine]


def place(mentions: EncodedMentions, pairs: Pairs) -> Columns:
    """Distance inside a document, and distance of both from the document's beginning (YCF)."""
    inside = same(mentions, pairs, "doc")
    sentences = _distance(mentions, pairs, "sentence")
    between = _distance(mentions, pairs, "order")
    return [
        inside,
        inside & (sentences == 0),
        inside * np.log1p(sentences),
        inside * np.log1p(between),
        *both(mentions.numbers["depth"], pairs),
        inside * same(mentions, pairs, "lemma"),
    ]


def _distance(mentions: EncodedMentions, pairs: Pairs, name: str) -> Ints:
    left, right = sides(mentions.codes[name], pairs)
    return np.asarray(np.abs(left - right))


def crowd(mentions: EncodedMentions, pairs: Pairs) -> Columns:
    """Ambiguity of the heads: number of mentions with the same lemma in the same document."""
    low, high = both(mentions.numbers["repeats"], pairs)
    return [low, high, same(mentions, pairs, "lemma") * low]


def same(mentions: EncodedMentions, pairs: Pairs, name: str) -> Bools:
    """Return whether both mentions of a pair have the same code ``name``."""
    left, right = sides(mentions.codes[name], pairs)
    return np.asarray(left == right)


def sides(
    values: npt.NDArray[T], pairs: Pairs
) -> tuple[npt.NDArray[T], npt.NDArray[T]]:
    """Return the value of the left and of the right mention of each pair."""
    return values[pairs.left], values[pairs.right]


def both(values: Singles, pairs: Pairs) -> tuple[Singles, Singles]:
    """Return the lower and the higher value of each pair."""
    left, right = sides(values, pairs)
    return np.minimum(left, right), np.maximum(left, right)


def cosine(bag: csr_matrix, pairs: Pairs) -> Singles:
    """Return the dot product of the two rows of each pair."""
    products = bag[pairs.left].multiply(bag[pairs.right])
    return np.asarray(products.sum(axis=1)).ravel().astype(np.float32)


def disjoint(bag: csr_matrix, pairs: Pairs) -> Bools:
    """Return whether both bags of a pair have words, and share none."""
    has_words = np.diff(bag.indptr) > 0
    left, right = sides(has_words, pairs)
    return np.asarray(left & right & (cosine(bag, pairs) == 0))


FAMILIES: dict[str, Family] = {
    "head": Family(
        ("same_lemma", "same_form", "same_stem", "same_root", "same_text"), head
    ),
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
}


def features(
    mentions: EncodedMentions,
    pairs: Pairs,
    families: Mapping[str, Family] = FAMILIES,
    progress: Progress = silent,
) -> Singles:
    """Return pairs × columns of ``families``, in their order."""
    rows = np.zeros((len(pairs), len(columns(families))), dtype=np.float32)
    blocks = [pairs[at : at + BLOCK] for at in range(0, len(pairs), BLOCK)]
    start = 0
    for block in progress(blocks, len(blocks), "describing pairs"):
        end = start + len(block)
        values = []
        for family in families.values():
            values += family.compute(mentions, block)
        if values:
            rows[start:end] = np.stack(values, axis=1)
        start = end
    return rows


def columns(families: Mapping[str, Family] = FAMILIES) -> list[str]:
    """Return the column names of ``features``.

    >>> columns()[:3]
    ['same_lemma', 'same_form', 'same_stem']
    """
    return [name for family in families.values() for name in family.names]

"""Spelling of words: stems, derivation of verbs and nouns, and letter n-grams.

Derivation ("explode", "explosion") is inferred from the spelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

import numpy as np
import snowballstemmer
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from cdec.arrays import Ints, Singles

# Longest first; at least ``_LEAST`` letters must remain. Mostly suffixes of deverbal nouns.
SUFFIXES = (
    *("ization", "isation", "ication", "ations", "ation", "ition", "ement", "ments", "sion"),
    *("tion", "ment", "ance", "ence", "ing", "ion", "ure", "age", "ery", "ive", "ate", "ise"),
    *("ize", "ify", "ers", "ors", "ent", "ant", "er", "or", "al", "ed", "es", "de", "se", "te"),
    *("th", "ty", "cy", "ve", "e", "y", "s", "t"),
)
_LEAST = 3


def stems(words: Iterable[str]) -> list[str]:
    """Return the Snowball (Porter 2) stem of each word."""
    return [str(stem) for stem in snowballstemmer.stemmer("english").stemWords(list(words))]


def roots(words: Iterable[str]) -> list[str]:
    """Return each word without its longest suffix of ``SUFFIXES``: explode, explosion → explo."""
    return [_root(word) for word in words]


def _root(word: str) -> str:
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _LEAST:
            return word[: -len(suffix)]
    return word


def letter_grams(words: Sequence[str], shortest: int = 2, longest: int = 4) -> csr_matrix:
    """Return one row of letter n-grams per word, of unit length; blanks mark the word's ends."""
    if not any(words):
        return csr_matrix((len(words), 1))
    counter = CountVectorizer(
        analyzer="char_wb", ngram_range=(shortest, longest), dtype=np.float32, lowercase=False
    )
    return csr_matrix(normalize(counter.fit_transform(words)))


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The distinct head lemmas with their letter n-grams."""

    words: tuple[str, ...]
    grams: csr_matrix = field(repr=False)

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Lexicon:
        """Return the lexicon of these words; the code of a word is its index."""
        return cls(tuple(words), letter_grams(words))

    def compare(self, left: Ints, right: Ints) -> tuple[Singles, Singles]:
        """Return for pairs of codes the letter n-gram cosine and the relative prefix length."""
        size = max(len(self.words), 1)
        pairs, back = np.unique(left * size + right, return_inverse=True)
        left, right = pairs // size, pairs % size
        cosine = np.asarray(self.grams[left].multiply(self.grams[right]).sum(axis=1)).ravel()
        words = zip(left.tolist(), right.tolist(), strict=True)
        prefix = np.array([_prefix(self.words[a], self.words[b]) for a, b in words])
        return cosine[back].astype(np.float32), prefix[back].astype(np.float32)


def _prefix(a: str, b: str) -> float:
    """Return the length of the common prefix, divided by the length of the longer word."""
    shared = takewhile(lambda letters: letters[0] == letters[1], zip(a, b, strict=False))
    return sum(1 for _ in shared) / max(len(a), len(b), 1)

"""Spelling of words: derivation of verbs and nouns, and letter n-grams.

Derivation ("explode", "explosion") is inferred from the spelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from os.path import commonprefix

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from cdec.arrays import Ints, Singles
from cdec.configs import read_toml

# The longest first; at least ``_LEAST`` letters must remain.
SUFFIXES: list[str] = read_toml("language.toml")["suffixes"]
_LEAST = 3


def roots(words: Iterable[str]) -> list[str]:
    """Return each word without its longest suffix of ``SUFFIXES``: explode, explosion → explo."""
    return [_root(word) for word in words]


def _root(word: str) -> str:
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _LEAST:
            return word.removesuffix(suffix)
    return word


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The distinct head lemmas, by code, and their letter n-grams as rows of unit length."""

    words: tuple[str, ...]
    grams: csr_matrix = field(repr=False)

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Lexicon:
        """Return the lexicon of these words; blanks mark a word's ends in its n-grams."""
        if not any(words):
            return cls(tuple(words), csr_matrix((len(words), 1)))
        vectorizer = CountVectorizer(
            dtype=np.float32,
            analyzer="char_wb",
            ngram_range=(2, 4),
            lowercase=False,
        )
        counts = vectorizer.fit_transform(words)
        return cls(tuple(words), csr_matrix(normalize(counts)))

    def compare(self, left: Ints, right: Ints) -> tuple[Singles, Singles]:
        """Return for pairs of codes the letter n-gram cosine and the relative prefix length."""
        size = max(len(self.words), 1)
        # Each pair of words once.
        pairs, position = np.unique(left * size + right, return_inverse=True)
        left = pairs // size
        right = pairs % size
        products = self.grams[left].multiply(self.grams[right])
        cosine = np.asarray(products.sum(axis=1)).ravel().astype(np.float32)
        prefix = [
            _common_prefix(self.words[a], self.words[b])
            for a, b in zip(left, right, strict=True)
        ]
        return cosine[position], np.array(prefix, np.float32)[position]


def _common_prefix(a: str, b: str) -> float:
    prefix = commonprefix([a, b])  # noqa: RUF071  # of letters, not of paths
    return len(prefix) / max(len(a), len(b), 1)

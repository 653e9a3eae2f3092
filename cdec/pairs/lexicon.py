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

# Longest first; at least ``_LEAST`` letters must remain. Mostly suffixes of deverbal nouns.
SUFFIXES = (
    *("ization", "isation", "ication", "ations", "ation", "ition", "ement", "ments", "sion"),
    *("tion", "ment", "ance", "ence", "ing", "ion", "ure", "age", "ery", "ive", "ate", "ise"),
    *("ize", "ify", "ers", "ors", "ent", "ant", "er", "or", "al", "ed", "es", "de", "se", "te"),
    *("th", "ty", "cy", "ve", "e", "y", "s", "t"),
)
_LEAST = 3


def roots(words: Iterable[str]) -> list[str]:
    """Return each word without its longest suffix of ``SUFFIXES``: explode, explosion → explo."""
    return [
        next((w[: -len(s)] for s in SUFFIXES if w.endswith(s) and len(w) - len(s) >= _LEAST), w)
        for w in words
    ]


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
        options = {"analyzer": "char_wb", "ngram_range": (2, 4), "lowercase": False}
        counts = CountVectorizer(dtype=np.float32, **options).fit_transform(words)
        return cls(tuple(words), csr_matrix(normalize(counts)))

    def compare(self, left: Ints, right: Ints) -> tuple[Singles, Singles]:
        """Return for pairs of codes the letter n-gram cosine and the relative prefix length."""
        size = max(len(self.words), 1)
        pairs, back = np.unique(left * size + right, return_inverse=True)
        left, right = pairs // size, pairs % size
        cosine = np.asarray(self.grams[left].multiply(self.grams[right]).sum(axis=1)).ravel()
        named = ((self.words[a], self.words[b]) for a, b in zip(left, right, strict=True))
        prefix = [len(commonprefix(both)) / max(*map(len, both), 1) for both in named]  # noqa: RUF071
        return cosine[back].astype(np.float32), np.array(prefix, np.float32)[back]

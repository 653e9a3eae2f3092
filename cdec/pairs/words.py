"""Words as letters: stems, derivation of verbs and nouns, and letter n-grams.

Derivation ("explode", "explosion") is told by what the letters share; WordNet, where it is
installed, knows better (``cdec.pairs.wordnet``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

import numpy as np
import snowballstemmer
from scipy.sparse import csr_array, csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from cdec.arrays import Ints, Singles
from cdec.pairs.wordnet import wordnet

# Longest first; what is left must be three letters at least. Nouns made of verbs, mostly.
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
    """Return a row of letter n-grams a word, its ends marked by blanks, of length one."""
    if not any(words):
        return csr_matrix((len(words), 1))
    counter = CountVectorizer(
        analyzer="char_wb", ngram_range=(shortest, longest), dtype=np.float32, lowercase=False
    )
    return csr_matrix(normalize(counter.fit_transform(words)))


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The distinct head lemmas, ready to be compared as letters."""

    words: tuple[str, ...]
    grams: csr_matrix = field(repr=False)
    synsets: tuple[csr_array, ...] = field(repr=False)

    @classmethod
    def from_words(cls, words: Sequence[str], with_wordnet: bool = False) -> Lexicon:
        """Return the lexicon of these words; their codes are their places.

        Raises LanguageError where WordNet is wanted and not installed.
        """
        synsets = wordnet().rows(words) if with_wordnet else ()
        return cls(tuple(words), letter_grams(words), synsets)

    def meanings(self, one: Ints, two: Ints) -> list[Singles]:
        """Return for pairs of codes the cosines of synsets, of these with derivation, of all above.

        The last value tells whether WordNet has both words.
        """
        left, right, back = self._distinct(one, two)
        known = np.diff(self.synsets[0].indptr) > 0
        found = [rows[left].multiply(rows[right]).sum(axis=1) for rows in self.synsets]
        return [np.asarray(x, np.float32)[back] for x in [*found, known[left] & known[right]]]

    def compare(self, one: Ints, two: Ints) -> tuple[Singles, Singles]:
        """Return letter n-gram cosine and share of common beginning for pairs of codes."""
        left, right, back = self._distinct(one, two)
        cosine = np.asarray(self.grams[left].multiply(self.grams[right]).sum(axis=1)).ravel()
        words = zip(left.tolist(), right.tolist(), strict=True)
        prefix = np.array([_prefix(self.words[a], self.words[b]) for a, b in words])
        return cosine[back].astype(np.float32), prefix[back].astype(np.float32)

    def _distinct(self, one: Ints, two: Ints) -> tuple[Ints, Ints, Ints]:
        size = max(len(self.words), 1)
        pairs, back = np.unique(one * size + two, return_inverse=True)
        return pairs // size, pairs % size, back


def _prefix(a: str, b: str) -> float:
    """Return the length of the common beginning over that of the longer word."""
    shared = takewhile(lambda two: two[0] == two[1], zip(a, b, strict=False))
    return sum(1 for _ in shared) / max(len(a), len(b), 1)

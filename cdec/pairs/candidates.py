"""Candidate pairs of mentions: inside a document, and across similar documents.

All other pairs are never built: their probability counts as 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cdec.arrays import Bools, Ints, Singles
from cdec.language.similarity import DocumentPairs

BLOCK = 1 << 17
"""Pairs that are built, and get features, in one step."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of mention rows (left < right), and the cosine of their documents (1 inside one)."""

    left: Ints
    right: Ints
    cosine: Singles

    def __len__(self) -> int:
        return len(self.left)

    def __getitem__(self, chosen: slice | Bools | Ints) -> Candidates:
        return Candidates(self.left[chosen], self.right[chosen], self.cosine[chosen])

    def blocks(self) -> list[Candidates]:
        """Return the pairs in blocks of bounded length."""
        return [self[at : at + BLOCK] for at in range(0, len(self), BLOCK)]


NO_CANDIDATES = Candidates(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))


def joined(parts: Iterable[Candidates]) -> Candidates:
    """Return the pairs of all ``parts``, ordered by left and then right row."""
    pairs = concatenated(parts)
    return pairs[np.lexsort((pairs.right, pairs.left))]


def concatenated(parts: Iterable[Candidates]) -> Candidates:
    """Return the pairs of all ``parts``, one part after another."""
    columns = ((part.left, part.right, part.cosine) for part in (NO_CANDIDATES, *parts))
    return Candidates(*map(np.concatenate, zip(*columns, strict=True)))


def blocks(document: Ints, near: DocumentPairs) -> Iterator[Candidates]:
    """Yield all candidate pairs in blocks of bounded length.

    ``document`` is the document row of each mention, in ascending order; ``near`` are the pairs of
    similar documents.
    """
    size = int(document.max(initial=-1)) + 1
    valid = (near.left < size) & (near.right < size)
    same = np.arange(size)
    doc1, doc2 = np.append(same, near.left[valid]), np.append(same, near.right[valid])
    cosine = np.append(np.ones(size), near.cosine[valid]).astype(np.float32)
    order = np.lexsort((doc2, doc1))  # so that a block has few documents
    doc1, doc2, cosine = doc1[order], doc2[order], cosine[order]
    first = np.searchsorted(document, np.arange(size + 1))
    count = np.diff(first)
    total = count[doc1] * count[doc2]
    borders = np.flatnonzero(np.diff(np.cumsum(total) // BLOCK)) + 1
    for start, stop in pairwise([0, *borders.tolist(), len(total)]):
        many = total[start:stop]
        row = np.repeat(np.arange(start, stop), many)
        place = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many)
        width = count[doc2[row]]
        left, right = first[doc1[row]] + place // width, first[doc2[row]] + place % width
        kept = left < right
        yield Candidates(left[kept], right[kept], cosine[row[kept]])


def count(document: Ints, near: DocumentPairs) -> int:
    """Return the number of candidate pairs, without making them."""
    sizes = np.bincount(document)
    valid = (near.left < len(sizes)) & (near.right < len(sizes))
    across = (sizes[near.left[valid]] * sizes[near.right[valid]]).sum()
    return int((sizes * (sizes - 1) // 2).sum() + across)

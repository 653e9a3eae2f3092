"""Candidate pairs of mentions: inside a document, and across similar documents.

All other pairs are never built: their probability counts as 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cdec.arrays import Bools, Ints, Singles
from cdec.language import similarity

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


def candidates(document: Ints, near: similarity.DocumentPairs) -> Candidates:
    """Return all candidate pairs, ordered by left and then right row.

    ``document`` is the document row of each mention, in ascending order; ``near`` are the pairs of
    similar documents.
    """
    return joined(blocks(document, near))


def joined(parts: Iterable[Candidates]) -> Candidates:
    """Return the pairs of all ``parts`` (at least one part), ordered by left, then right row."""
    columns = zip(*((part.left, part.right, part.cosine) for part in parts), strict=True)
    left, right, cosine = (np.concatenate(column) for column in columns)
    order = np.lexsort((right, left))
    return Candidates(left[order], right[order], cosine[order])


def blocks(document: Ints, near: similarity.DocumentPairs) -> Iterator[Candidates]:
    """Yield the candidate pairs in blocks of bounded length; the first block is empty."""
    size = int(document.max(initial=-1)) + 1
    valid = (near.left < size) & (near.right < size)
    same = np.arange(size)
    doc1 = np.concatenate([same, near.left[valid]])
    doc2 = np.concatenate([same, near.right[valid]])
    cosine = np.concatenate([np.ones(size), near.cosine[valid]]).astype(np.float32)
    order = np.lexsort((doc2, doc1))  # so that a block has few documents
    doc1, doc2, cosine = doc1[order], doc2[order], cosine[order]
    first = np.searchsorted(document, np.arange(size + 1))
    count = np.diff(first)
    total = count[doc1] * count[doc2]
    yield Candidates(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
    for start, stop in pairwise(_borders(total)):
        part = slice(start, stop)
        row = np.repeat(np.arange(start, stop), total[part])
        place = np.arange(len(row)) - np.repeat(np.cumsum(total[part]) - total[part], total[part])
        width = count[doc2[row]]
        left, right = first[doc1[row]] + place // width, first[doc2[row]] + place % width
        kept = left < right
        yield Candidates(left[kept], right[kept], cosine[row[kept]])


def count(document: Ints, near: similarity.DocumentPairs) -> int:
    """Return the number of candidate pairs, without making them."""
    sizes = np.bincount(document)
    valid = (near.left < len(sizes)) & (near.right < len(sizes))
    across = (sizes[near.left[valid]] * sizes[near.right[valid]]).sum()
    return int((sizes * (sizes - 1) // 2).sum() + across)


def _borders(total: Ints) -> Ints:
    """Return the borders of blocks of document pairs, each with about ``BLOCK`` mention pairs."""
    group = np.cumsum(total) // BLOCK
    return np.concatenate([[0], np.flatnonzero(np.diff(group)) + 1, [len(total)]])

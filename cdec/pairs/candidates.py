"""Candidate pairs of mentions: inside a document, and across documents that are alike.

All other pairs are never made: their probability counts as 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cdec.arrays import Bools, Ints, Singles
from cdec.language import similarity

_BLOCK = 1 << 17  # pairs made, and described by features, at once


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of mentions by row (left < right) and the cosine of their documents (1 in one)."""

    left: Ints
    right: Ints
    cosine: Singles

    def __len__(self) -> int:
        return len(self.left)

    def __getitem__(self, chosen: slice | Bools | Ints) -> Candidates:
        return Candidates(self.left[chosen], self.right[chosen], self.cosine[chosen])

    def blocks(self) -> list[Candidates]:
        """Return the pairs in runs of bounded length."""
        return [self[at : at + _BLOCK] for at in range(0, len(self), _BLOCK)]


def candidates(document: Ints, near: similarity.DocumentPairs) -> Candidates:
    """Return all candidate pairs, ordered by left and then right row.

    ``document`` is the document row of each mention, not descending; ``near`` are the pairs of
    documents that pass the gate.
    """
    return joined(blocks(document, near))


def joined(parts: Iterable[Candidates]) -> Candidates:
    """Return all pairs of ``parts``, at least one, ordered by left and then right row."""
    columns = zip(*((part.left, part.right, part.cosine) for part in parts), strict=True)
    left, right, cosine = (np.concatenate(column) for column in columns)
    order = np.lexsort((right, left))
    return Candidates(left[order], right[order], cosine[order])


def blocks(document: Ints, near: similarity.DocumentPairs) -> Iterator[Candidates]:
    """Yield the candidate pairs in runs of bounded length, the first run empty."""
    size = int(document.max(initial=-1)) + 1
    held = (near.left < size) & (near.right < size)
    same = np.arange(size)
    one = np.concatenate([same, near.left[held]])
    two = np.concatenate([same, near.right[held]])
    cosine = np.concatenate([np.ones(size), near.cosine[held]]).astype(np.float32)
    first = np.searchsorted(document, np.arange(size + 1))
    count = np.diff(first)
    total = count[one] * count[two]
    yield Candidates(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
    for start, stop in pairwise(_borders(total)):
        part = slice(start, stop)
        row = np.repeat(np.arange(start, stop), total[part])
        place = np.arange(len(row)) - np.repeat(np.cumsum(total[part]) - total[part], total[part])
        width = count[two[row]]
        left, right = first[one[row]] + place // width, first[two[row]] + place % width
        kept = left < right
        yield Candidates(left[kept], right[kept], cosine[row[kept]])


def _borders(total: Ints) -> Ints:
    """Return borders of runs of document pairs with about ``_BLOCK`` mention pairs each."""
    group = np.cumsum(total) // _BLOCK
    return np.concatenate([[0], np.flatnonzero(np.diff(group)) + 1, [len(total)]])

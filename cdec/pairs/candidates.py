"""Candidate pairs of mentions: inside a document, and across similar documents.

All other pairs are never built: their probability counts as 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cdec.arrays import Bools, Ints, Singles, links
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

    def __getitem__(self, rows: slice | Bools | Ints) -> Candidates:
        return Candidates(self.left[rows], self.right[rows], self.cosine[rows])

    def blocks(self) -> list[Candidates]:
        """Return the pairs in blocks of bounded length."""
        return [self[start : start + BLOCK] for start in range(0, len(self), BLOCK)]


NO_CANDIDATES = Candidates(
    np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32)
)


def joined(parts: Iterable[Candidates]) -> Candidates:
    """Return the pairs of all ``parts``, ordered by left and then right row."""
    pairs = concatenate(parts)
    return pairs[np.lexsort((pairs.right, pairs.left))]


def concatenate(parts: Iterable[Candidates]) -> Candidates:
    """Return the pairs of all ``parts``, one part after another."""
    candidates = [NO_CANDIDATES, *parts]
    return Candidates(
        np.concatenate([part.left for part in candidates]),
        np.concatenate([part.right for part in candidates]),
        np.concatenate([part.cosine for part in candidates]),
    )


def blocks(document: Ints, near: DocumentPairs) -> Iterator[Candidates]:
    """Yield all candidate pairs in blocks of bounded length.

    ``document`` is the document row of each mention, in ascending order; ``near`` are the pairs of
    similar documents.
    """
    documents = int(document.max(initial=-1)) + 1
    first_doc, second_doc, cosine = _document_pairs(documents, near)
    first_mention = np.searchsorted(document, np.arange(documents + 1))
    mentions = np.diff(first_mention)
    pairs = mentions[first_doc] * mentions[second_doc]
    borders = np.flatnonzero(np.diff(np.cumsum(pairs) // BLOCK)) + 1
    for start, stop in pairwise([0, *borders.tolist(), len(pairs)]):
        # All pairs of a mention of the first document with one of the second, row by row.
        sizes = pairs[start:stop]
        row = np.repeat(np.arange(start, stop), sizes)
        position = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        width = mentions[second_doc[row]]
        left = first_mention[first_doc[row]] + position // width
        right = first_mention[second_doc[row]] + position % width
        in_order = left < right  # inside a document each pair once
        yield Candidates(left[in_order], right[in_order], cosine[row[in_order]])


def _document_pairs(documents: int, near: DocumentPairs) -> tuple[Ints, Ints, Singles]:
    """Return each document with itself, then all pairs of similar documents, and the cosines.

    They are in order of the documents, so that a block of pairs has few documents.
    """
    has_mentions = (near.left < documents) & (near.right < documents)
    itself = np.arange(documents)
    first = np.append(itself, near.left[has_mentions])
    second = np.append(itself, near.right[has_mentions])
    cosine = np.append(np.ones(documents), near.cosine[has_mentions]).astype(np.float32)
    order = np.lexsort((second, first))
    return first[order], second[order], cosine[order]


def count(document: Ints, near: DocumentPairs) -> int:
    """Return the number of candidate pairs, without building them."""
    sizes = np.bincount(document)
    has_mentions = (near.left < len(sizes)) & (near.right < len(sizes))
    across = sizes[near.left[has_mentions]] * sizes[near.right[has_mentions]]
    return int(links(sizes).sum() + across.sum())

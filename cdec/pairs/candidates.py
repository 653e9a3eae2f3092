"""Candidate pairs of mentions: inside a document, and across similar documents.

All other pairs are never built: their probability counts as 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from cdec.arrays import Ints, links
from cdec.language.similarity import Pairs, concatenate

BLOCK = 1 << 17
"""Pairs that are built, and get features, in one step."""


def joined(parts: Iterable[Pairs]) -> Pairs:
    """Return the pairs of all ``parts``, ordered by left and then right row."""
    pairs = concatenate(parts)
    return pairs[np.lexsort((pairs.right, pairs.left))]


def blocks(document: Ints, near: Pairs) -> Iterator[Pairs]:
    """Yield all candidate pairs in blocks of bounded length.

    ``document`` is the document row of each mention, in ascending order; ``near`` are the pairs of
    similar documents.
    """
    documents = int(document.max(initial=-1)) + 1
    itself = np.arange(documents)
    inside = Pairs(itself, itself, np.ones(documents))
    # In order of the documents, so that a block of pairs has few documents.
    near = joined([inside, _with_mentions(near, documents)])
    cosine = near.cosine.astype(np.float32)
    first_mention = np.searchsorted(document, np.arange(documents + 1))
    mentions = np.diff(first_mention)
    pairs = mentions[near.left] * mentions[near.right]
    borders = np.flatnonzero(np.diff(np.cumsum(pairs) // BLOCK)) + 1
    for start, stop in pairwise([0, *borders.tolist(), len(pairs)]):
        # All pairs of a mention of the first document with one of the second, row by row.
        sizes = pairs[start:stop]
        row = np.repeat(np.arange(start, stop), sizes)
        position = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        second = near.right[row]
        width = mentions[second]
        left = first_mention[near.left[row]] + position // width
        right = first_mention[second] + position % width
        in_order = left < right  # inside a document each pair once
        yield Pairs(left[in_order], right[in_order], cosine[row[in_order]])


def _with_mentions(near: Pairs, documents: int) -> Pairs:
    """Return the pairs of the first documents, so many that the others have no mentions."""
    return near[(near.left < documents) & (near.right < documents)]


def count(document: Ints, near: Pairs) -> int:
    """Return the number of candidate pairs, without building them."""
    sizes = np.bincount(document)
    near = _with_mentions(near, len(sizes))
    across = sizes[near.left] * sizes[near.right]
    return int(links(sizes).sum() + across.sum())

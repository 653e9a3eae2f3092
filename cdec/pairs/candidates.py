"""Candidate pairs of mentions: inside a document, and across similar documents.

All other pairs are never built: their probability counts as 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from cdec.arrays import Ints, Singles, links
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
        yield Pairs(left[in_order], right[in_order], cosine[row[in_order]])


def _document_pairs(documents: int, near: Pairs) -> tuple[Ints, Ints, Singles]:
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


def count(document: Ints, near: Pairs) -> int:
    """Return the number of candidate pairs, without building them."""
    sizes = np.bincount(document)
    has_mentions = (near.left < len(sizes)) & (near.right < len(sizes))
    across = sizes[near.left[has_mentions]] * sizes[near.right[has_mentions]]
    return int(links(sizes).sum() + across.sum())

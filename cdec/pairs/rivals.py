"""How a pair stands among the other pairs of its two mentions.

A mention corefers with few others: the best partner in a document is a likelier link than the
fifth, at the same similarity. Ranks and margins compare a pair with its rivals, which no feature of
the pair alone can do.
"""

from __future__ import annotations

import numpy as np

from cdec.arrays import Ints, Singles
from cdec.pairs.candidates import Candidates

RIVALS = (
    *("rank_document_low", "rank_document_high", "margin_document_low", "margin_document_high"),
    *("rank_all_low", "rank_all_high", "margin_all_low", "margin_all_high"),
)


def rivals(document: Ints, c: Candidates, similarity: Singles) -> list[Singles]:
    """Return the columns ``RIVALS`` of all candidate pairs ``c``.

    ``document`` is the document row of each mention, ``similarity`` orders the pairs. For each end
    of a pair the rivals are the end's other pairs with the same document, or all its other pairs.
    Rank: log of 1 + the number of rivals with a higher similarity; margin: the similarity minus the
    highest of the rivals (0 without rivals). Of both ends the lower and the higher value.
    """
    ends = np.concatenate([c.left, c.right])
    others = document[np.concatenate([c.right, c.left])]
    values = np.tile(similarity, 2)
    size = int(document.max(initial=-1)) + 1
    columns: list[Singles] = []
    for group in (ends * size + others, ends):
        for numbers in _standing(group, values):
            left, right = numbers[: len(c)], numbers[len(c) :]
            columns += [np.minimum(left, right), np.maximum(left, right)]
    return columns


def _standing(group: Ints, values: Singles) -> tuple[Singles, Singles]:
    """Return for each entry its rank (log) and its margin in its group."""
    order = np.lexsort((-values, group))
    ordered, sizes = values[order], np.unique(group, return_counts=True)[1]
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    place = np.arange(len(order))
    # Entries of equal value have the rank of the first of them.
    new = np.ones(len(order), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]) | (first[1:] != first[:-1])
    rank = np.maximum.accumulate(np.where(new, place, 0)) - first
    second = np.minimum(first + 1, max(len(order) - 1, 0))
    best = np.where(place == first, ordered[second], ordered[first])
    margin = np.where(np.repeat(sizes, sizes) > 1, ordered - best, 0)
    result = np.empty((2, len(order)), dtype=np.float32)
    result[:, order] = np.stack([np.log1p(rank), margin])
    return result[0], result[1]

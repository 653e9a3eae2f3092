"""The chains of a threshold: pairs with a score of at least the threshold, closed to chains.

As the threshold falls, chains merge. At most n − 1 pairs of n mentions merge two chains, whatever
the number of pairs: those of a maximum spanning forest (Kruskal 1956, Proc. AMS 7). All pairs of
equal score enter together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from cdec.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class Merges:
    """The pairs that merge two chains of ``size`` mentions, by falling score.

    ``first`` and ``second`` are positions of mentions, ``score`` that of the pair.

    >>> pairs = np.array([0, 1, 0]), np.array([1, 2, 2]), np.array([9.0, 5.0, 7.0])
    >>> merges = Merges.of_pairs(4, *pairs)
    >>> merges.score.tolist(), merges.chains(7.0).tolist(), merges.levels.tolist()
    ([9.0, 7.0], [0, 0, 0, 1], [9.0, 7.0])
    """

    size: int
    first: Ints
    second: Ints
    score: Floats

    @classmethod
    def of_pairs(cls, size: int, first: Ints, second: Ints, score: Floats) -> Merges:
        """Return the merges of pairs of positions; no pair occurs twice."""
        order = np.argsort(-score, kind="stable")
        rank = np.empty(len(order))
        rank[order] = np.arange(1, len(order) + 1)
        forest = minimum_spanning_tree(
            coo_array((rank, (first, second)), shape=(size, size)).tocsr()
        )
        kept = order[np.sort(forest.data).astype(np.int64) - 1]
        return cls(size, first[kept], second[kept], score[kept])

    def within(self, size: int) -> Merges:
        """Return the merges of the first ``size`` mentions, which the others can join."""
        root, ends = list(range(self.size)), np.stack([self.first, self.second], axis=1)
        for pair in ends:
            pair[:] = low, high = sorted(root_of(root, at) for at in pair.tolist())
            root[high] = low  # one of the first mentions, if the chain has any
        kept = ends[:, 1] < size
        return Merges(size, ends[kept, 0], ends[kept, 1], self.score[kept])

    @cached_property
    def levels(self) -> Floats:
        """The scores at which chains merge, each once, falling."""
        return np.unique(self.score)[::-1]

    def chains(self, threshold: float) -> Ints:
        """Return the number 0, 1, … of the chain of each mention; linked at score ≥ threshold."""
        merged = int(np.searchsorted(-self.score, -threshold, side="right"))
        pairs = self.first[:merged], self.second[:merged]
        links = coo_array((np.ones(merged), pairs), shape=(self.size, self.size))
        chains: Ints = connected_components(links, directed=False)[1].astype(np.int64)
        return chains


def root_of(root: list[int], at: int) -> int:
    """Return the mention that stands for the chain of a mention."""
    while root[at] != at:
        root[at] = root[root[at]]
        at = root[at]
    return at

"""Greedy agglomerative clustering of mentions by the probabilities of their pairs.

The two clusters with the highest link are joined until no link reaches the threshold. Average
link is the mean over all pairs between two clusters (Upadhyay et al. 2016, section 5), single link
the highest pair, complete link the lowest. A pair that is not a candidate has probability 0, also
in the mean.

Exact and sparse: two clusters joined at threshold t have a pair of at least t between them. So each
connected component of the pairs of at least t is clustered separately, and only the matrices of
components are dense. All links are monotone: cutting the tree of all joins at t is the same as
stopping at t, and one tree is valid for all higher thresholds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

from cdec.arrays import Bools, Floats, Ints
from cdec.language.similarity import Pairs

Link = Literal["average", "single", "complete"]
LINKS: tuple[Link, ...] = get_args(Link)
DIGITS = 9
"""Probabilities are rounded to these before they are compared, because the last bit of a sum can
differ between machines and must not break a tie. Ties are broken by the order of mentions."""


@dataclass(frozen=True, eq=False)
class Trees:
    """The tree of each component: its mentions (rows), and SciPy's linkage over 1 − p."""

    size: int
    members: Sequence[Ints] = field(repr=False)
    joins: Sequence[Floats] = field(repr=False)

    def cut(self, threshold: float) -> Ints:
        """Return each mention's cluster: clusters linked by ``threshold`` or more are joined."""
        labels = np.arange(self.size)
        for rows, tree in zip(self.members, self.joins, strict=True):
            clusters = fcluster(tree, 1 - threshold + 10.0**-DIGITS, "distance")
            first = np.full(int(clusters.max()) + 1, self.size)
            np.minimum.at(first, clusters, rows)
            labels[rows] = first[clusters]
        return labels


def grow(
    pairs: Pairs,
    p: Floats,
    size: int,
    lowest: float,
    link: Link,
) -> Trees:
    """Return the trees, valid for every threshold from ``lowest`` to 1.

    ``p`` is the probability of each pair, ``size`` the number of mentions; 0 < ``lowest`` ≤ 1.
    """
    p = np.round(p, DIGITS)
    group = components(np.arange(size), pairs[above(p, lowest)])
    # Component after component, so that the pairs of each are one block of the matrix.
    order = np.argsort(group, kind="stable")
    chances = csr_array((p, (pairs.left, pairs.right)), (size, size))
    chances = chances[order][:, order]
    stops = np.cumsum(np.bincount(group, minlength=1)).tolist()
    members = []
    joins = []
    for start, stop in pairwise([0, *stops]):
        if stop - start > 1:
            # The pairs are in text order: all are in the upper triangle.
            distance = 1 - chances[start:stop, start:stop].toarray()
            members.append(order[start:stop])
            joins.append(linkage(squareform(distance, checks=False), link))
    return Trees(size, members, joins)


def components(group: Ints, links: Pairs) -> Ints:
    """Return the group of each mention after the groups of linked mentions are joined."""
    groups = int(group.max(initial=-1)) + 1
    ones = np.ones(len(links), dtype=np.int8)
    graph = coo_array((ones, (group[links.left], group[links.right])), (groups, groups))
    _, component = connected_components(graph, directed=False)
    return component.astype(np.int64)[group]


def above(p: Floats, threshold: float) -> Bools:
    """Return which of the pairs are linked at a threshold."""
    return np.asarray(np.round(p, DIGITS) >= threshold - 10.0**-DIGITS)

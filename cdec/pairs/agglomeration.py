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
from typing import Literal, get_args

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_array
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
    # The mentions of each component, and the number of each mention in its component.
    order = np.argsort(group, kind="stable")
    first = np.searchsorted(group[order], np.arange(size + 1))
    local = np.empty(size, dtype=np.int64)
    local[order] = np.arange(size) - first[group[order]]
    # The pairs inside components, component after component.
    inside = np.flatnonzero(group[pairs.left] == group[pairs.right])
    inside = inside[np.argsort(group[pairs.left[inside]], kind="stable")]
    first_pair = np.searchsorted(group[pairs.left[inside]], np.arange(size + 1))
    members = []
    joins = []
    for component in np.flatnonzero(np.diff(first) > 1):
        mentions = order[first[component] : first[component + 1]]
        links = inside[first_pair[component] : first_pair[component + 1]]
        left = local[pairs.left[links]]
        right = local[pairs.right[links]]
        distance = np.ones((len(mentions), len(mentions)))
        distance[left, right] = 1 - p[links]
        distance[right, left] = 1 - p[links]
        members.append(mentions)
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

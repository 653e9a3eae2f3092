"""Peeling: what of an assignment problem is decided by its leaves, without any search.

A leaf is a node with one edge. Let f be the best leaf of a node v (its hub). Some best assignment
gives v either to f or to another neighbour that beats f. So: note the edge (f, v), lower v's edges
by its weight, drop those that fall to zero or below, v's leaves among them, and go on while there
are leaves. When the rest is solved, read the notes backwards: v goes to f unless it was given
away since. On coreference this leaves about one edge in a hundred.

Nodes are numbered 0, 1, … over both sides together.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from cdec.arrays import Bools, Floats, Ints

FEW = 16
"""A sweep over all edges must note one in so many, or the work-list takes over."""


class Edges(NamedTuple):
    """Edges from ``left`` to ``right`` nodes; ``cell`` is an edge's number for the caller."""

    left: Ints
    right: Ints
    weight: Floats
    cell: Ints

    def take(self, chosen: Bools | Ints) -> Edges:
        """Return the edges of a mask or at some positions."""
        left, right, weight, cell = self
        return Edges(left[chosen], right[chosen], weight[chosen], cell[chosen])


class Notes(NamedTuple):
    """Edges noted in one sweep: their hubs (none twice, none a tip), tips and numbers."""

    hub: Ints
    tip: Ints
    cell: Ints


class Peeling(NamedTuple):
    """Notes of the sweeps, then (hub, tip, cell) of the work-list, and the edges that are left."""

    sweeps: list[Notes]
    singles: list[tuple[int, int, int]]
    rest: Edges

    def undo(self, chosen: Edges, nodes: int) -> Ints:
        """Return the cells of the best assignment, sorted; ``chosen`` is the best of ``rest``."""
        taken = set(np.concatenate([chosen.left, chosen.right]).tolist())
        cells = [cell for hub, tip, cell in reversed(self.singles) if _claim(hub, tip, taken)]
        busy = np.zeros(nodes, dtype=np.bool_)
        busy[list(taken)] = True
        found = [chosen.cell, np.array(cells, dtype=np.int64)]
        for hub, tip, cell in reversed(self.sweeps):
            free = ~busy[hub]
            busy[hub[free]] = busy[tip[free]] = True
            found.append(cell[free])
        return np.sort(np.concatenate(found))


def _claim(hub: int, tip: int, taken: set[int]) -> bool:
    """Give ``hub`` to ``tip`` unless it is taken."""
    if hub in taken:
        return False
    taken.update((hub, tip))
    return True


def peel(edges: Edges, nodes: int) -> Peeling:
    """Peel all leaves: in sweeps while they pay, then one by one."""
    sweeps: list[Notes] = []
    while len(edges.cell):
        notes, rest = _sweep(edges, nodes)
        if len(notes.cell) * FEW < len(edges.cell):
            return Peeling(sweeps, *_work_list(edges))
        sweeps.append(notes)
        edges = rest
    return Peeling(sweeps, [], edges)


def _sweep(edges: Edges, nodes: int) -> tuple[Notes, Edges]:
    """Note the best leaf of every hub at once; of an edge by itself the right node is the hub."""
    left, right, weight, _ = edges
    degree = np.bincount(left, minlength=nodes) + np.bincount(right, minlength=nodes)
    left_is_leaf = degree[left] == 1
    leaf = np.flatnonzero(left_is_leaf | (degree[right] == 1))
    hub = np.where(left_is_leaf, right, left)[leaf]
    gain = np.zeros(nodes)
    np.maximum.at(gain, hub, weight[leaf])
    best = weight[leaf] == gain[hub]
    winner = np.full(nodes, -1, dtype=np.int64)
    winner[hub[best]] = leaf[best]
    hubs = np.flatnonzero(winner >= 0)
    noted = edges.take(winner[hubs])
    lowered = weight - gain[left] - gain[right]
    rest = edges._replace(weight=lowered).take(lowered > 0)
    return Notes(hubs, noted.left + noted.right - hubs, noted.cell), rest


def _work_list(edges: Edges) -> tuple[list[tuple[int, int, int]], Edges]:
    """Note one leaf after the other, touching nothing but its hub and the hub's neighbours."""
    weight = edges.weight.tolist()
    near: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for edge, (u, v) in enumerate(zip(edges.left.tolist(), edges.right.tolist(), strict=True)):
        near[u][v] = near[v][u] = edge
    leaves = deque(node for node, around in near.items() if len(around) == 1)
    singles = []
    while leaves:
        tip = leaves.popleft()
        if len(near[tip]) == 1:
            (hub,) = near[tip]
            tip, best = _best_leaf(hub, near, weight)
            singles.append((hub, tip, int(edges.cell[best])))
            leaves.extend(_lower(hub, weight[best], near, weight))
    left_over = np.array(sorted({e for around in near.values() for e in around.values()}), int)
    return singles, edges._replace(weight=np.array(weight)).take(left_over)


def _best_leaf(
    hub: int, near: Mapping[int, dict[int, int]], weight: list[float]
) -> tuple[int, int]:
    """Return the leaf of ``hub`` with the heaviest edge, and that edge."""
    leaves = ((node, edge) for node, edge in near[hub].items() if len(near[node]) == 1)
    return max(leaves, key=lambda leaf: weight[leaf[1]])


def _lower(
    hub: int, gain: float, near: Mapping[int, dict[int, int]], weight: list[float]
) -> list[int]:
    """Lower the edges of ``hub`` by ``gain``, drop the exhausted ones; return the new leaves."""
    touched = list(near[hub].items())
    for node, edge in touched:
        weight[edge] -= gain
        if weight[edge] <= 0:
            del near[hub][node], near[node][hub]
    return [node for node in (hub, *(node for node, _ in touched)) if len(near[node]) == 1]

"""The assignment problem of CEAF: the best one-to-one alignment of chains, exact and sparse.

Its edges are the non-zero cells of a contingency, at most as many as there are mentions. Peeling
decides nearly all of them, without any search. The rest falls into connected components, which a
sparse exact solver (Jonker and Volgenant) takes in batches.

A leaf is a node with one edge. Let f be the best leaf of a node v (its hub). Some best assignment
gives v either to f or to another neighbour that beats f. So: note the edge (f, v), lower v's edges
by its weight, drop those that fall to zero or below, v's leaves among them, and go on while there
are leaves. When the rest is solved, read the notes backwards: v goes to f unless it was given
away since. On coreference this leaves about one edge in a hundred.

Nodes are numbered 0, 1, … over both sides together. Lowering weights collects rounding errors, but
it only decides *which* edges are used: the caller sums their original weights.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from cdec.arrays import Bools, Floats, Ints

Index: TypeAlias = npt.NDArray[np.int32]

BATCH = 500
"""Edges in a batch: the solver's time grows with the square of it, its overhead shrinks."""

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


def best_assignment(rows: Ints, cols: Ints, weight: Floats) -> Ints:
    """Return the cells of a best one-to-one assignment of rows to columns, sorted.

    ``rows``, ``cols`` and ``weight`` (all positive) describe the cells of a sparse matrix, none
    twice. The sum of ``weight`` over the returned positions is the largest possible one.
    """
    if not len(weight):
        return np.array([], dtype=np.int64)
    offset = int(rows.max()) + 1
    nodes = offset + int(cols.max()) + 1
    peeled = peel(Edges(rows, cols + offset, weight, np.arange(len(weight))), nodes)
    solved = [batch[_solve(peeled.rest.take(batch))] for batch in _batches(peeled.rest)]
    chosen = np.concatenate([np.array([], dtype=np.int64), *solved])
    return peeled.undo(peeled.rest.take(chosen), nodes)


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


def _numbered(nodes: Ints) -> tuple[int, Index]:
    """Return how many nodes there are, and the nodes as 0, 1, …; csgraph wants 32 bits."""
    known, numbers = np.unique(nodes, return_inverse=True)
    return len(known), numbers.astype(np.int32)


def _batches(edges: Edges) -> Iterator[Ints]:
    """Yield the positions of the edges, whole components together, about BATCH at a time."""
    if not len(edges.cell):
        return
    # Of all imports of a score this one takes longest; what peeling decides needs no solver.
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    size, ends = _numbered(np.concatenate([edges.left, edges.right]))
    left, right = np.split(ends, 2)
    graph = coo_array((np.ones(len(left)), (left, right)), shape=(size, size))
    component = connected_components(graph, directed=False)[1][left]
    sizes = np.bincount(component)
    batch = ((np.cumsum(sizes) - sizes) // BATCH)[component]
    order = np.argsort(batch, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(batch[order])) + 1)


def _solve(edges: Edges) -> Ints:
    """Return the positions of the edges of a best assignment.

    The solver wants every row assigned: each gets a column of its own that stands for "none".
    It takes no zeros either, so that 1 is added to all weights, which changes no choice.
    """
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # noqa: PLC0415

    (rows, row), (cols, col) = sorted(
        (_numbered(edges.left), _numbered(edges.right)), key=lambda side: side[0]
    )
    each = np.arange(rows, dtype=np.int32)
    matrix = csr_array(
        (
            np.concatenate([edges.weight + 1, np.ones(rows)]),
            (np.concatenate([row, each]), np.concatenate([col, each + np.int32(cols)])),
        ),
        shape=(rows, cols + rows),
    )
    assigned = min_weight_full_bipartite_matching(matrix, maximize=True)[1]
    return np.flatnonzero(assigned[row] == col)

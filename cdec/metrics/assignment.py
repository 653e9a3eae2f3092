"""The assignment problem of CEAF: the best one-to-one alignment of chains, exact and sparse.

The edges are the non-zero cells of a contingency, at most one per mention. Peeling decides nearly
all of them without search. The remaining edges form connected components: simple cycles (see
``cycles``), and others, which an exact sparse solver (Jonker and Volgenant) solves in batches.

A leaf is a node with one edge. Let f be the best leaf of a node v (the hub). There is a best
assignment in which v is assigned to f or to another neighbour with a heavier edge. Therefore:
record the edge (f, v), subtract its weight from the edges of v, remove the edges that become zero
or negative (those of the leaves of v are among them), and repeat while there are leaves. After the
rest is solved, go through the records in reverse: assign v to f unless v is already assigned. For
coreference about one edge in a hundred is left to the solver.

Nodes are numbered 0, 1, … over both sides together. The subtractions accumulate rounding errors,
but they only decide *which* edges are chosen: the caller sums the original weights.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from cdec.arrays import Bools, Floats, Ints
from cdec.metrics.cycles import best_on_cycles

Index: TypeAlias = npt.NDArray[np.int32]

BATCH = 500
"""Edges per batch: the time of the solver is quadratic in it, but each call has an overhead."""

FEW = 16
"""If a sweep decides fewer than one edge in FEW, a work-list does the rest."""


class Edges(NamedTuple):
    """Edges from ``left`` to ``right`` nodes; ``cell`` is the caller's number of an edge."""

    left: Ints
    right: Ints
    weight: Floats
    cell: Ints

    def take(self, chosen: Bools | Ints) -> Edges:
        """Return the edges at a mask or positions."""
        left, right, weight, cell = self
        return Edges(left[chosen], right[chosen], weight[chosen], cell[chosen])


class Records(NamedTuple):
    """Edges recorded in one sweep: hubs (distinct, and not tips), tips (leaves) and cells."""

    hub: Ints
    tip: Ints
    cell: Ints


class Peeling(NamedTuple):
    """Records of the sweeps, then (hub, tip, cell) of the work-list, and the undecided edges."""

    sweeps: list[Records]
    singles: list[tuple[int, int, int]]
    rest: Edges

    def undo(self, chosen: Edges, nodes: int) -> Ints:
        """Return the cells of the best assignment; ``chosen`` solves ``rest``."""
        assigned = set(np.concatenate([chosen.left, chosen.right]).tolist())
        cells = [cell for hub, tip, cell in reversed(self.singles) if _assign(hub, tip, assigned)]
        busy = np.zeros(nodes, dtype=np.bool_)
        busy[list(assigned)] = True
        all_cells = [chosen.cell, np.array(cells, dtype=np.int64)]
        for hub, tip, cell in reversed(self.sweeps):
            free = ~busy[hub]
            busy[hub[free]] = busy[tip[free]] = True
            all_cells.append(cell[free])
        return np.concatenate(all_cells)


def best_assignment(rows: Ints, cols: Ints, weight: Floats) -> Ints:
    """Return the positions of a maximum-weight one-to-one assignment, sorted.

    ``rows``, ``cols`` and ``weight`` (positive) are the cells of a sparse matrix, without
    duplicates.
    """
    if not len(weight):
        return np.array([], dtype=np.int64)
    # A cell alone in its row and column is always assigned; in coreference most cells are.
    assigned = (np.bincount(rows)[rows] == 1) & (np.bincount(cols)[cols] == 1)
    cell = np.flatnonzero(~assigned)
    left, right = rows[cell], cols[cell]
    offset = int(left.max(initial=0)) + 1
    nodes = offset + int(right.max(initial=0)) + 1
    peeled = peel(Edges(left, right + offset, weight[cell], cell), nodes)
    assigned[peeled.undo(peeled.rest.take(_solve_all(peeled.rest)), nodes)] = True
    return np.flatnonzero(assigned)


def _assign(hub: int, tip: int, assigned: set[int]) -> bool:
    """Assign ``hub`` to ``tip`` unless it is already assigned; return whether it was free."""
    if hub in assigned:
        return False
    assigned.update((hub, tip))
    return True


def peel(edges: Edges, nodes: int) -> Peeling:
    """Peel all leaves: in sweeps over all edges while these decide enough, then one by one."""
    sweeps: list[Records] = []
    while len(edges.cell):
        records, rest = _sweep(edges, nodes)
        if not len(records.cell):
            break
        if len(records.cell) * FEW < len(edges.cell):
            return Peeling(sweeps, *_work_list(edges))
        sweeps.append(records)
        edges = rest
    return Peeling(sweeps, [], edges)


def _sweep(edges: Edges, nodes: int) -> tuple[Records, Edges]:
    """Record the best leaf of every hub; the hub of an isolated edge is its right node."""
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
    recorded = edges.take(winner[hubs])
    lowered = weight - gain[left] - gain[right]
    rest = edges._replace(weight=lowered).take(lowered > 0)
    return Records(hubs, recorded.left + recorded.right - hubs, recorded.cell), rest


def _work_list(edges: Edges) -> tuple[list[tuple[int, int, int]], Edges]:
    """Record leaves one by one; each step visits only a hub and its neighbours."""
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
    """Subtract ``gain`` from the edges of ``hub``, remove those ≤ 0; return the new leaves."""
    touched = list(near[hub].items())
    for node, edge in touched:
        weight[edge] -= gain
        if weight[edge] <= 0:
            del near[hub][node], near[node][hub]
    return [node for node in (hub, *(node for node, _ in touched)) if len(near[node]) == 1]


def _numbered(nodes: Ints) -> tuple[int, Index]:
    """Return the number of nodes, and the nodes renumbered from 0; csgraph needs 32 bits."""
    distinct, numbers = np.unique(nodes, return_inverse=True)
    return len(distinct), numbers.astype(np.int32)


def _solve_all(edges: Edges) -> Ints:
    """Return the positions of the edges of a best assignment of ``edges``, which have no leaf."""
    if not len(edges.cell):
        return np.array([], dtype=np.int64)
    # A slow import, which is needed only if peeling leaves edges.
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    size, ends = _numbered(np.concatenate([edges.left, edges.right]))
    left, right = np.split(ends, 2)
    graph = coo_array((np.ones(len(left)), (left, right)), shape=(size, size))
    of_node = connected_components(graph, directed=False)[1].astype(np.int64)
    component = of_node[left]
    sizes = np.bincount(component)
    is_cycle = sizes == np.bincount(of_node)
    on_cycle = is_cycle[component]
    cycles, others = np.flatnonzero(on_cycle), np.flatnonzero(~on_cycle)
    rings = edges.take(cycles)
    on_rings = best_on_cycles(rings.left, rings.right, rings.weight, component[cycles])
    chosen = [cycles[on_rings]]
    for batch in _batches(component[others], sizes * ~is_cycle):
        at = others[batch]
        chosen.append(at[_solve(edges.take(at))])
    return np.concatenate(chosen)


def _batches(component: Ints, sizes: Ints) -> Iterator[Ints]:
    """Yield positions of edges in batches of about BATCH; components are never divided."""
    batch = ((np.cumsum(sizes) - sizes) // BATCH)[component]
    order = np.argsort(batch, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(batch[order])) + 1) if len(order) else ()


def _solve(edges: Edges) -> Ints:
    """Return the positions of the edges of a best assignment.

    The solver assigns every row, so that each row gets an additional column that means "none".
    It does not accept zeros: 1 is added to all weights, which does not change the assignment.
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

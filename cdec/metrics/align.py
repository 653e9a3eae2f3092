"""The assignment problem of CEAF: the best one-to-one alignment of chains, exact and sparse.

A chain with one cell is a leaf. Let f be the best leaf of a chain v (the hub). There is a best
assignment in which v is assigned to f or to another neighbour with a heavier cell. Therefore:
record the cell (f, v), subtract its weight from the cells of v, remove those that become zero or
negative (those of the leaves of v are among them), and repeat while there are leaves. The rest is
solved; then, in reverse, each recorded hub is assigned to its leaf unless it is already assigned.
For coreference about one cell in a hundred is left to the solver (Jonker and Volgenant).

Chains are numbered 0, 1, … over both sides together. The subtractions accumulate rounding errors,
but they only decide *which* cells are chosen: the caller sums the original weights.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from itertools import accumulate
from math import fsum

import numpy as np

from cdec.arrays import Bools, Floats, Ints

BATCH = 500
"""Cells per batch: the time of the solver is quadratic in it, but each call has an overhead."""
FEW = 16
"""If a sweep decides fewer than one cell in FEW, the other leaves are removed one by one."""


def best_assignment(rows: Ints, cols: Ints, weight: Floats) -> Ints:
    """Return the positions of a maximum-weight one-to-one assignment, sorted.

    ``rows``, ``cols`` and ``weight`` (positive) are the cells of a sparse matrix, without
    duplicates.
    """
    if not len(weight):
        return np.array([], dtype=np.int64)
    # A cell alone in its row and column is always assigned; in coreference most cells are.
    chosen = (np.bincount(rows)[rows] == 1) & (np.bincount(cols)[cols] == 1)
    cell = np.flatnonzero(~chosen)
    left, right, weight = rows[cell], cols[cell], weight[cell]
    right = right + int(left.max(initial=0)) + 1
    nodes = int(right.max(initial=0)) + 1
    records: list[tuple[Ints, Ints]] = []  # hubs, which are distinct, and their cells
    at = np.arange(len(cell))
    while len(at):
        u, v = left[at], right[at]
        degree = np.bincount(u, minlength=nodes) + np.bincount(v, minlength=nodes)
        of_left = degree[u] == 1
        leaf = np.flatnonzero(of_left | (degree[v] == 1))
        hub = np.where(of_left, v, u)[leaf]
        gain, winner = np.zeros(nodes), np.full(nodes, -1)
        np.maximum.at(gain, hub, weight[leaf])
        best = weight[leaf] == gain[hub]
        winner[hub[best]] = at[leaf[best]]
        hubs = np.flatnonzero(winner >= 0)
        if len(hubs) * FEW < len(at):
            break
        records.append((hubs, winner[hubs]))
        weight = weight - gain[u] - gain[v]
        at, weight = at[weight > 0], weight[weight > 0]
    singles, rest, lowered = _one_by_one(left[at], right[at], weight)
    solved = at[rest[_solved(left[at[rest]], right[at[rest]], lowered)]]
    busy: Bools = np.zeros(nodes, np.bool_)
    busy[left[solved]] = busy[right[solved]] = True
    chosen[cell[solved]] = True
    for node, tip, place in reversed(singles):
        if not busy[node]:
            busy[node] = busy[tip] = chosen[cell[at[place]]] = True
    for hubs, recorded in reversed(records):
        free = recorded[~busy[hubs]]
        busy[left[free]] = busy[right[free]] = True
        chosen[cell[free]] = True
    return np.flatnonzero(chosen)


def _one_by_one(
    left: Ints, right: Ints, weight: Floats
) -> tuple[list[tuple[int, int, int]], Ints, Floats]:
    """Remove leaves one by one, which visits only a hub and its neighbours.

    Return the records (hub, leaf, position of the cell), and positions and weights of the rest.
    """
    near: defaultdict[int, dict[int, int]] = defaultdict(dict)
    weights = weight.tolist()
    for place, (u, v) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        near[u][v] = near[v][u] = place
    records = []
    leaves = deque(node for node, around in near.items() if len(around) == 1)
    while leaves:
        if len(near[tip := leaves.popleft()]) != 1:
            continue
        (hub,) = near[tip]
        around = list(near[hub].items())
        tips = (end for end in around if len(near[end[0]]) == 1)
        tip, best = max(tips, key=lambda end: weights[end[1]])
        records.append((hub, tip, best))
        gain = weights[best]
        for node, place in around:
            weights[place] -= gain
            if weights[place] <= 0:
                del near[hub][node], near[node][hub]
        leaves.extend(node for node in (hub, *dict(around)) if len(near[node]) == 1)
    rest = np.array(sorted({place for around in near.values() for place in around.values()}), int)
    return records, rest, np.array(weights)[rest]


def _solved(left: Ints, right: Ints, weight: Floats) -> Ints:
    """Return the positions of a best assignment of cells without leaves.

    They form connected components: simple cycles, and others, which are solved in batches.
    """
    if not len(weight):
        return np.array([], dtype=np.int64)
    # Slow imports, which are needed only if peeling leaves cells.
    from scipy.sparse import coo_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    size, ends = _numbered(np.concatenate([left, right]))
    left, right = np.split(ends, 2)
    graph = coo_array((np.ones(len(left)), (left, right)), shape=(size, size))
    of_node = connected_components(graph, directed=False)[1]
    component = of_node[left].astype(np.int64)
    sizes = np.bincount(component)
    is_cycle = sizes == np.bincount(of_node)  # as many cells as chains, and no leaf
    cycles, others = (np.flatnonzero(mask) for mask in (is_cycle[component], ~is_cycle[component]))
    chosen = [_of_cycles(left[cycles], right[cycles], weight[cycles], component[cycles], cycles)]
    sizes[is_cycle] = 0
    batch = ((np.cumsum(sizes) - sizes) // BATCH)[component[others]]
    order = np.argsort(batch, kind="stable")
    for one in np.split(order, np.flatnonzero(np.diff(batch[order])) + 1) if len(order) else ():
        cells = others[one]
        chosen.append(cells[_of_batch(left[cells], right[cells], weight[cells])])
    return np.concatenate(chosen)


def _numbered(nodes: Ints) -> tuple[int, Ints]:
    """Return the number of nodes, and the nodes renumbered from 0; csgraph needs 32 bits."""
    distinct, numbers = np.unique(nodes, return_inverse=True)
    return len(distinct), numbers.astype(np.int32)


def _of_batch(left: Ints, right: Ints, weight: Floats) -> Ints:
    """Return the positions of the cells of a best assignment.

    The solver assigns every row, so that each row gets an additional column that means "none".
    It does not accept zeros: 1 is added to all weights, which does not change the assignment.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # noqa: PLC0415

    (rows, row), (cols, col) = sorted((_numbered(left), _numbered(right)), key=lambda side: side[0])
    each = np.arange(rows, dtype=np.int32)
    ends = np.concatenate([row, each]), np.concatenate([col, each + np.int32(cols)])
    weights = np.concatenate([weight + 1, np.ones(rows)])
    matrix = csr_array((weights, ends), shape=(rows, cols + rows))
    assigned = min_weight_full_bipartite_matching(matrix, maximize=True)[1]
    return np.flatnonzero(assigned[row] == col)


def _of_cycles(left: Ints, right: Ints, weight: Floats, cycle: Ints, cells: Ints) -> Ints:
    """Return the ``cells`` of a best assignment of simple cycles, in linear time.

    A best assignment of a cycle either lacks its first cell, or has it and lacks both neighbours;
    each leaves a path.
    """
    across, back = (_other_cell(nodes) for nodes in (left, right))
    chosen: list[int] = []
    for first in np.unique(cycle, return_index=True)[1].tolist():
        order = [first, across[first]]
        while (at := back[order[-1]]) != first:
            order += [at, across[at]]
        values = weight[order].tolist()
        without = [place + 1 for place in _on_path(values[1:])]
        within = [0, *(place + 2 for place in _on_path(values[2:-1]))]
        better = fsum(values[n] for n in within) > fsum(values[n] for n in without)
        chosen += [order[n] for n in (within if better else without)]
    return cells[np.array(chosen, np.int64)]


def _other_cell(nodes: Ints) -> list[int]:
    """Return for each cell the other one of its node; each node has two."""
    order = np.argsort(nodes, kind="stable")
    other = np.empty(len(nodes), np.int64)
    other[order[0::2]], other[order[1::2]] = order[1::2], order[0::2]
    return other.tolist()


def _on_path(weights: Sequence[float]) -> list[int]:
    """Return the positions of a best assignment of a path.

    The gain of having cell i at all is max(0, w(i) − the gain of cell i − 1), which it excludes.
    Going back, a cell with a gain is taken, and then its neighbour is not.
    """
    gains = list(accumulate(weights, lambda gain, weight: max(weight - gain, 0.0)))
    taken, at = [], len(gains) - 1
    while at >= 0:
        if gains[at] > 0:
            taken.append(at)
            at -= 1
        at -= 1
    return taken

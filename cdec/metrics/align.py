"""The assignment problem of CEAF: the best one-to-one alignment of chains, exact and sparse.

A chain with one cell is a leaf. Let f be the best leaf of a chain v (the hub). There is a best
assignment in which v is assigned to f or to another neighbour with a heavier cell. Therefore:
record the cell (f, v), subtract its weight from the cells of v, remove those that become zero or
negative (those of the leaves of v are among them), and repeat while there are many leaves. The rest
is solved; then, in reverse, each recorded hub is assigned to its leaf unless it is already
assigned. For coreference about one cell in a hundred is left to the solver (Jonker and Volgenant).

Chains are numbered 0, 1, … over both sides together. The subtractions accumulate rounding errors,
but they only decide *which* cells are chosen: the caller sums the original weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from cdec.arrays import Bools, Floats, Ints

BATCH = 500
"""Cells per batch: the time of the solver is quadratic in it, but each call has an overhead."""
FEW = 16
"""If a sweep decides fewer than one cell in FEW, the rest is left to the solver."""
SMALL = 16
"""Cells of a component that is solved by trial, without the solver, which is slow to import."""
Cell: TypeAlias = tuple[int, int, float, int]
"""Left and right chain, weight, and position."""


def best_assignment(rows: Ints, cols: Ints, weight: Floats) -> Ints:
    """Return the positions of a maximum-weight one-to-one assignment, sorted.

    ``rows``, ``cols`` and ``weight`` (positive) are the cells of a sparse matrix, without
    duplicates.
    """
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
        if len(hubs) * FEW < len(at) and (len(at) > BATCH or not len(hubs)):
            break
        records.append((hubs, winner[hubs]))
        weight = weight - gain[u] - gain[v]
        at, weight = at[weight > 0], weight[weight > 0]
    busy: Bools = np.zeros(nodes, np.bool_)
    if len(at):
        solved = at[_solved(left[at], right[at], weight)]
        busy[left[solved]] = busy[right[solved]] = True
        chosen[cell[solved]] = True
    for hubs, recorded in reversed(records):
        free = recorded[~busy[hubs]]
        busy[left[free]] = busy[right[free]] = True
        chosen[cell[free]] = True
    return np.flatnonzero(chosen)


def _solved(left: Ints, right: Ints, weight: Floats) -> Ints:
    """Return the positions of a best assignment of cells, by connected components.

    A few small ones are solved by trial, others in batches by the solver. It assigns every row, so
    that each row gets an additional column that means "none". It does not accept zeros: 1 is added
    to all weights, which does not change the assignment.
    """
    if len(weight) <= BATCH:
        parts: dict[int, list[Cell]] = {}
        few = zip(left.tolist(), right.tolist(), weight.tolist(), range(len(left)), strict=True)
        for cell in few:
            one, other = (parts.get(end, []) for end in cell[:2])
            part = [*one, *(other if other is not one else ()), cell]
            parts |= dict.fromkeys((end for u, v, *_ in part for end in (u, v)), part)
        components = {id(part): part for part in parts.values()}.values()
        if max(map(len, components)) <= SMALL:
            return np.array([at for part in components for at in _by_trial(part)[1]], np.int64)
    # Slow imports, which few responses need.
    from scipy.sparse import coo_array, csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import (  # noqa: PLC0415
        connected_components,
        min_weight_full_bipartite_matching,
    )

    ends = np.unique(np.append(left, right), return_inverse=True)[1].astype(np.int32)
    here, there = np.split(ends, 2)
    graph = coo_array((np.ones(len(here)), (here, there)), shape=(ends.max() + 1,) * 2)
    component = connected_components(graph, directed=False)[1][here].astype(np.int64)
    sizes = np.bincount(component)
    batch = ((np.cumsum(sizes) - sizes) // BATCH)[component]
    order, chosen = np.argsort(batch, kind="stable"), []
    for cells in np.split(order, np.flatnonzero(np.diff(batch[order])) + 1):
        (rows, row), (cols, col) = (
            np.unique(side[cells], return_inverse=True) for side in (left, right)
        )
        none = np.arange(len(rows))
        at = (
            np.append(row, none).astype(np.int32),
            np.append(col, none + len(cols)).astype(np.int32),
        )
        weights = -np.append(weight[cells] + 1, np.ones(len(rows)))
        matrix = csr_array((weights, at), shape=(len(rows), len(cols) + len(rows)))
        assigned = min_weight_full_bipartite_matching(matrix)[1]
        chosen.append(cells[assigned[row] == col])
    return np.concatenate(chosen)


def _by_trial(cells: Sequence[Cell]) -> tuple[float, list[int]]:
    """Return weight and positions of a best assignment of very few cells."""
    if not cells:
        return 0.0, []
    (left, right, weight, at), *rest = cells
    total, chosen = _by_trial([cell for cell in rest if cell[0] != left and cell[1] != right])
    return max(_by_trial(rest), (total + weight, [at, *chosen]))

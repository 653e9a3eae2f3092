"""The assignment problem of CEAF: the best one-to-one alignment of chains, exact and sparse.

A chain with one cell is a leaf. Let f be the best leaf of a chain v (the hub). There is a best
assignment in which v is assigned to f or to another neighbour with a heavier cell. Therefore:
record the cell (f, v), subtract its weight from the cells of v, remove those that become zero or
negative (those of the leaves of v are among them), and repeat while there are many leaves. Other
cells are solved; then, in reverse, each recorded hub is assigned to its leaf unless it is already
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
"""If a sweep decides fewer than one cell in FEW, the remaining cells are left to the solver."""
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
    is_assigned = (np.bincount(rows)[rows] == 1) & (np.bincount(cols)[cols] == 1)
    cell = np.flatnonzero(~is_assigned)
    left = rows[cell]
    right = cols[cell] + int(left.max(initial=0)) + 1
    chains = int(right.max(initial=0)) + 1
    open_cells, open_weight, records = _sweep(left, right, weight[cell], chains)
    is_busy: Bools = np.zeros(chains, np.bool_)
    if len(open_cells):
        solution = open_cells[_solve(left[open_cells], right[open_cells], open_weight)]
        is_busy[left[solution]] = True
        is_busy[right[solution]] = True
        is_assigned[cell[solution]] = True
    for hubs, hub_cells in reversed(records):
        free = hub_cells[~is_busy[hubs]]
        is_busy[left[free]] = True
        is_busy[right[free]] = True
        is_assigned[cell[free]] = True
    return np.flatnonzero(is_assigned)


def _sweep(
    left: Ints, right: Ints, weight: Floats, chains: int
) -> tuple[Ints, Floats, list[tuple[Ints, Ints]]]:
    """Decide leaves in sweeps (see the top of this module), while a sweep decides many.

    Return the cells that remain, their weights, and the records of each sweep: hubs, which are
    distinct, and the cell of the best leaf of each.
    """
    records = []
    cells = np.arange(len(left))
    while len(cells):
        u = left[cells]
        v = right[cells]
        degree = np.bincount(u, minlength=chains) + np.bincount(v, minlength=chains)
        left_is_leaf = degree[u] == 1
        leaves = np.flatnonzero(left_is_leaf | (degree[v] == 1))
        hub = np.where(left_is_leaf, v, u)[leaves]
        highest = np.zeros(chains)
        np.maximum.at(highest, hub, weight[leaves])
        is_best = weight[leaves] == highest[hub]
        best_cell = np.full(chains, -1)
        best_cell[hub[is_best]] = cells[leaves[is_best]]
        hubs = np.flatnonzero(best_cell >= 0)
        decides_few = len(hubs) * FEW < len(cells)
        if decides_few and (len(cells) > BATCH or not len(hubs)):
            break
        records.append((hubs, best_cell[hubs]))
        weight = weight - highest[u] - highest[v]
        is_open = weight > 0
        cells = cells[is_open]
        weight = weight[is_open]
    return cells, weight, records


def _solve(left: Ints, right: Ints, weight: Floats) -> Ints:
    """Return the positions of a best assignment of cells, by connected components.

    A few small ones are solved by trial, others in batches by the solver.
    """
    if len(weight) <= BATCH:
        components = _components(left, right, weight)
        if max(map(len, components)) <= SMALL:
            positions = []
            for component in components:
                positions += _by_trial(component)[1]
            return np.array(positions, np.int64)
    return _by_solver(left, right, weight)


def _components(left: Ints, right: Ints, weight: Floats) -> list[list[Cell]]:
    """Return the connected components of a few cells."""
    component_of: dict[int, list[Cell]] = {}  # by chain
    cells = zip(
        left.tolist(), right.tolist(), weight.tolist(), range(len(left)), strict=True
    )
    for cell in cells:
        of_left = component_of.get(cell[0], [])
        of_right = component_of.get(cell[1], [])
        component = [*of_left]
        if of_right is not of_left:
            component += of_right
        component.append(cell)
        for u, v, *_ in component:
            component_of[u] = component
            component_of[v] = component
    return list(
        {id(component): component for component in component_of.values()}.values()
    )


def _by_trial(cells: Sequence[Cell]) -> tuple[float, list[int]]:
    """Return weight and positions of a best assignment of very few cells."""
    if not cells:
        return 0.0, []
    (left, right, weight, position), *others = cells
    without_first = _by_trial(others)
    compatible = [cell for cell in others if cell[0] != left and cell[1] != right]
    total, positions = _by_trial(compatible)
    with_first = (total + weight, [position, *positions])
    return max(without_first, with_first)


def _by_solver(left: Ints, right: Ints, weight: Floats) -> Ints:
    """Return the positions of a best assignment of cells, in batches of components.

    The solver assigns every row, so that each row gets an additional column that means "none". It
    does not accept zeros: 1 is added to all weights, which does not change the assignment.
    """
    # Slow imports, which few responses need.
    from scipy.sparse import coo_array, csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import (  # noqa: PLC0415
        connected_components,
        min_weight_full_bipartite_matching,
    )

    chain = np.unique(np.append(left, right), return_inverse=True)[1].astype(np.int32)
    left_node, right_node = np.split(chain, 2)
    nodes = chain.max() + 1
    graph = coo_array(
        (np.ones(len(left)), (left_node, right_node)), shape=(nodes, nodes)
    )
    _, component_of_node = connected_components(graph, directed=False)
    component = component_of_node[left_node].astype(np.int64)
    sizes = np.bincount(component)
    batch = ((np.cumsum(sizes) - sizes) // BATCH)[component]
    order = np.argsort(batch, kind="stable")
    borders = np.flatnonzero(np.diff(batch[order])) + 1
    positions = []
    for cells in np.split(order, borders):
        rows, row = np.unique(left[cells], return_inverse=True)
        cols, col = np.unique(right[cells], return_inverse=True)
        if len(rows) <= len(cols):
            is_best = _at_their_best(row, col, weight[cells])
        else:
            is_best = _at_their_best(col, row, weight[cells])
        if is_best.any():
            positions.append(cells[is_best])
            continue
        no_chain = np.arange(len(rows))
        matrix_rows = np.append(row, no_chain).astype(np.int32)
        matrix_cols = np.append(col, no_chain + len(cols)).astype(np.int32)
        costs = -np.append(weight[cells] + 1, np.ones(len(rows)))
        shape = (len(rows), len(cols) + len(rows))
        matrix = csr_array((costs, (matrix_rows, matrix_cols)), shape=shape)
        _, col_of_row = min_weight_full_bipartite_matching(matrix)
        positions.append(cells[col_of_row[row] == col])
    return np.concatenate(positions)


def _at_their_best(chain: Ints, other: Ints, weight: Floats) -> Bools:
    """Return which cells assign each chain to one of its heaviest cells; none if it is impossible.

    Such an assignment is a best one. Among ties it is found much faster than by the weights.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import maximum_bipartite_matching  # noqa: PLC0415

    highest = np.zeros(chain.max() + 1)
    np.maximum.at(highest, chain, weight)
    is_heaviest = weight == highest[chain]
    rows = chain[is_heaviest].astype(np.int32)  # as SciPy 1.13 needs them
    cols = other[is_heaviest].astype(np.int32)
    shape = (len(highest), other.max() + 1)
    graph = csr_array((np.ones(len(rows)), (rows, cols)), shape=shape)
    assigned = maximum_bipartite_matching(graph, perm_type="column")
    if (assigned < 0).any():
        return np.zeros(len(chain), np.bool_)
    is_best: Bools = is_heaviest & (assigned[chain] == other)
    return is_best

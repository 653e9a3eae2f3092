"""The assignment problem of CEAF: the best one-to-one alignment of chains, exact and sparse.

Its edges are the non-zero cells of a contingency, at most as many as there are mentions. Peeling
decides nearly all of them. The rest falls into connected components, which a sparse exact solver
(Jonker and Volgenant) takes in batches.

Lowering weights collects rounding errors, but it only decides *which* edges are used: the caller
sums their original weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from cdec.arrays import Floats, Ints
from cdec.metrics.peeling import Edges, peel

Index: TypeAlias = npt.NDArray[np.int32]

BATCH = 500
"""Edges in a batch: the solver's time grows with the square of it, its overhead shrinks."""


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

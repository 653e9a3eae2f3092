"""The best assignment of simple cycles, exact and in linear time.

What peeling leaves has no leaf. A component of it with as many edges as nodes is therefore a simple
cycle, and the general solver takes time quadratic in its length.

On a path of edges 0, 1, … let d(i) be the gain of having edge i at all: the best assignment of the
edges 0 to i minus that of 0 to i − 1. It is d(i) = max(0, w(i) − d(i − 1)), because edge i excludes
edge i − 1. Only differences are kept, so rounding errors do not add up over a long path. Going
back, edge i is taken if d(i) > 0, and then edge i − 1 is not. A best assignment of a cycle either
lacks its first edge or has it and lacks both neighbours; each leaves a path.
"""

from __future__ import annotations

from itertools import pairwise
from math import fsum

import numpy as np

from cdec.arrays import Floats, Ints


def best_on_cycles(left: Ints, right: Ints, weight: Floats, cycle: Ints) -> Ints:
    """Return the positions of the edges of a best assignment of simple cycles.

    ``cycle`` has the number of the cycle of each edge, 0, 1, …; ``left`` and ``right`` its nodes,
    which differ between the sides, and ``weight`` is positive.
    """
    order, starts = _walk(left, right, cycle)
    weights = weight[order].tolist()
    chosen: list[int] = []
    for start, stop in pairwise([*starts, len(order)]):
        without = _on_path(weights, start + 1, stop)
        within = [start, *_on_path(weights, start + 2, stop - 1)]
        totals = [fsum(weights[at] for at in edges) for edges in (without, within)]
        chosen.extend(within if totals[1] > totals[0] else without)
    return order[np.array(chosen, dtype=np.int64)]


def _walk(left: Ints, right: Ints, cycle: Ints) -> tuple[Ints, list[int]]:
    """Return the edges in the order of a walk around each cycle, and the start of each cycle."""
    over_left, over_right = _other_edge(left), _other_edge(right)
    first = np.unique(cycle, return_index=True)[1].tolist()
    order: list[int] = []
    starts: list[int] = []
    for start in first:
        starts.append(len(order))
        edge = start
        while True:
            across = over_left[edge]
            order.extend((edge, across))
            edge = over_right[across]
            if edge == start:
                break
    return np.array(order, dtype=np.int64), starts


def _other_edge(nodes: Ints) -> list[int]:
    """Return for each edge the other edge at its node; each node has two edges."""
    order = np.argsort(nodes, kind="stable")
    other = np.empty(len(nodes), dtype=np.int64)
    other[order[0::2]], other[order[1::2]] = order[1::2], order[0::2]
    return other.tolist()


def _on_path(weights: list[float], start: int, stop: int) -> list[int]:
    """Return the positions of a best assignment of the path of edges ``start`` to ``stop``."""
    gains: list[float] = []
    gain = 0.0
    for at in range(start, stop):
        gain = weights[at] - gain
        if gain < 0:
            gain = 0.0
        gains.append(gain)
    taken = []
    at = len(gains) - 1
    while at >= 0:
        if gains[at] > 0:
            taken.append(start + at)
            at -= 1
        at -= 1
    return taken

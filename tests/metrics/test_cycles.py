"""Simple cycles are solved by dynamic programming: against a dense assignment."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from cdec.arrays import Floats, Ints
from cdec.metrics.assignment import best_assignment


def rings(sizes: list[int], seed: int, weights: int) -> tuple[Ints, Ints, Floats]:
    """Cycles of ``sizes`` nodes on each side, with shuffled edges and numbers of nodes."""
    rng = np.random.default_rng(seed)
    bounds = np.cumsum([0, *sizes])
    spans = [np.arange(start, stop) for start, stop in pairwise(bounds)]
    first, second = np.concatenate(spans), np.concatenate([np.roll(span, 1) for span in spans])
    left, right = np.concatenate([first, first]), np.concatenate([first, second])
    order = rng.permutation(len(left))
    left, right = rng.permutation(bounds[-1])[left], rng.permutation(bounds[-1])[right]
    return left[order], right[order], rng.integers(1, weights, len(order)).astype(float)


@pytest.mark.parametrize("weights", [2, 3, 10, 1000])
@pytest.mark.parametrize("seed", range(40))
def test_as_good_as_a_dense_assignment(seed: int, weights: int) -> None:
    sizes = np.random.default_rng(seed).integers(2, 9, 1 + seed % 4).tolist()
    left, right, weight = rings(sizes, seed, weights)
    chosen = best_assignment(left, right, weight)
    assert len(set(left[chosen])) == len(set(right[chosen])) == len(chosen)
    matrix = np.zeros((sum(sizes), sum(sizes)))
    matrix[left, right] = weight
    best = matrix[linear_sum_assignment(matrix, maximize=True)].sum()
    assert weight[chosen].sum() == best


def test_a_long_cycle_needs_linear_time() -> None:
    left, right, weight = rings([50_000], 0, 100)
    chosen = best_assignment(left, right, weight)
    assert len(set(left[chosen])) == len(set(right[chosen])) == len(chosen)
    assert weight[chosen].sum() > weight.sum() / 2

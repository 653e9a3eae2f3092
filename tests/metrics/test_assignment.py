"""The sparse assignment is exact: equal to a dense solver and to known optima."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from cdec.arrays import Floats, Ints
from cdec.metrics import assignment, measure
from cdec.metrics.assignment import Edges, best_assignment, peel
from cdec.metrics.contingency import Contingency

Cells: TypeAlias = tuple[Ints, Ints, Floats]

SIMILARITIES: dict[str, Callable[[Contingency], Floats]] = {
    "ceafm": lambda c: c.overlap.astype(float),
    "ceafe": lambda c: 2 * c.overlap / (c.key_sizes[c.rows] + c.response_sizes[c.cols]),
}


def dense_best(rows: Ints, cols: Ints, weight: Floats) -> float:
    matrix = np.zeros((rows.max() + 1, cols.max() + 1)) if len(rows) else np.zeros((1, 1))
    matrix[rows, cols] = weight
    return float(matrix[linear_sum_assignment(matrix, maximize=True)].sum())


def assert_best(rows: Ints, cols: Ints, weight: Floats) -> None:
    chosen = best_assignment(rows, cols, weight)
    assert len(set(rows[chosen])) == len(set(cols[chosen])) == len(chosen)
    assert (np.diff(chosen) > 0).all()
    assert weight[chosen].sum() == pytest.approx(dense_best(rows, cols, weight), rel=1e-12)


def random_contingency(rng: np.random.Generator, mentions: int) -> Contingency:
    """Random chains, or a response that is the key with some mentions moved."""
    size = int(rng.integers(1, mentions))
    key = rng.integers(-1, int(rng.integers(1, size + 1)), size)
    if rng.random() < 0.5:
        return Contingency.from_labels(key, rng.integers(-1, int(rng.integers(1, size + 1)), size))
    moved = rng.random(size) < rng.random()
    return Contingency.from_labels(key, np.where(moved, rng.permutation(key), key))


@pytest.mark.parametrize("name", SIMILARITIES)
@pytest.mark.parametrize("seed", range(10))
def test_hundreds_of_small_contingencies(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(300):
        contingency = random_contingency(rng, 60)
        weight = SIMILARITIES[name](contingency)
        assert_best(contingency.rows, contingency.cols, weight)


@pytest.mark.parametrize("name", SIMILARITIES)
@pytest.mark.parametrize("seed", range(5))
def test_larger_contingencies(seed: int, name: str) -> None:
    rng = np.random.default_rng(100 + seed)
    for _ in range(6):
        contingency = random_contingency(rng, 3000)
        weight = SIMILARITIES[name](contingency)
        assert_best(contingency.rows, contingency.cols, weight)


@pytest.mark.parametrize("batch", [1, 40, 10**9])
def test_any_batch_size(monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr(assignment, "BATCH", batch)
    blocks = [np.random.default_rng(seed).integers(0, 4, (2, 30)) + 10 * seed for seed in range(9)]
    contingency = Contingency.from_labels(*np.concatenate(blocks, axis=1))
    assert_best(contingency.rows, contingency.cols, SIMILARITIES["ceafe"](contingency))


@st.composite
def sparse_matrices(draw: st.DrawFn) -> Cells:
    """Cells with any positive weights, many of them equal."""
    cells = draw(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40))
    weights = st.sampled_from([0.5, 1.0, 1 / 3, 2 / 3]) | st.floats(1e-6, 1e6)
    weight = draw(st.lists(weights, min_size=len(cells), max_size=len(cells)))
    rows, cols = np.array(sorted(cells), dtype=np.int64).reshape(-1, 2).T
    return rows, cols, np.array(weight)


@given(sparse_matrices())
def test_any_weights(cells: Cells) -> None:
    assert_best(*cells)


@pytest.mark.parametrize("few", [0, 10**9], ids=["one-by-one", "in-sweeps"])
@given(cells=sparse_matrices())
def test_both_ways_of_peeling_leave_no_leaf_and_lose_no_weight(few: int, cells: Cells) -> None:
    rows, cols, weight = cells
    edges = Edges(rows, cols + 10, weight, np.arange(len(weight)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "FEW", few)
        rest = peel(edges, nodes=20).rest
        assert 1 not in np.bincount(np.concatenate([rest.left, rest.right]))
        assert_best(*cells)


def test_one_sweep_assigns_each_star_to_its_heaviest_leaf() -> None:
    cells = np.arange(40)
    peeled = peel(
        Edges(cells // 4, cells + 10, (1 + cells % 4).astype(np.float64), cells), nodes=50
    )
    assert [notes.cell.tolist() for notes in peeled.sweeps] == [list(range(3, 40, 4))]
    assert (peeled.singles, len(peeled.rest.cell)) == ([], 0)


def test_two_heavy_edges_beat_three_light_ones() -> None:
    """A cycle of six nodes: nothing is peeled, and the third row has no column."""
    rows, cols = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 1, 2, 0, 2])
    weight = np.array([1, 0.4, 0.4, 1, 0.4, 0.4])
    assert best_assignment(rows, cols, weight).tolist() == [0, 3]


@pytest.mark.parametrize("tail", [1, 2, 3, 7, 8, 50])
def test_star_of_paths(tail: int) -> None:
    """Paths of different lengths from one chain: leaves appear at every depth."""
    cells = []
    for arm in range(1, tail + 1):
        base = 1000 * arm
        cells += [(0, base), *((base + (s - 1) // 2, base + s // 2) for s in range(1, arm))]
    rows, cols = (np.unique(side, return_inverse=True)[1] for side in zip(*cells, strict=True))
    assert_best(rows, cols, 1 + np.arange(len(cells)) % 5 / 7)


def shifted(mentions: int, size: int) -> Contingency:
    """Chains of ``size``, and the same shifted by one mention."""
    numbers = np.arange(mentions)
    return Contingency.from_labels(numbers // size, (numbers + 1) // size)


def test_a_long_path_does_not_drift() -> None:
    """n mentions in pairs, shifted by one: 2/3 at both ends, 1/2 for the others."""
    pairs = 25_000
    counts = measure(shifted(2 * pairs, 2), ["ceafe", "ceafm"])
    assert counts["ceafe"].p_num == pytest.approx(4 / 3 + (pairs - 2) / 2, rel=1e-13)
    assert counts["ceafm"].p_num == pairs


def test_a_long_path_of_triples() -> None:
    """Each triple shares two mentions with the next chain, and is aligned with it."""
    triples = 20_000
    assert measure(shifted(3 * triples, 3), ["ceafm"])["ceafm"].p_num == 2 * triples


def test_a_long_cycle() -> None:
    """No leaves: pairs shifted by one, the last mention paired with the first."""
    numbers = np.arange(20_000)
    contingency = Contingency.from_labels(numbers // 2, (numbers + 1) % 20_000 // 2)
    assert measure(contingency, ["ceafe"])["ceafe"].p_num == pytest.approx(5_000, rel=1e-13)


def test_no_cells() -> None:
    nothing = np.array([], dtype=np.int64)
    assert best_assignment(nothing, nothing, nothing.astype(float)).tolist() == []

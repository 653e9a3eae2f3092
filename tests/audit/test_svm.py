"""The anchored SVM: both forms, and both against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC

from cdec.auditing import Anchored, anchored

Problem = tuple[np.ndarray, np.ndarray]


def problem(seed: int, size: int = 40, width: int = 3, noise: float = 0.2) -> Problem:
    """Points of two classes, some with wrong labels, and a constant column."""
    rng = np.random.default_rng(seed)
    x = np.hstack([rng.normal(size=(size, width)), np.ones((size, 1))])
    linked = (x[:, 0] + x[:, -1] / 2 > 0) ^ (rng.random(size) < noise)
    return x, linked


def anchored_explicit(x: np.ndarray, linked: np.ndarray, cost: float) -> Anchored:
    """Return the anchored SVM with explicit anchor columns, by its definition."""
    extended = csr_array(np.hstack([x.astype(np.float64), np.eye(len(x))]))
    model = LinearSVC(
        loss="hinge", C=cost, fit_intercept=False, tol=1e-10, max_iter=10_000_000, random_state=0
    )
    weights = model.fit(extended, linked).coef_[0]
    return Anchored(weights[: x.shape[1]], np.abs(weights[x.shape[1] :]))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("cost", [100.0, 0.7])
def test_the_slack_equals_the_weight_of_an_explicit_anchor(seed: int, cost: float) -> None:
    x, linked = problem(seed)
    fast, explicit = anchored(x, linked, cost), anchored_explicit(x, linked, cost)
    np.testing.assert_allclose(fast.anchors, explicit.anchors, atol=1e-5)
    np.testing.assert_allclose(fast.weights, explicit.weights, atol=1e-5)
    assert fast.anchors.max() > 0.5


def test_a_low_cost_caps_the_anchors() -> None:
    x, linked = problem(1)
    assert anchored(x, linked, 0.7).anchors.max() == 0.7
    assert anchored(x, linked).anchors.max() > 0.7


@pytest.mark.parametrize("seed", range(3))
def test_a_high_cost_is_liblinear_s_squared_hinge_with_half_the_cost(seed: int) -> None:
    x, linked = problem(seed, size=200)
    peer = LinearSVC(
        loss="squared_hinge", C=0.5, dual=True, fit_intercept=False, tol=1e-10, max_iter=1_000_000
    )
    np.testing.assert_allclose(anchored(x, linked).weights, peer.fit(x, linked).coef_[0], atol=1e-6)


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_the_solution_is_the_minimum(seed: int) -> None:
    x, linked = problem(seed, size=25)
    signs = np.where(linked, 1, -1)

    def value(weights: np.ndarray) -> float:
        slack = np.maximum(0, 1 - signs * (x @ weights))
        return float(weights @ weights / 2 + (slack**2).sum() / 2)

    best = anchored(x, linked).weights
    rng = np.random.default_rng(seed)
    for _ in range(10):
        assert value(best) <= value(best + rng.normal(size=best.size) * 0.01)


def test_blocks_of_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    x, linked = problem(3, size=100)
    whole = anchored(x, linked)
    monkeypatch.setattr("cdec.auditing.detectors.svm._ROWS", 7)
    np.testing.assert_allclose(anchored(x, linked).anchors, whole.anchors, atol=1e-9)


def test_a_mislabelled_point_has_the_largest_anchor() -> None:
    x = np.array([[2.0, 1], [1.8, 1], [2.2, 1], [-2, 1], [-1.8, 1], [-2.2, 1], [2.1, 1]])
    linked = np.array([True, True, True, False, False, False, False])
    assert anchored(x, linked).anchors.argmax() == 6


def test_a_cost_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="cost"):
        anchored(*problem(0), cost=0)

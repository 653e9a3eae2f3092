"""Intervals: worked examples, scipy's BCa as a reference, and properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap, norm, t

from cdec.statistics import Plan, bca, centred, drawn, percentile

MANY = 10**9
"""Enough units for Student's quantiles to equal the normal ones."""


def test_percentiles_of_many_units_are_not_widened() -> None:
    replicates = np.random.default_rng(1).normal(size=(5000, 2))
    expected = np.quantile(replicates, [0.05, 0.95], axis=0)
    assert percentile(replicates, MANY, 0.9) == pytest.approx(expected, abs=1e-6)


def test_percentiles_of_few_units_are_those_of_hesterberg() -> None:
    # n = 20: Φ(√(20/19) · t₁₉(0.025)) = 0.0159, instead of 0.025.
    level = norm.cdf(np.sqrt(20 / 19) * t.ppf(0.025, 19))
    assert level == pytest.approx(0.0159, abs=1e-4)
    replicates = np.arange(10_001.0)[:, None]
    low, high = percentile(replicates, 20, 0.95)
    assert (low[0], high[0]) == pytest.approx((10_000 * level, 10_000 * (1 - level)))


def test_bca_equals_scipy() -> None:
    sample = np.random.default_rng(2).exponential(size=40)
    weights = np.random.default_rng(3).multinomial(40, np.full(40, 1 / 40), size=20_000)
    jackknife = (1 - np.eye(40)) @ sample / 39
    means, score = (weights @ sample / 40)[:, None], sample.mean(keepdims=True)
    low, high = bca(means, score, jackknife[:, None], MANY, 0.95)
    expected = bootstrap((sample,), np.mean, n_resamples=20_000, rng=4, method="BCa")
    assert (low[0], high[0]) == pytest.approx(tuple(expected.confidence_interval), abs=0.02)


def test_bca_of_a_symmetric_case_is_the_percentile_interval() -> None:
    replicates = norm.ppf((np.arange(2000) + 0.5) / 2000)[:, None]
    jackknife = np.array([[-1.0], [1.0]])
    assert bca(replicates, np.zeros(1), jackknife, MANY, 0.95) == pytest.approx(
        percentile(replicates, MANY, 0.95), abs=1e-6
    )


def test_a_constant_score_has_an_interval_of_one_point() -> None:
    same = np.full((100, 1), 0.25)
    plain = percentile(same, 5, 0.95)
    corrected = bca(same, same[0], np.full((5, 1), 0.25), 5, 0.95)
    assert plain[:, 0].tolist() == corrected[:, 0].tolist() == [0.25, 0.25]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30), st.floats(0, 1))
def test_centred_replicates_are_scores_in_the_same_order(
    numbers: list[float], estimate: float
) -> None:
    replicates = np.sort(np.array(numbers))[:, None]
    shifted = centred(replicates, np.array([estimate]))
    assert (shifted >= 0).all()
    assert (shifted <= 1).all()
    assert (np.diff(shifted, axis=0) >= 0).all()


@given(st.lists(st.floats(1e-6, 1 - 1e-6), min_size=2, max_size=30), st.floats(1e-9, 1 - 1e-9))
def test_centred_replicates_have_the_score_as_their_mean(
    numbers: list[float], estimate: float
) -> None:
    replicates = np.array(numbers)[:, None]
    assert centred(replicates, np.array([estimate])).mean() == pytest.approx(estimate)


def test_replicates_that_cannot_reach_the_score_come_as_near_as_possible() -> None:
    replicates = np.array([[0.0], [0.0], [0.5]])
    assert centred(replicates, np.array([0.9])) == pytest.approx(np.array([[0], [0], [1]]))


def test_the_size_of_a_resample_is_the_number_of_units() -> None:
    weights = drawn(7, Plan(resamples=500))
    assert weights.shape == (500, 7)
    assert (weights.sum(axis=1) == 7).all()
    assert weights.mean() == pytest.approx(1)
    assert (weights == drawn(7, Plan(resamples=500))).all()
    assert (weights != drawn(7, Plan(resamples=500, seed=1))).any()

"""A resample equals the slow reference, which builds every copy of every mention."""

import numpy as np
import pytest
from hypothesis import given

from cdec.metrics import METRICS, derive, measure
from cdec.metrics.contingency import Contingency
from cdec.statistics import Copies, tally, values
from cdec.statistics.bootstrap import tallies
from tests.statistics.brute import Case, materialised, sampled


def copies(key: list[int], response: list[int], meta: list[int], unit: list[int]) -> Copies:
    arrays = [np.array(labels, dtype=np.int64) for labels in (meta, key, response, unit)]
    return Copies.from_labels(*arrays)


@given(sampled())
def test_counts_equal_the_slow_reference(case: Case) -> None:
    key, response, meta, unit, weights = case
    expected = measure(materialised(*case))
    result = measure(copies(key, response, meta, unit).contingency(np.array(weights)))
    for name, counts in expected.items():
        for field in ("p_num", "p_den", "r_num", "r_den"):
            assert getattr(result[name], field) == pytest.approx(getattr(counts, field)), name


@given(sampled())
def test_every_unit_once_is_the_corpus_itself(case: Case) -> None:
    key, response, meta, unit, weights = case
    once = copies(key, response, meta, unit).contingency(np.ones(len(weights), dtype=np.int64))
    whole = Contingency.from_labels(
        np.array(key, dtype=np.int64), np.array(response, dtype=np.int64), np.array(meta, int)
    )
    names = list(METRICS)
    assert tally(once, names) == pytest.approx(tally(whole, names))


@given(sampled())
def test_a_perfect_response_is_perfect_in_every_resample(case: Case) -> None:
    key, _, meta, unit, weights = case
    contingency = copies(key, key, meta, unit).contingency(np.array(weights))
    for counts in measure(contingency).values():
        assert (counts.p_num, counts.r_num) == pytest.approx((counts.p_den, counts.r_den))


@given(sampled())
def test_counts_of_units_add_if_no_meta_document_spans_units(case: Case) -> None:
    key, response, meta, unit, weights = case
    sides = copies(key, response, meta, unit)
    names = list(METRICS)
    if not sides.joint:
        by_sum = tallies(sides, np.array([weights]), names)[0]
        assert by_sum == pytest.approx(tally(sides.contingency(np.array(weights)), names))


@given(sampled())
def test_values_of_arrays_are_the_values_of_counts(case: Case) -> None:
    contingency = materialised(*case)
    expected = derive(measure(contingency))
    names = list(METRICS)
    result = values(tally(contingency, names), names, list(expected))
    for row, value in zip(result, expected.values(), strict=True):
        known = [np.nan if part is None else part for part in value]
        assert row == pytest.approx(known, nan_ok=True)


def test_wrong_links_across_units_are_weighted_by_both_units() -> None:
    # Two topics with one mention each, joined by the response: 3 × 2 copies give 6 wrong
    # links across topics, and 3 + 1 between copies of the same topic.
    sides = copies([0, 1], [0, 0], [0, 0], [0, 1])
    assert measure(sides.contingency(np.array([3, 2])))["blanc_coref"].p_den == 10
    assert measure(sides.contingency(np.array([3, 0])))["blanc_coref"].p_den == 0

"""A resample of units is what one gets by writing out every copy of every mention."""

import numpy as np
import pytest
from hypothesis import given

from cdec.metrics import METRICS, derive, measure
from cdec.metrics.contingency import Contingency
from cdec.statistics.bootstrap import tallies
from cdec.statistics.copies import Copies
from cdec.statistics.tallies import tally, values
from tests.statistics.brute import Case, materialised, sampled


def copies(key: list[int], response: list[int], meta: list[int], unit: list[int]) -> Copies:
    arrays = [np.array(labels, dtype=np.int64) for labels in (meta, key, response, unit)]
    return Copies.from_labels(*arrays)


@given(sampled())
def test_every_metric_counts_what_the_written_out_copies_count(case: Case) -> None:
    key, response, meta, unit, weights = case
    expected = measure(materialised(*case))
    found = measure(copies(key, response, meta, unit).contingency(np.array(weights)))
    for name, counts in expected.items():
        for field in ("p_num", "p_den", "r_num", "r_den"):
            assert getattr(found[name], field) == pytest.approx(getattr(counts, field)), name


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
def test_counts_of_units_add_where_no_meta_document_spans_them(case: Case) -> None:
    key, response, meta, unit, weights = case
    made = copies(key, response, meta, unit)
    names = list(METRICS)
    if not made.joint:
        by_sum = tallies(made, np.array([weights]), names)[0]
        assert by_sum == pytest.approx(tally(made.contingency(np.array(weights)), names))


@given(sampled())
def test_values_of_arrays_are_the_values_of_counts(case: Case) -> None:
    contingency = materialised(*case)
    expected = derive(measure(contingency))
    names = list(METRICS)
    found = values(tally(contingency, names), names, list(expected))
    for row, value in zip(found, expected.values(), strict=True):
        known = [np.nan if part is None else part for part in value]
        assert row == pytest.approx(known, nan_ok=True)


def test_wrong_links_across_units_weigh_as_often_as_both_are_drawn() -> None:
    # Two topics with one mention each, joined by the response: 3 × 2 copies are 6 wrong links
    # across, and the chain that holds them links the copies of one topic, too: 3 + 1.
    made = copies([0, 1], [0, 0], [0, 0], [0, 1])
    assert measure(made.contingency(np.array([3, 2])))["blanc_coref"].p_den == 10
    assert measure(made.contingency(np.array([3, 0])))["blanc_coref"].p_den == 0

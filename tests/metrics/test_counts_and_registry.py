"""Counts, derived values, and the registry of metrics."""

import pytest

from cdec.metrics import ALL, DERIVED, METRICS, Counts, Value, derive, measure, required
from cdec.metrics.contingency import Contingency
from tests.refusals import refused


def test_counts_are_summed_before_dividing() -> None:
    total = Counts(1, 2, 1, 4) + Counts(2, 2, 2, 4)
    assert total == Counts(3, 4, 3, 8)
    assert (total.precision, total.recall) == (3 / 4, 3 / 8)
    assert total.f1 == 2 * (3 / 4) * (3 / 8) / (3 / 4 + 3 / 8)


def test_sum_of_no_counts_is_zero_and_scores_zero() -> None:
    empty = Counts.sum([])
    assert empty == Counts(0, 0, 0, 0)
    assert (empty.precision, empty.recall, empty.f1) == (0, 0, 0)


def test_counts_are_immutable() -> None:
    with pytest.raises(AttributeError):
        setattr(Counts(1, 1, 1, 1), "p_num", 2)  # noqa: B010 (the type checker forbids it)


def test_order_of_the_results() -> None:
    assert list(ALL) == [
        *("muc", "b3", "ceafm", "ceafe", "blanc_coref", "blanc_noncoref", "blanc"),
        *("lea", "conll", "avg4"),
    ]
    assert {*METRICS, *DERIVED} == set(ALL)
    assert not METRICS.keys() & DERIVED.keys()


def test_every_metric_has_a_label_and_a_citation() -> None:
    labels = [metric.label for metric in ALL.values()]
    assert labels == [
        *("MUC", "B³", "CEAF_m", "CEAF_e", "BLANC PW", "BLANC PWN", "BLANC F"),
        *("LEA", "CoNLL", "Avg-4"),
    ]
    assert all(metric.citation for metric in ALL.values())


def test_measure_counts_the_needs_of_a_mean() -> None:
    contingency = Contingency.from_labels([0, 0, 1], [0, 1, 1])
    assert list(measure(contingency)) == list(METRICS)
    assert list(measure(contingency, ["conll"])) == ["muc", "b3", "ceafe"]
    assert list(measure(contingency, ["blanc", "muc"])) == ["muc", "blanc_coref", "blanc_noncoref"]
    assert required([]) == []


def test_an_unknown_metric_gets_a_suggestion() -> None:
    with refused("name-unknown", "unknown metric", "'ceafe'"):
        required(["ceaf_e"])


def test_derive_omits_metrics_without_counts() -> None:
    counts = measure(Contingency.from_labels([0, 0, 1], [0, 1, 1]), ["conll", "blanc_coref"])
    values = derive(counts)
    assert list(values) == ["muc", "b3", "ceafe", "blanc_coref", "conll"]
    f1 = [values[name].f1 for name in ("muc", "b3", "ceafe")]
    assert values["conll"] == Value(None, None, sum(f1) / 3)

"""Metrics of label arrays: the same numbers as by contingency, and no silent reading of −1."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from cdec import metrics
from cdec.metrics import Contingency, derive, measure, score_labels
from tests.refusals import refused
from tests.strategies import LabelPair, LabelTriple, label_pairs, label_triples

FLOATS = ("muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll")
KEY, RESPONSE = [1, 1, 1, 2], ["a", "a", "b", "b"]


@given(pair=label_pairs(twinless=False))
def test_a_function_is_the_metric_of_its_name(pair: LabelPair) -> None:
    expected = derive(measure(Contingency.from_labels(*pair)))
    for name in FLOATS:
        assert getattr(metrics, name)(*pair) == expected[name].f1


@given(triple=label_triples())
def test_meta_documents_and_absent_mentions_are_those_of_the_contingency(
    triple: LabelTriple,
) -> None:
    key, response, meta = triple
    expected = derive(measure(Contingency.from_labels(key, response, meta)))
    assert score_labels(key, response, meta=meta, noise="absent").values == expected


@pytest.mark.parametrize(
    "convert",
    [list, tuple, np.array, pd.Series, pd.Categorical, lambda x: pd.Series(x, dtype="Int64")],
)
def test_any_array_will_do(convert) -> None:  # type: ignore[no-untyped-def]
    assert metrics.conll(convert(KEY), convert([5, 5, 6, 6])) == metrics.conll(KEY, RESPONSE)


def test_an_object_with_the_array_protocol_is_an_array() -> None:
    class Tensor:
        def __init__(self, values: list[int]) -> None:
            self.values = values

        def __len__(self) -> int:
            return len(self.values)

        def __array__(self, dtype: object = None, copy: bool | None = None) -> np.ndarray:
            return np.array(self.values)

    assert metrics.b3(Tensor(KEY), Tensor(KEY)) == 1.0  # type: ignore[arg-type]


def test_precision_and_recall() -> None:
    assert metrics.b3(KEY, RESPONSE, value="precision") == 0.75
    assert metrics.b3(KEY, RESPONSE, value="recall") == pytest.approx((5 / 3 + 1) / 4)


@pytest.mark.parametrize("labels", [[3, -1, -1], np.array([3, -1, -1]), pd.array([3, -1, -1])])
def test_minus_one_is_refused_or_has_one_of_two_meanings(
    labels: metrics.contingency.Labels,
) -> None:
    with refused("label-ambiguous", "2 mentions"):
        metrics.b3([1, 1, 2], labels)
    assert metrics.b3([1, 2, 3], labels, noise="singleton") == 1.0
    assert metrics.b3([1, 2, 3], labels, noise="absent", value="recall") == pytest.approx(1 / 3)


def test_minus_one_as_text_or_float_and_missing_labels() -> None:
    assert metrics.b3(["-1", "-1"], ["x", "x"]) == 1.0
    assert metrics.b3([1, 1], ["x", None], value="recall") == pytest.approx(1 / 4)
    assert metrics.b3([1, 1], [1.0, np.nan], value="recall") == pytest.approx(1 / 4)


def test_no_mention_scores_zero() -> None:
    assert metrics.conll([], []) == 0.0


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("labels-misaligned", lambda: metrics.muc([1], [1, 1])),
        ("labels-misaligned", lambda: metrics.muc(pd.Series([1]), pd.Series([1], index=["a"]))),
        ("labels-not-flat", lambda: metrics.muc(np.ones((2, 2)), np.ones((2, 2)))),
        ("noise-treatment-unknown", lambda: metrics.muc([1], [1], noise="drop")),  # type: ignore[arg-type]
        ("value-unknown", lambda: metrics.muc([1], [1], value="f2")),  # type: ignore[arg-type]
        ("metric-unknown", lambda: score_labels([1], [1], ["muck"])),
        ("meta-document-missing", lambda: metrics.muc([1], [1], meta=[None])),
    ],
)
def test_what_is_refused(code: str, call) -> None:  # type: ignore[no-untyped-def]
    with refused(code):
        call()

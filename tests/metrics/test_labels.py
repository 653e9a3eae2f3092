"""Metrics of label arrays: the same numbers as by contingency, and no silent reading of −1."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from cdec import Clustering, metrics
from cdec.metadocument import MetaDocuments
from cdec.metrics import Contingency, derive, measure, score_labels
from cdec.metrics.arguments import Labels
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


NOISY = [3, -1, -1]
NESTED: Any = [[1, 2], [3]]


@pytest.mark.parametrize(
    "labels",
    [
        NOISY,
        np.array(NOISY),
        pd.array(NOISY),
        np.array(NOISY, float),
        np.array(NOISY, object),
        [3, Decimal(-1), -1.0],
        ["a", -1, -1],
        pd.Categorical(NOISY),
        *(pd.Series(NOISY, dtype=kind) for kind in ("Int64", float, object, "category")),
        pd.Series(NOISY, dtype=pd.SparseDtype(int)),
    ],
)
def test_minus_one_is_refused_or_has_one_of_two_meanings(
    labels: Labels,
) -> None:
    with refused("label-ambiguous", "2 mentions"):
        metrics.b3([1, 1, 2], labels)
    assert metrics.b3([1, 2, 3], labels, noise="singleton") == 1.0
    assert metrics.b3([1, 2, 3], labels, noise="absent", value="recall") == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    "labels",
    [[3, -1, -1, None], pd.array([3, -1, -1, None]), pd.Series([3, -1, -1, None], dtype=object)],
)
def test_minus_one_beside_a_missing_label(labels: Labels) -> None:
    with refused("label-ambiguous", "2 mentions"):
        metrics.b3([1, 2, 3, 4], labels)
    recall = metrics.b3([1, 2, 3, 4], labels, noise="singleton", value="recall")
    assert recall == pytest.approx(3 / 4)
    assert metrics.b3([1, 2, 3, 4], labels, noise="absent", value="recall") == pytest.approx(1 / 4)


def test_noise_has_one_meaning_in_arrays_of_all_types() -> None:
    for noise in ("singleton", "absent"):
        expected = metrics.conll([1, 1, 2, 2], [0, 0, -1, -1], noise=noise)
        for kind in (object, float, "category", "Int64"):
            series = pd.Series([0, 0, -1, -1], dtype=kind)
            assert metrics.conll([1, 1, 2, 2], series, noise=noise) == expected


def test_large_labels_stay_distinct_beside_a_missing_one() -> None:
    labels = [2**53, 2**53 + 1, None]
    assert metrics.b3([1, 2, None], labels) == 1.0


@pytest.mark.parametrize("label", ["-1", "", "nan", "None"])
def test_no_chain_as_text(label: str) -> None:
    with refused("label-ambiguous", "2 mentions"):
        metrics.b3([label, label], ["x", "x"])
    assert metrics.b3([label, label], ["x", "x"], noise="singleton", value="precision") == 0.5


def test_missing_labels() -> None:
    assert metrics.b3([1, 1], ["x", None], value="recall") == pytest.approx(1 / 4)
    assert metrics.b3([1, 1], [1.0, np.nan], value="recall") == pytest.approx(1 / 4)


def test_no_mention_scores_zero() -> None:
    assert metrics.conll([], []) == 0.0


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("argument-type", lambda: metrics.muc([1], [1, 1])),
        ("argument-type", lambda: metrics.muc(pd.Series([1]), pd.Series([1], index=["a"]))),
        ("argument-type", lambda: metrics.muc(np.ones((2, 2)), np.ones((2, 2)))),
        ("name-unknown", lambda: metrics.muc([1], [1], noise="drop")),  # type: ignore[arg-type]
        ("name-unknown", lambda: metrics.muc([1], [1], value="f2")),  # type: ignore[arg-type]
        ("name-unknown", lambda: score_labels([1], [1], ["muck"])),
        ("argument-type", lambda: metrics.muc([1], [1], meta=[None])),
        ("argument-type", lambda: metrics.muc(NESTED, NESTED)),
        ("argument-type", lambda: metrics.muc([1, 1], pd.Series(NESTED))),
        ("argument-type", lambda: metrics.muc([1, 1], [1, 1], meta=NESTED)),
        ("argument-type", lambda: Contingency.from_labels(NESTED, [1, 2])),
        ("argument-type", lambda: metrics.muc([{1}, {2}], [1, 2])),  # type: ignore[list-item]
        ("argument-type", lambda: metrics.muc([1], [1], noise=True)),  # type: ignore[arg-type]
        ("argument-type", lambda: metrics.muc([1], [1], value=1)),  # type: ignore[arg-type]
        ("argument-type", lambda: score_labels([1], [1], [None])),  # type: ignore[list-item]
        ("argument-type", lambda: score_labels([1], [1], 1)),  # type: ignore[arg-type]
        ("argument-type", lambda: score_labels([1], [1], [["b3"]])),  # type: ignore[list-item]
        ("name-unknown", lambda: score_labels([1], [1], "muck")),
    ],
)
def test_what_is_refused(code: str, call) -> None:  # type: ignore[no-untyped-def]
    with refused(code) as caught:
        call()
    assert code.endswith(("unknown", "missing")) or caught.value.hint


@pytest.mark.parametrize(
    "labels",
    [
        *({"a": 1, "b": 2}, {"a", "b"}, "ab", b"ab", None, 2, np.float64(2), np.array(2)),
        *({"a": 1, "b": 2}.keys(), Clustering.from_labels({"a": 1, "b": 2}), iter([1, 2])),
    ],
)
def test_what_is_no_array_is_refused(labels: Any) -> None:
    for call in (metrics.b3, score_labels, Contingency.from_labels):
        for arguments in ((labels, [1, 1]), ([1, 1], labels), (labels, labels)):
            with refused("argument-type") as caught:
                call(*arguments)
            assert caught.value.hint
    if labels is not None:
        with refused("argument-type"):
            metrics.b3([1, 1], [1, 1], meta=labels)


@pytest.mark.parametrize("chains", [{"a": 1}, Clustering.from_labels({"a": 1})])
def test_for_chains_by_mention_the_hint_names_other_functions(chains: Any) -> None:
    with refused("argument-type", "cdec.score", "cdec.evaluate"):
        metrics.b3(chains, chains)


def test_one_metric_is_named_without_a_list() -> None:
    assert score_labels(KEY, RESPONSE, "b3").metrics == ("b3",)
    shares = metrics.mention_contributions(KEY, RESPONSE, "b3")
    assert shares["metric"].unique().tolist() == ["b3"]
    table = pd.DataFrame({"meta": "m", "key": KEY, "response": RESPONSE})
    assert metrics.score(MetaDocuments(table), "b3").metrics == ("b3",)

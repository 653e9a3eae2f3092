"""Metrics of other packages: found by id, checked, and in no table that did not ask for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cdec import score as score_pair
from cdec.errors import PluginError, UnknownNameError, UsageError
from cdec.metrics import ALL, REGISTRY, Value, measure, ordered, required
from cdec.metrics.contingency import Contingency
from cdec.metrics.scores import check_names, score
from tests.pages import view_of
from tests.plugin_packages import installed
from tests.strategies import meta_documents_of

KEY, RESPONSE = [0, 0, 1, 1, 2], [0, 0, 1, 2, 2]


@pytest.fixture(autouse=True)
def package(tmp_path: Path) -> Iterator[None]:
    with installed(tmp_path):
        yield


def test_found_by_id_and_where_it_comes_from() -> None:
    assert REGISTRY["exact"].label == "Exact"
    assert str(REGISTRY.origin("exact")) == "extra-1.2"
    assert REGISTRY["muc"] is ALL["muc"]
    assert REGISTRY.origin("muc") is None


def test_all_means_those_of_cdec() -> None:
    documents = meta_documents_of(KEY, RESPONSE, [0] * 5)
    assert "exact" not in ALL
    assert list(score(documents).values) == list(ordered()) == list(ALL)
    assert "exact" not in measure(Contingency.from_labels(KEY, RESPONSE))


def test_results_are_in_the_order_of_cdec_then_as_asked() -> None:
    asked = ["min", "conll", "exact", "muc"]
    documents = meta_documents_of(KEY, RESPONSE, [0] * 5)
    assert list(score(documents, asked).values) == ["muc", "conll", "min", "exact"]
    assert required(asked) == ["muc", "b3", "ceafe", "exact"]


def test_scored_as_it_says() -> None:
    scores = score(meta_documents_of(KEY, RESPONSE, [0] * 5), ["min", "best", "muc", "b3", "exact"])
    assert scores["exact"] == Value(1 / 3, 1 / 3, 1 / 3)
    assert scores["min"].f1 == min(scores["muc"].f1, scores["b3"].f1) > 0
    assert scores["best"] == Value(1 / 3, scores["b3"].recall, 1 / 3)


def test_in_the_tables_under_its_label() -> None:
    results = score_pair({"a": 1, "b": 1}, {"a": 1, "b": 1}, metrics=["min", "muc"])
    assert results["min"].f1 == 1
    assert list(view_of(results.page).columns[-1]) == ["Min", "F"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("number", "expected a Metric or DerivedMetric, got int"),
        ("other", "its id is 'exact'"),
        ("lost", "it needs none, which is not installed"),
    ],
)
def test_what_cannot_be_a_metric_is_refused(name: str, said: str) -> None:
    with pytest.raises(
        PluginError, match=f"the metric '{name}' of extra-1.2 cannot be used.*{said}"
    ):
        score(meta_documents_of(KEY, RESPONSE, [0] * 5), [name])


def test_a_metric_cannot_be_made_of_derived_ones() -> None:
    with pytest.raises(PluginError, match=r"cannot need 'min'.* \(let it need muc, b3\)"):
        required(["circle"])


def test_unknown_names_are_compared_with_all() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'exact'"):
        check_names(["exakt"], "cdec")


def test_another_scorer_lacks_it() -> None:
    with pytest.raises(UsageError, match="the scorer 'neleval' has no exact, best"):
        check_names(["exact", "min", "best"], "neleval")


def test_many_values_at_once_are_those_of_each() -> None:
    rng = np.random.default_rng(0)
    counts = np.sort(rng.integers(0, 9, (4, 3, 2, 2, 2)))[..., ::1].reshape(4, 3, 2, 4)
    values = REGISTRY["best"].values_of(counts.astype(float), np.zeros((4, 3, 2, 3)))
    assert values.shape == (4, 3, 3)
    none = REGISTRY["min"].values_of(counts.astype(float), np.zeros((4, 3, 2, 3)))
    assert np.isnan(none[..., :2]).all()
    assert not np.isnan(none[..., 2]).any()

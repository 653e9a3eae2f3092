"""Metrics of other packages: looked up by id, checked, and used only if requested."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cdec import score as score_pair
from cdec.metrics import ALL, REGISTRY, Value, measure, ordered, required
from cdec.metrics.contingency import Contingency
from cdec.metrics.scores import check_names, score
from tests.pages import view_of
from tests.plugin_packages import installed
from tests.refusals import refused
from tests.strategies import meta_documents_of

KEY, RESPONSE = [0, 0, 1, 1, 2], [0, 0, 1, 2, 2]


@pytest.fixture(autouse=True)
def package(tmp_path: Path) -> Iterator[None]:
    with installed(tmp_path):
        yield


def test_entry_and_origin_of_an_id() -> None:
    assert REGISTRY["exact"].label == "Exact"
    assert str(REGISTRY.origin("exact")) == "extra-1.2"
    assert REGISTRY["muc"] is ALL["muc"]
    assert REGISTRY.origin("muc") is None


def test_the_default_is_the_metrics_of_cdec() -> None:
    documents = meta_documents_of(KEY, RESPONSE, [0] * 5)
    assert "exact" not in ALL
    assert list(score(documents).values) == list(ordered()) == list(ALL)
    assert "exact" not in measure(Contingency.from_labels(KEY, RESPONSE))


def test_metrics_of_cdec_come_first_then_others_as_requested() -> None:
    requested = ["min", "conll", "exact", "muc"]
    documents = meta_documents_of(KEY, RESPONSE, [0] * 5)
    assert list(score(documents, requested).values) == ["muc", "conll", "min", "exact"]
    assert required(requested) == ["muc", "b3", "ceafe", "exact"]


def test_values_are_those_of_its_functions() -> None:
    scores = score(meta_documents_of(KEY, RESPONSE, [0] * 5), ["min", "best", "muc", "b3", "exact"])
    assert scores["exact"] == Value(1 / 3, 1 / 3, 1 / 3)
    assert scores["min"].f1 == min(scores["muc"].f1, scores["b3"].f1) > 0
    assert scores["best"] == Value(1 / 3, scores["b3"].recall, 1 / 3)


def test_a_column_under_its_label() -> None:
    results = score_pair({"a": 1, "b": 1}, {"a": 1, "b": 1}, metrics=["min", "muc"])
    assert results["min"].f1 == 1
    assert list(view_of(results.page).columns[-1]) == ["Min", "F"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("number", "int"),
        ("other", "'exact'"),
        ("lost", "none"),
    ],
)
def test_an_invalid_metric_is_refused(name: str, value: str) -> None:
    with refused("plugin-invalid", name, "extra-1.2", value):
        score(meta_documents_of(KEY, RESPONSE, [0] * 5), [name])


def test_a_metric_cannot_need_a_derived_one() -> None:
    with refused("metric-unsupported", "'min'", "muc, b3"):
        required(["circle"])


def test_unknown_names_are_compared_with_all() -> None:
    with refused("name-unknown", "unknown metric", "'exact'"):
        check_names(["exakt"], "cdec")


def test_another_scorer_lacks_it() -> None:
    with refused("metric-unsupported", "'neleval'", "exact, best"):
        check_names(["exact", "min", "best"], "neleval")


def test_many_values_at_once_are_those_of_each() -> None:
    rng = np.random.default_rng(0)
    counts = np.sort(rng.integers(0, 9, (4, 3, 2, 2, 2)))[..., ::1].reshape(4, 3, 2, 4)
    values = REGISTRY["best"].values_of(counts.astype(float), np.zeros((4, 3, 2, 3)))
    assert values.shape == (4, 3, 3)
    none = REGISTRY["min"].values_of(counts.astype(float), np.zeros((4, 3, 2, 3)))
    assert np.isnan(none[..., :2]).all()
    assert not np.isnan(none[..., 2]).any()

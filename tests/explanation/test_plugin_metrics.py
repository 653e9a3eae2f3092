"""Metrics of other packages: explained by their counts, or refused with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cdec.explanation.page import explanation_page
from cdec.signature import Signature
from tests.explanation.conftest import pradhan
from tests.pages import notes_of
from tests.plugin_packages import installed
from tests.refusals import refused


@pytest.fixture(autouse=True)
def package(tmp_path: Path) -> Iterator[None]:
    with installed(tmp_path):
        yield


def notes(metric: str, **choice: str) -> tuple[str, ...]:
    """The lines below the table, without the legend of its columns."""
    return notes_of(explanation_page(pradhan(metric, **choice), Signature.from_fields()))[1:]


def test_a_metric_without_a_rule_is_explained_by_its_counts() -> None:
    assert notes("exact", chain="k1") == (
        "K = key chain k1 = {a b c}, |K| = 3",
        "Exact: 0 of 1, counted on K and the chains that overlap it",
        "Exact recall = (0 + 0) / (1 + 1) = 0 / 2 = 0.0000 (0.0 %): this chain + 1 other key chain",
        "Exact precision = 0 / 3 = 0.0000 (0.0 %): all 3 response chains",
        "Exact F1 = 2 P R / (P + R) = 2 · 0.0000 · 0.0000 / (0.0000 + 0.0000) = 0.0000 (0.0 %)",
        str(Signature.from_fields()),
    )


def test_a_derived_metric_without_steps_names_its_metrics() -> None:
    lines = notes("min", chain="k1")
    assert "Min: F = 0.4000, from the counts of muc, b3" in lines
    assert any(line.startswith("B³ recall = ") for line in lines)


def test_values_include_the_requested_metric() -> None:
    explanation = pradhan("min", chain="k1")
    assert list(explanation.values) == ["muc", "b3", "min"]
    assert explanation.values["min"].f1 == pytest.approx(0.4)


def test_a_metric_that_is_not_a_sum_over_chains_is_an_error() -> None:
    with refused("metric-unsupported", "'largest'"):
        pradhan("largest", chain="k1")

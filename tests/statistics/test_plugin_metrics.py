"""Metrics of other packages are resampled with their own functions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from cdec.metrics.scores import score
from cdec.statistics import Plan, randomisation
from cdec.statistics.bootstrap import bootstrap
from tests.plugin_packages import installed
from tests.statistics.population import Drawn, draw

PLAN = Plan(resamples=40, exchanges=40)
MUC, B3, MIN = range(3)


@pytest.fixture(autouse=True)
def package(tmp_path: Path) -> Iterator[None]:
    with installed(tmp_path):
        yield


def first_topics(drawn: Drawn, number: int) -> Drawn:
    kept = drawn.topic < number
    return Drawn(drawn.key[kept], drawn.response[kept], drawn.topic[kept])


@pytest.mark.parametrize("scope", ["topic", "corpus"])
def test_a_minimum_of_two_metrics_in_every_resample(scope: str) -> None:
    corpus = draw(1)
    metas = corpus.meta_documents(corpus.response, scope)
    result = bootstrap(metas, corpus.units, PLAN, ["muc", "b3", "min"])
    assert result.metrics == ("muc", "b3", "min")
    assert result.estimate[MIN, 2] == score(metas, ["min"])["min"].f1
    for scores in (result.estimate[None], result.replicates, result.jackknife):
        assert (scores[:, MIN, 2] == scores[:, [MUC, B3], 2].min(axis=1)).all()
        assert np.isnan(scores[:, MIN, :2]).all()


def test_a_metric_derived_from_a_metric_of_another_package() -> None:
    corpus = draw(2)
    metas = corpus.meta_documents(corpus.response, "topic")
    result = bootstrap(metas, corpus.units, PLAN, ["b3", "best", "exact"])
    assert result.metrics == ("b3", "best", "exact")
    b3, best, exact = np.moveaxis(result.replicates, 1, 0)
    assert (best == np.stack([exact[:, 1], b3[:, 1], exact[:, 2]], axis=1)).all()


def test_a_randomisation_test_of_a_minimum() -> None:
    one, other = (first_topics(draw(seed), 8) for seed in (1, 2))  # all of 2⁷ exchanges
    metas = [corpus.meta_documents(corpus.response, "topic") for corpus in (one, other)]
    result = randomisation(metas[0], metas[0], one.units, PLAN, ["min"])
    assert result.metrics == ("min",)
    assert result.p.tolist() == [1.0]
    assert all(len(a.table) for a, _ in combinations(metas, 2))

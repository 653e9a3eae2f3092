"""Metrics of other packages are resampled by their own value, whatever they are made of."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from cdec.metrics.scores import score
from cdec.statistics.bootstrap import bootstrap
from cdec.statistics.draws import Plan
from cdec.statistics.exchange import randomisation
from tests.plugin_packages import installed
from tests.statistics.population import draw

PLAN = Plan(resamples=40)
MUC, B3, MIN = range(3)


@pytest.fixture(autouse=True)
def package(tmp_path: Path) -> Iterator[None]:
    with installed(tmp_path):
        yield


@pytest.mark.parametrize("scope", ["topic", "corpus"])
def test_the_least_of_two_is_the_least_of_two_in_every_resample(scope: str) -> None:
    corpus = draw(1)
    made = corpus.meta_documents(corpus.response, scope)
    found = bootstrap(made, corpus.units, PLAN, ["muc", "b3", "min"])
    assert found.metrics == ("muc", "b3", "min")
    assert found.estimate[MIN, 2] == score(made, ["min"])["min"].f1
    for scores in (found.estimate[None], found.replicates, found.jackknife):
        assert (scores[:, MIN, 2] == scores[:, [MUC, B3], 2].min(axis=1)).all()
        assert np.isnan(scores[:, MIN, :2]).all()


def test_made_of_counts_of_another_package() -> None:
    corpus = draw(2)
    made = corpus.meta_documents(corpus.response, "topic")
    found = bootstrap(made, corpus.units, PLAN, ["b3", "best", "exact"])
    assert found.metrics == ("b3", "best", "exact")
    b3, best, exact = np.moveaxis(found.replicates, 1, 0)
    assert (best == np.stack([exact[:, 1], b3[:, 1], exact[:, 2]], axis=1)).all()


def test_a_test_of_the_least_of_two() -> None:
    one, other = draw(1), draw(2)
    made = [corpus.meta_documents(corpus.response, "topic") for corpus in (one, other)]
    result = randomisation(made[0], made[0], one.units, PLAN, ["min"])
    assert result.metrics == ("min",)
    assert result.p.tolist() == [1.0]
    assert all(len(a.table) for a, _ in combinations(made, 2))

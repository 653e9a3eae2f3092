"""The bootstrap estimate is the score, for any number of processes and source of counts."""

import numpy as np
import pandas as pd
import pytest

from cdec.metadocument import MetaDocuments, WordCounts
from cdec.metrics import ALL, required
from cdec.metrics.scores import score
from cdec.statistics import Plan, Units, from_tallies, randomisation, unit_tallies
from cdec.statistics import tallies as module
from cdec.statistics.bootstrap import bootstrap
from tests.statistics.population import draw

PLAN = Plan(resamples=60)
SCOPES = ("topic", "corpus")


@pytest.mark.parametrize("scope", SCOPES)
def test_the_estimate_is_the_score(scope: str) -> None:
    corpus = draw(1)
    metas = corpus.meta_documents(corpus.response, scope)
    result = bootstrap(metas, corpus.units, PLAN)
    assert result.metrics == tuple(ALL)
    assert result.joint == (scope == "corpus")
    values = score(metas).values.values()
    for row, value in zip(result.estimate, values, strict=True):
        known = [np.nan if part is None else part for part in value]
        assert row == pytest.approx(known, nan_ok=True)


def test_the_number_of_processes_has_no_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = draw(2)
    metas = corpus.meta_documents(corpus.response, "corpus")
    plan = Plan(resamples=120)
    alone = bootstrap(metas, corpus.units, plan, ["b3", "ceafe"])
    monkeypatch.setattr(module, "WORTH", 0)
    together = bootstrap(metas, corpus.units, plan, ["b3", "ceafe"], jobs=2)
    assert (alone.replicates == together.replicates).all()


def test_the_bootstrap_from_counts_of_units_is_the_same() -> None:
    corpus = draw(3)
    metas = corpus.meta_documents(corpus.response, "topic")
    counted = required()
    each = unit_tallies(metas, corpus.units, counted)
    assert each is not None
    summed = from_tallies(each, counted, tuple(ALL), PLAN)
    whole = bootstrap(metas, corpus.units, PLAN)
    assert summed.replicates == pytest.approx(whole.replicates, nan_ok=True)
    assert summed.jackknife == pytest.approx(whole.jackknife, nan_ok=True)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_a_perfect_response_has_an_interval_of_one_point(scope: str, method: str) -> None:
    corpus = draw(4)
    plan = Plan(resamples=60, method=method)
    scores = bootstrap(corpus.meta_documents(corpus.key, scope), corpus.units, plan)
    assert scores.interval(plan)[:, :, 2] == pytest.approx(1)


@pytest.mark.parametrize("scope", SCOPES)
def test_the_jackknife_scores_the_other_topics(scope: str) -> None:
    corpus = draw(5)
    result = bootstrap(corpus.meta_documents(corpus.response, scope), corpus.units, PLAN, ["conll"])
    rest = type(corpus)(
        *(side[corpus.topic != 7] for side in (corpus.key, corpus.response, corpus.topic))
    )
    expected = score(rest.meta_documents(rest.response, scope), ["conll"])["conll"].f1
    assert result.jackknife[7, 0, 2] == pytest.approx(expected)


def test_the_interval_is_centred_on_the_score_if_a_meta_document_spans_units() -> None:
    corpus = draw(6)
    plan = Plan(resamples=200)
    scores = bootstrap(
        corpus.meta_documents(corpus.response, "corpus"), corpus.units, plan, ["ceafm"]
    )
    low, high = scores.interval(plan)[:, 0, 2]
    assert low < scores.estimate[0, 2] < high
    assert (low + high) / 2 == pytest.approx(scores.estimate[0, 2], abs=(high - low) / 4)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("share", [0.01, 0.1])
def test_intervals_of_a_nearly_perfect_response_stay_in_range(share: float, method: str) -> None:
    corpus, rng = draw(7), np.random.default_rng(7)
    changed = rng.random(len(corpus.key)) < share
    other = np.where(changed, rng.permutation(corpus.key), corpus.key)
    made = corpus.meta_documents(other, "corpus")
    plan = Plan(resamples=200, method=method)
    scores = bootstrap(made, corpus.units, plan)
    low, high = scores.interval(plan)
    known = ~np.isnan(scores.estimate)
    assert (low[known] >= 0).all()
    assert (low[known] <= scores.estimate[known]).all()
    assert (scores.estimate[known] <= high[known]).all()
    assert (high[known] <= 1).all()
    none = bootstrap(corpus.meta_documents(corpus.key, "corpus"), corpus.units, plan)
    low, high = scores.minus(none).interval(plan)
    assert (low[known] >= -1).all()
    assert (high[known] <= 0).all()


def test_tallies_of_the_alignment_are_resampled() -> None:
    numbers = {f"mor.{name}": [3.0, 1.0, 2.0, 4.0] for name in ("p_num", "p_den", "r_num", "r_den")}
    numbers["mor.p_den"] = numbers["mor.r_den"] = [4.0, 4.0, 4.0, 4.0]
    words = WordCounts(lambda: pd.DataFrame(numbers))
    sides = {"key": ["x", "x", "y", "y"], "response": ["x", "x", "y", None]}
    units = Units("topic", ("a", "b"), pd.Series([0, 0, 1, 1]))
    for meta in (["a", "a", "b", "b"], ["m"] * 4):  # inside units, and across them
        metas = MetaDocuments(pd.DataFrame({"meta": meta, **sides}), words)
        found = bootstrap(metas, units, Plan(resamples=20), ["mor"])
        # A missing mention counts for recall only.
        assert found.estimate[0, :2].tolist() == [6 / 12, 10 / 16]
        assert found.jackknife[:, 0, :2].tolist() == [[2 / 4, 6 / 8], [4 / 8, 4 / 8]]
        whole = randomisation(metas, metas, units, Plan(), ["mor"])
        assert whole.p.tolist() == [1]

"""Intervals and tests of systems with several runs."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import Parallel, delayed

from cdec.arrays import Floats, Ints
from cdec.evaluation import Experiment, SystemRun, Task
from cdec.render import render
from cdec.settings import find_settings
from cdec.statistics import (
    Bootstrap,
    Plan,
    compare,
    comparison_page,
    explained,
    means_test,
    over_runs,
    run_variance,
)
from cdec.statistics.bootstrap import bootstrap
from cdec.statistics.confidence import confidence
from tests.statistics.population import Drawn, draw
from tests.tiny_corpora import tiny

METRICS = ("muc", "b3", "conll")
PLAN = Plan(resamples=300)
SIMULATIONS = 200


def scores(corpus: Drawn, response: Ints, plan: Plan = PLAN) -> Bootstrap:
    metas = corpus.meta_documents(response, "topic")
    return bootstrap(metas, corpus.units, plan, METRICS)


def run_of(corpus: Drawn, rng: np.random.Generator, quality: float) -> Ints:
    """A run that links each mention with probability ``quality``, and its topics alike."""
    by_topic = np.clip(quality + 0.1 * rng.standard_normal(len(corpus.units)), 0, 1)
    alone = corpus.response.max() + 1 + np.arange(len(corpus.key))
    return np.where(rng.random(len(alone)) < by_topic[corpus.topic], corpus.response, alone)


def test_one_run_is_unchanged() -> None:
    one = scores(draw(0), draw(0).response)
    assert over_runs([one], PLAN) is one


def test_mean_spread_and_variance() -> None:
    corpus, rng = draw(1), np.random.default_rng(1)
    each = [scores(corpus, run_of(corpus, rng, 0.6)) for _ in range(3)]
    both = over_runs(each, PLAN)
    estimates = np.array([run.estimate[:, 2] for run in each])
    assert both.spread is not None
    assert both.estimate[:, 2] == pytest.approx(estimates.mean(axis=0))
    assert both.spread[:, 2] == pytest.approx(estimates.std(axis=0, ddof=1))
    # Equal runs have no variance of their own.
    same = over_runs([each[0]] * 3, PLAN)
    assert same.replicates[..., 2] == pytest.approx(each[0].centred[..., 2])
    topics = np.var(np.mean([run.centred for run in each], axis=0), axis=0)[:, 2]
    added = run_variance(each)[:, 2]
    assert (added <= estimates.var(axis=0, ddof=1) / 3).all()
    variance = np.var(both.replicates, axis=0)[:, 2]
    assert variance == pytest.approx(topics + added, rel=0.3)


def test_equal_systems_have_p_1_and_different_ones_a_small_p() -> None:
    corpus, rng = draw(2), np.random.default_rng(2)
    weak, strong = ([scores(corpus, run_of(corpus, rng, q)) for _ in range(3)] for q in (0.3, 0.9))
    assert (means_test(weak, weak, len(corpus.units)).p == 1).all()
    assert (means_test(strong, weak, len(corpus.units)).p < 0.01).all()
    assert (means_test(strong, weak[:1], len(corpus.units)).p < 0.01).all()


def p_of(seed: int, spread: float) -> Floats:
    """The p of two systems with three runs each, neither of which is better.

    ``spread`` is the standard deviation of the quality of a run as a whole.
    """
    corpus, rng = draw(seed), np.random.default_rng([seed, 1])
    plan = Plan(resamples=300, seed=seed)
    qualities = 0.6 + spread * rng.standard_normal((2, 3))
    first, second = (
        [scores(corpus, run_of(corpus, rng, quality), plan) for quality in of_system]
        for of_system in qualities
    )
    return means_test(first, second, len(corpus.units)).p


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0, 0.05, 0.2])
def test_the_error_rate(spread: float) -> None:
    seeds = range(SIMULATIONS)
    p = np.array(Parallel(n_jobs=-1)(delayed(p_of)(seed, spread) for seed in seeds))
    rejected = (p <= 0.05).mean(axis=0)
    print(f"\n{spread}: rejected at 0.05", dict(zip(METRICS, rejected.round(3), strict=True)))
    assert (rejected <= 0.09).all()


def experiment() -> Experiment:
    corpus = tiny([0, 0, 1, 4, 4, 5, 5], [0, 0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 2, 3, 3])
    other = tiny([0, 0, 1, 4, 4, 5, 5], [0, 0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 1, 3, 4])
    sides = (corpus.sides, other.sides)
    runs = [SystemRun(f"mine/{n}", corpus.table, *s, group="mine") for n, s in enumerate(sides)]
    runs.append(SystemRun("theirs", corpus.table, *corpus.sides))
    return Experiment(Task("tiny", "", {}, METRICS), tuple(runs), tuple(find_settings(["bh"])))


def test_a_comparison_says_that_runs_were_resampled() -> None:
    comparison = compare(experiment(), Plan(resamples=50, exchanges=50))
    table = comparison.table
    assert set(table["test"]) == {"runs"}
    assert set(table["a"]) == {"mine"}
    assert table["f1_a_sd"].notna().all()
    assert table["f1_b_sd"].isna().all()
    (mine, _) = comparison.signatures
    assert mine.fields["runs"] == 2
    text = " ".join(explained(comparison))
    assert "over runs" in text
    assert " ± " in render(comparison_page(comparison), "table")


def test_intervals_of_means() -> None:
    frame = confidence(experiment(), Plan(resamples=50))
    assert list(dict.fromkeys(frame["system"])) == ["mine", "theirs"]
    assert (frame["f1_low"] <= frame["f1_high"]).all()

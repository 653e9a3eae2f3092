"""Coverage of intervals and error rate of tests, simulated from a known population."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from joblib import Parallel, delayed
from scipy.stats import binom

from cdec.arrays import Floats, Ints
from cdec.metrics import derive, measure
from cdec.metrics.contingency import Contingency
from cdec.statistics import Pair, Plan, paired_test, randomisation
from cdec.statistics.bootstrap import bootstrap
from tests.statistics.population import Drawn, draw

METRICS = ("muc", "b3", "ceafe", "blanc_coref", "lea", "conll")
SIMULATIONS = 200
RIGHT = 0.35  # share of mentions in which the better system makes no errors
SCOPES = ("topic", "corpus")
_TRUTH = 1000  # corpora whose mean is the true score; their seeds are different
_FIRST = 10**6


def f1(corpus: Drawn, scope: str) -> list[float]:
    metas = corpus.meta_documents(corpus.response, scope)
    values = derive(measure(Contingency.from_meta_documents(metas), METRICS))
    return [values[name].f1 for name in METRICS]


def ends(seed: int, scope: str, method: str) -> Floats:
    corpus = draw(seed)
    metas = corpus.meta_documents(corpus.response, scope)
    plan = Plan(resamples=300, seed=seed, method=method)
    scores = bootstrap(metas, corpus.units, plan, METRICS)
    order = [scores.metrics.index(name) for name in METRICS]
    return scores.interval(plan)[:, order, 2]


@pytest.mark.slow
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_cover_the_truth(scope: str, method: str) -> None:
    truth = np.mean(in_parallel(lambda n: f1(draw(_FIRST + n), scope), _TRUTH), axis=0)
    low, high = np.stack(in_parallel(lambda n: ends(n, scope, method), SIMULATIONS), axis=1)
    coverage = ((low <= truth) & (truth <= high)).mean(axis=0)
    print(f"\n{scope}, {method}: coverage", dict(zip(METRICS, coverage.round(3), strict=True)))
    assert (coverage >= 0.90).all()
    assert (coverage <= 0.98).all()


def halves(corpus: Drawn, rng: np.random.Generator, right: float = 0) -> tuple[Ints, Ints]:
    """Two systems that each make a random half of the errors of one system.

    The first makes none of them in a share ``right`` of the mentions.
    """
    gold = corpus.meta_documents(corpus.key, "corpus")
    system = corpus.meta_documents(corpus.response, "corpus")
    # Key chains and their aligned response chains get the same label, so that each mention can be
    # corrected separately.
    named = Pair.from_meta_documents(gold, system, corpus.units)
    first = rng.random(len(corpus.key)) < 0.5
    put_right = rng.random(len(corpus.key)) < right
    return (
        np.where(first | put_right, named.first, named.second),
        np.where(first, named.second, named.first),
    )


def p_values(seed: int, scope: str) -> Floats:
    """p-values of two systems that each make a random half of the errors of one system."""
    corpus = draw(seed)
    one, other = (
        corpus.meta_documents(half, scope) for half in halves(corpus, np.random.default_rng(seed))
    )
    plan = Plan(exchanges=199, seed=seed)
    result = randomisation(one, other, corpus.units, plan, METRICS)
    return np.array([result.p[result.metrics.index(name)] for name in METRICS])


@pytest.mark.slow
@pytest.mark.parametrize("scope", SCOPES)
def test_random_differences_are_rarely_significant(scope: str) -> None:
    p = np.stack(in_parallel(lambda n: p_values(n, scope), SIMULATIONS))
    rejected = (p <= 0.05).mean(axis=0)
    print(f"\n{scope}: rejected at 5 %", dict(zip(METRICS, rejected.round(3), strict=True)))
    assert (rejected >= 0.02).all()
    assert (rejected <= 0.09).all()


def both_tests(seed: int, world: str, scope: str) -> Floats:
    """p of the test by topic and of the two-way test, shape (2, metrics)."""
    corpus, rng = draw(seed), np.random.default_rng(seed)
    better = world == "better"
    systems = halves(corpus, rng, RIGHT) if better else corpus.decided(world, rng)
    one, other = (corpus.meta_documents(system, scope) for system in systems)
    plan = Plan(exchanges=99, seed=seed)
    found = paired_test((one, other), (corpus.units, corpus.words), plan, METRICS)
    order = [found.by_unit.metrics.index(name) for name in METRICS]
    return np.stack([found.by_unit.p, found.p])[:, order]


def rejected_by_both(world: str, scope: str) -> Floats:
    """How often the test by topic and the two-way test reject at 5 %, shape (2, metrics)."""
    p = np.stack(in_parallel(lambda n: both_tests(n, world, scope), SIMULATIONS))
    rejected: Floats = (p <= 0.05).mean(axis=0)
    for name, row in zip(("topic", "two-way"), rejected, strict=True):
        print(
            f"\n{world}, {scope}, {name}:", dict(zip(METRICS, row.round(3).tolist(), strict=True))
        )
    return rejected


@pytest.mark.slow
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("world", ["mention", "topic", "word", "both"])
def test_decisions_by_chance_rarely_pass_the_two_way_test(world: str, scope: str) -> None:
    topic, two_way = rejected_by_both(world, scope)
    assert (two_way <= topic).all()
    assert (two_way <= binom.ppf(0.999, SIMULATIONS, 0.06) / SIMULATIONS).all()
    if world == "word":  # what the two-way test is for
        assert topic[METRICS.index("muc")] >= 0.2


@pytest.mark.slow
@pytest.mark.parametrize("scope", SCOPES)
def test_the_two_way_test_finds_what_the_test_by_topic_finds(scope: str) -> None:
    topic, two_way = rejected_by_both("better", scope)
    assert (two_way >= 0.75 * topic).all()


def in_parallel(work: Callable[[int], Any], number: int) -> list[Any]:
    bounds = np.linspace(0, number, 9).astype(int)
    pieces = Parallel(n_jobs=2)(
        delayed(lambda a, b: [work(n) for n in range(a, b)])(a, b) for a, b in pairwise(bounds)
    )
    return [result for piece in pieces for result in piece]

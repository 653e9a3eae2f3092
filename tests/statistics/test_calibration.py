"""Coverage of intervals and error rate of tests, simulated from a known population."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from joblib import Parallel, delayed

from cdec.arrays import Floats
from cdec.metrics import derive, measure
from cdec.metrics.contingency import Contingency
from cdec.statistics.bootstrap import bootstrap
from cdec.statistics.draws import Plan
from cdec.statistics.exchange import randomisation
from cdec.statistics.pair import Pair
from tests.statistics.population import Drawn, draw

METRICS = ("muc", "b3", "ceafe", "blanc_coref", "lea", "conll")
SIMULATIONS = 200
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


def p_values(seed: int, scope: str) -> Floats:
    """p-values of two systems that each make a random half of the errors of one system."""
    corpus = draw(seed)
    rng = np.random.default_rng(seed)
    gold = corpus.meta_documents(corpus.key, "corpus")
    system = corpus.meta_documents(corpus.response, "corpus")
    # Key chains and their aligned response chains get the same label, so that each mention can be
    # corrected separately.
    named = Pair.from_meta_documents(gold, system, corpus.units)
    first = rng.random(len(corpus.key)) < 0.5
    halves = (
        np.where(first, named.first, named.second),
        np.where(first, named.second, named.first),
    )
    one, other = (corpus.meta_documents(half, scope) for half in halves)
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


def in_parallel(work: Callable[[int], Any], number: int) -> list[Any]:
    bounds = np.linspace(0, number, 9).astype(int)
    pieces = Parallel(n_jobs=2)(
        delayed(lambda a, b: [work(n) for n in range(a, b)])(a, b) for a, b in pairwise(bounds)
    )
    return [result for piece in pieces for result in piece]

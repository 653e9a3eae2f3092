"""All metrics on the ECB+ test split, compared with neleval on the same clusterings."""

from __future__ import annotations

from typing import Any, TypeAlias

import pandas as pd
import pytest

from cdec.clustering import Clustering
from cdec.metrics import Value, derive, measure
from cdec.metrics.contingency import Contingency
from cdec.metrics.neleval import counter
from tests.benchmarks.clock import Benchmark, seconds

Sides: TypeAlias = "tuple[pd.Series[Any], pd.Series[Any]]"

PEERS = ["muc", "b3", "ceafe", "blanc_coref", "blanc_noncoref"]
TIMES_FASTER = 300


@pytest.fixture(scope="session")
def neleval_seconds(ecbplus_test: Sides) -> float:
    """neleval's time for MUC, B³, CEAF_e and both kinds of links, without building the sets."""
    sides = [
        {number: set(chain) for number, chain in enumerate(Clustering(side).chains().values())}
        for side in ecbplus_test
    ]
    return seconds(lambda: [counter(name)(*sides) for name in PEERS])


def test_from_label_arrays(
    benchmark: Benchmark, ecbplus_test: Sides, neleval_seconds: float
) -> None:
    key, response = (pd.factorize(side)[0] for side in ecbplus_test)
    values = benchmark(lambda: derive(measure(Contingency.from_labels(key, response))))
    ratio = neleval_seconds / benchmark.stats.stats.median
    benchmark.extra_info |= {
        "goal_ms": 15,
        "median_ms": round(1000 * benchmark.stats.stats.median, 2),
        "neleval_s": round(neleval_seconds, 2),
        "times_faster_than_neleval": round(ratio),
    }
    print(benchmark.extra_info)
    assert len(values) == 10
    assert ratio >= TIMES_FASTER


def test_from_series(benchmark: Benchmark, ecbplus_test: Sides, neleval_seconds: float) -> None:
    def fresh() -> tuple[list[pd.Series[Any]], dict[str, Any]]:
        """New Series for each round: an old one has its index already hashed."""
        return [pd.Series(side.to_numpy(), index=list(side.index)) for side in ecbplus_test], {}

    def work(key: pd.Series[Any], response: pd.Series[Any]) -> dict[str, Value]:
        return derive(measure(Contingency.from_clusterings(Clustering(key), Clustering(response))))

    values = benchmark.pedantic(work, setup=fresh, rounds=20)
    ratio = neleval_seconds / benchmark.stats.stats.median
    benchmark.extra_info |= {
        "goal_ms": 60,
        "median_ms": round(1000 * benchmark.stats.stats.median, 2),
        "times_faster_than_neleval": round(ratio),
    }
    print(benchmark.extra_info)
    assert len(values) == 10
    assert ratio >= TIMES_FASTER / 4

"""Resamples of topics, with all metrics, compared with the same number of plain scorings."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from cdec.metadocument import MetaDocuments
from cdec.metrics import measure, required
from cdec.metrics.contingency import Contingency
from cdec.statistics import Plan, Units, copies_of, drawn
from cdec.statistics.bootstrap import tallies
from tests.benchmarks.clock import Benchmark, seconds

Sides: TypeAlias = "tuple[pd.Series[Any], pd.Series[Any]]"
RESAMPLES = 100
TIMES_SLOWER = 3
"""Limit: the cost of a resample in plain scorings of the same corpus from label arrays."""


def test_resamples_of_one_meta_document(benchmark: Benchmark, ecbplus_test: Sides) -> None:
    key, response = ecbplus_test
    table = pd.DataFrame({"meta": "corpus", "key": key, "response": response})
    topics = pd.DataFrame({"topic": key.index.str.split("_").str[0]}, index=key.index)
    units = Units.of_mentions("topic", [topics])
    copies = copies_of(MetaDocuments(table), units)
    weights = drawn(len(units), Plan(resamples=RESAMPLES))
    counted = benchmark.pedantic(lambda: tallies(copies, weights, required(), jobs=1), rounds=3)
    codes = [pd.factorize(side)[0] for side in ecbplus_test]
    once = seconds(lambda: measure(Contingency.from_labels(*codes)), rounds=20)
    each = benchmark.stats.stats.median / RESAMPLES
    benchmark.extra_info |= {
        "goal_s": 60,
        "s_for_1000_resamples_of_4_systems": round(4000 * each, 1),
        "plain_scorings": round(each / once, 2),
    }
    print(benchmark.extra_info)
    assert counted.shape == (RESAMPLES, len(required()), 4)
    assert np.isfinite(counted).all()
    assert each / once <= TIMES_SLOWER

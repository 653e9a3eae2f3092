"""The benchmark on planted errors: its arithmetic on the sample, its targets on ECB+."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from cdec.audit.benchmark.measure import Ranked, _measured, benchmark, seeds_of, summary
from cdec.audit.config import AuditConfig
from cdec.corpus.model import Corpus
from tests.refusals import refused


def test_precision_recall_and_average_precision_by_hand() -> None:
    # Errors 0, 1 and 2 are findable; positions 1, 3 and 6 hit 0, 1 and 0; nothing hits 2.
    hits = [(0,), (), (1,), (), (), (0,)]
    values = {(name, at): value for name, at, value in _measured(Ranked("x", hits), {0, 1, 2})}
    assert values["precision", 50] == 3 / 6
    assert values["recall", 50] == 2 / 3
    assert values["average-precision", 0] == pytest.approx((1 / 1 + 2 / 3) / 3)


def test_a_share_of_nothing_is_undefined() -> None:
    assert all(math.isnan(value) for _, _, value in _measured(Ranked("x", []), set()))


@pytest.mark.parametrize("runs", [0, -1, 1001, 10**30])
def test_numbers_of_runs_out_of_range(runs: int) -> None:
    with refused("audit-parameter-range", f"{runs:,}", "1,000"):
        seeds_of(runs)
    assert len(seeds_of(1000)) == 1000


def test_the_sample_gives_every_measure_for_every_ranking(sample: Corpus, cached: None) -> None:
    table = benchmark(sample, AuditConfig(), count=5, seeds=(0, 1))
    again = benchmark(sample, AuditConfig(), count=5, seeds=(0, 1))
    pd.testing.assert_frame_equal(table, again)
    values = table[table["measure"] != "findable"]
    assert values["value"].between(0, 1).all()
    assert set(values["ranking"]) == {"cases", "svm", "held-out", "lemma", "random"}
    assert set(values["kind"]) == {"detach", "split", "attach"}
    means = summary(table)
    assert (means["low"] <= means["mean"]).all()
    assert (means["count"] == 2).all()


@pytest.mark.slow
def test_the_targets_on_planted_detachments(real: Corpus, cached: None) -> None:
    table = summary(benchmark(real, AuditConfig(), kinds=["detach"], count=300, seeds=(0, 1, 2)))
    mean = table.set_index(["ranking", "measure", "at"])["mean"]
    assert mean["cases", "recall", 1000] >= 0.5
    assert mean["cases", "recall", 3000] >= 0.75
    assert mean["svm", "precision", 100] >= 0.35
    for baseline in ("lemma", "random"):
        assert mean["svm", "average-precision", 0] > 5 * mean[baseline, "average-precision", 0]

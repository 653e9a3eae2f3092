"""Cached intervals, and the simulation of lost mentions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdec.clustering import Clustering
from cdec.evaluation import Experiment, SystemRun, Task
from cdec.metrics.scores import score
from cdec.reproduction import intervals, resampling, sensitivity, with_loss
from cdec.settings import PURE_CDEC, SIMPLE_CDEC, YCF
from cdec.statistics import Plan
from cdec.statistics.confidence import confidence

TOPICS = 4
PLAN = Plan(resamples=30)


def answer(name: str = "made", merged: int = 2) -> SystemRun:
    """Four topics of two documents of three mentions; the response merges chains ≥ ``merged``."""
    rows = [
        {"id": f"{t}_{d}/{m}", "doc": f"{t}_{d}", "subtopic": f"{t}", "topic": f"{t}", "chain": m}
        for t in range(TOPICS)
        for d in range(2)
        for m in range(3)
    ]
    mentions = pd.DataFrame(rows).set_index("id")
    key = mentions["topic"] + "/" + mentions["chain"].astype(str)
    response = key.where(mentions["chain"] >= merged, "one")
    return SystemRun(name, mentions, Clustering(key), Clustering(response))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDEC_CACHE", str(tmp_path))


def test_intervals_are_those_of_the_statistics() -> None:
    pairs = [(answer(), setting) for setting in (SIMPLE_CDEC, PURE_CDEC, YCF)]
    ours = intervals(pairs, PLAN, ["muc", "conll"])
    task = Task("made", "all", {}, ("muc", "conll"))
    settings = tuple(setting for _, setting in pairs)
    theirs = confidence(Experiment(task, (answer(),), settings), PLAN)
    f1 = ours[ours["field"] == "f1"]
    assert f1[["setting", "metric", "low", "high"]].to_numpy().tolist() == (
        theirs[["setting", "metric", "f1_low", "f1_high"]].to_numpy().tolist()
    )
    assert set(ours[ours["metric"] == "conll"]["field"]) == {"f1"}


def refuse(*_: object) -> Any:
    """Replace a computation that must not happen."""
    raise AssertionError("resampled again")


def test_a_second_run_resamples_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    first = intervals([(answer(), SIMPLE_CDEC)], PLAN)
    monkeypatch.setattr(resampling, "bootstrap", refuse)
    pd.testing.assert_frame_equal(intervals([(answer(), SIMPLE_CDEC)], PLAN), first)


@pytest.mark.parametrize(
    ("other", "plan"), [(answer(merged=1), PLAN), (answer(), Plan(resamples=30, seed=1))]
)
def test_another_response_or_plan_is_resampled(
    other: SystemRun, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    intervals([(answer(), SIMPLE_CDEC)], PLAN)
    monkeypatch.setattr(resampling, "bootstrap", refuse)
    with pytest.raises(AssertionError, match="resampled again"):
        intervals([(other, SIMPLE_CDEC)], plan)


def test_cached_intervals_of_other_scores_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed metric changes the scores, and the intervals are computed again."""
    intervals([(answer(), SIMPLE_CDEC)], PLAN)
    monkeypatch.setattr(resampling, "_scores", lambda *_: np.zeros((10, 3)))
    monkeypatch.setattr(resampling, "bootstrap", refuse)
    with pytest.raises(AssertionError, match="resampled again"):
        intervals([(answer(), SIMPLE_CDEC)], PLAN)


def test_tick_comes_after_each_pair() -> None:
    ticks: list[int] = []
    pairs = [(answer(), SIMPLE_CDEC), (answer(), YCF)]
    intervals(pairs, PLAN, ["muc"], tick=lambda: ticks.append(1))
    assert len(ticks) == len(pairs)


def test_each_side_loses_other_mentions() -> None:
    whole = answer()
    less = with_loss(whole, 5, seed=0)
    assert len(less.key) == len(less.response) == len(whole.key) - 5
    assert set(less.key.labels.index) != set(less.response.labels.index)
    kept = whole.key.labels[less.key.labels.index]
    pd.testing.assert_series_equal(less.key.labels, kept)
    again = with_loss(whole, 5, seed=0)
    assert list(again.key.labels.index) == list(less.key.labels.index)


def test_no_loss_is_the_score_without_spread() -> None:
    table = sensitivity(answer(), SIMPLE_CDEC, lost=0, seeds=3).set_index(["metric", "field"])
    values = score(answer().meta_documents(SIMPLE_CDEC)).values
    assert table.loc[("conll", "f1"), "mean"] == pytest.approx(values["conll"].f1)
    assert table["sd"].to_numpy() == pytest.approx(0)


def test_mean_and_spread_are_over_the_seeds() -> None:
    table = sensitivity(answer(), SIMPLE_CDEC, lost=4, seeds=5).set_index(["metric", "field"])
    drawn = pd.Series(
        [
            score(with_loss(answer(), 4, seed).meta_documents(SIMPLE_CDEC))["muc"].f1
            for seed in range(5)
        ]
    )
    assert table.loc[("muc", "f1"), "mean"] == pytest.approx(drawn.mean())
    assert table.loc[("muc", "f1"), "sd"] == pytest.approx(drawn.std())
    assert drawn.std() > 0


def test_a_small_side_loses_all_mentions() -> None:
    assert len(with_loss(answer(), 1000, seed=0).key) == 0

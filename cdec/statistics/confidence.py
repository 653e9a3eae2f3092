"""Confidence intervals of the results of an experiment."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from cdec.errors import UsageError
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.results import ENDS
from cdec.settings import Setting
from cdec.statistics.bootstrap import Bootstrap, bootstrap
from cdec.statistics.draws import Plan, Units
from cdec.statistics.several import over_runs


def confidence(experiment: Experiment, plan: Plan, jobs: int | None = None) -> pd.DataFrame:
    """Return the intervals of all results: setting, system, metric, and ``ENDS`` in [0, 1].

    ``jobs`` as in ``bootstrap``. Raises UsageError for a scorer other than cdec and for mentions
    without unit information, ScoringError for fewer than two units.
    """
    own_scorer(experiment)
    units = Units.of_mentions(plan.unit, (run.mentions for run in experiment.runs))
    rows = [
        {"setting": setting.name, "system": name, **row}
        for setting in experiment.settings
        for name, scores in bootstraps(experiment, setting, units, plan, jobs).items()
        for row in _rows(scores, plan)
    ]
    return pd.DataFrame(rows, columns=["setting", "system", "metric", *ENDS])


def bootstraps(
    experiment: Experiment, setting: Setting, units: Units, plan: Plan, jobs: int | None = None
) -> dict[str, Bootstrap]:
    """Return system → the bootstrap of its scores, over topics and over its runs if several."""
    each = of_runs(experiment, setting, units, plan, jobs)
    return {n: over_runs(runs, plan, number) for number, (n, runs) in enumerate(each.items())}


def of_runs(
    experiment: Experiment, setting: Setting, units: Units, plan: Plan, jobs: int | None = None
) -> dict[str, list[Bootstrap]]:
    """Return system → the bootstraps of its runs, on the same resamples."""
    metrics = experiment.task.metrics
    return {
        name: [bootstrap(run.meta_documents(setting), units, plan, metrics, jobs) for run in runs]
        for name, runs in experiment.systems.items()
    }


def own_scorer(experiment: Experiment) -> None:
    """Raise UsageError unless the scorer of the experiment is cdec."""
    if experiment.task.scorer != "cdec":
        raise UsageError(
            "metric-unsupported",
            f"the scorer '{experiment.task.scorer}' cannot score resamples",
            hint="leave --scorer out: the scores are the same",
        )


def described(plan: Plan, units: int) -> dict[str, object]:
    """Return the fields of the signature on intervals."""
    return {
        "ci": f"{plan.method}-{plan.level:g}",
        "unit": f"{plan.unit}-{units}",
        "resamples": plan.resamples,
        "seed": plan.seed,
    }


def _rows(scores: Bootstrap, plan: Plan) -> Iterator[dict[str, object]]:
    low, high = scores.interval(plan)
    for metric, lows, highs in zip(scores.metrics, low, high, strict=True):
        ends = [end for pair in zip(lows.tolist(), highs.tolist(), strict=True) for end in pair]
        yield {"metric": metric, **dict(zip(ENDS, ends, strict=True))}

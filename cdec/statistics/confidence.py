"""Confidence intervals of the results of an experiment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from cdec.errors import UsageError, counted
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.results import ENDS, TOLD_APART, Results
from cdec.settings import Setting
from cdec.signature import Signature
from cdec.statistics.bootstrap import Bootstrap, bootstrap
from cdec.statistics.draws import Plan, Units
from cdec.statistics.several import over_runs

UNIT_NAMES = {"topic": "topic", "subtopic": "sub-topic"}


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
    metrics = experiment.asked
    return {
        name: [
            bootstrap(experiment.scored(run, setting), units, plan, metrics, jobs) for run in runs
        ]
        for name, runs in experiment.systems.items()
    }


def with_intervals(experiment: Experiment, plan: Plan, jobs: int | None = None) -> Results:
    """Return the results of the experiment with intervals. Raises as ``confidence`` does."""
    experiment = replace(experiment, unit=plan.unit)
    results = experiment.results()
    ends = confidence(experiment, plan, jobs)
    units = len({unit for run in experiment.runs for unit in run.mentions[plan.unit]})
    how = described(plan, units)
    ends = ends.assign(**dict.fromkeys(TOLD_APART, "")).astype(object)
    return replace(
        results,
        rows=results.rows.merge(ends, on=["setting", "system", *TOLD_APART, "metric"], how="left"),
        signatures=tuple(Signature({**s.fields, **how}, s.parts) for s in results.signatures),
        intervals=interval_words(plan, units, runs=not results.runs.empty),
    )


def interval_words(plan: Plan, units: int, *, runs: bool = False) -> str:
    """Return the method of the intervals in words."""
    many = counted(units, UNIT_NAMES[plan.unit])
    return (
        f"{100 * plan.level:g} % intervals: percentiles of {plan.resamples:,} resamples of {many}"
        f"{' and of the runs' if runs else ''}, every metric recomputed on each"
    )


def own_scorer(experiment: Experiment) -> None:
    """Raise UsageError unless the scorer of the experiment is cdec."""
    if experiment.scorer != "cdec":
        raise UsageError(
            "metric-unsupported",
            f"the scorer '{experiment.scorer}' cannot score resamples",
            hint="leave the scorer out: the scores are the same",
        )


def described(plan: Plan, units: int) -> dict[str, object]:
    """Return the fields of the signature on intervals."""
    return {
        "ci": f"percentile-{plan.level:g}",
        "unit": f"{plan.unit}-{units}",
        "resamples": plan.resamples,
        "seed": plan.seed,
    }


def _rows(scores: Bootstrap, plan: Plan) -> Iterator[dict[str, object]]:
    low, high = scores.interval(plan)
    for metric, lows, highs in zip(scores.metrics, low, high, strict=True):
        ends = [end for pair in zip(lows.tolist(), highs.tolist(), strict=True) for end in pair]
        yield {"metric": metric, **dict(zip(ENDS, ends, strict=True))}

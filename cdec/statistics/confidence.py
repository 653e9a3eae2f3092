"""Confidence intervals of the results of an experiment."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from cdec.errors import UsageError
from cdec.evaluation.experiment import Experiment
from cdec.statistics.bootstrap import Bootstrap, bootstrap
from cdec.statistics.draws import Plan
from cdec.statistics.units import Units

FIELDS = ("precision", "recall", "f1")
ENDS = ("low", "high")
COLUMNS = tuple(f"{field}_{end}" for field in FIELDS for end in ENDS)


def confidence(experiment: Experiment, plan: Plan, jobs: int | None = None) -> pd.DataFrame:
    """Return the intervals of all results: setting, system, metric, and ``COLUMNS`` in [0, 1].

    ``jobs`` as in ``bootstrap``. Raises UsageError for a scorer other than cdec and for mentions
    without unit information, ScoringError for fewer than two units.
    """
    own_scorer(experiment)
    units = Units.of_mentions(plan.unit, (run.mentions for run in experiment.runs))
    rows = [
        {"setting": setting.name, "system": run.system, **row}
        for setting in experiment.settings
        for run in experiment.runs
        for row in _rows(
            bootstrap(run.meta_documents(setting), units, plan, experiment.task.metrics, jobs),
            plan,
        )
    ]
    return pd.DataFrame(rows, columns=["setting", "system", "metric", *COLUMNS])


def own_scorer(experiment: Experiment) -> None:
    """Raise UsageError unless the scorer of the experiment is cdec."""
    if experiment.task.scorer != "cdec":
        raise UsageError(
            "scorer-unsupported",
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
        yield {"metric": metric, **dict(zip(COLUMNS, ends, strict=True))}

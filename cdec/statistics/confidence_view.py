"""Results with their confidence intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from cdec.evaluation.experiment import Experiment
from cdec.evaluation.results import Results, with_labels
from cdec.evaluation.table import layout
from cdec.metrics import REGISTRY
from cdec.notices import Notice
from cdec.render.numbers import percent
from cdec.render.report import Report
from cdec.signature import Signature, in_json
from cdec.statistics.comparison_view import bracket, interval_words
from cdec.statistics.confidence import confidence, described
from cdec.statistics.draws import Plan

_KEYS = ["setting", "system", "metric"]


def interval_report(
    experiment: Experiment, plan: Plan, notices: tuple[Notice, ...] = (), jobs: int | None = None
) -> Report:
    """Score the experiment and add an interval to each value.

    The data have the columns ``cdec.statistics.confidence.COLUMNS`` beside the scores; the table
    for people shows F1. Raises as ``confidence`` does.
    """
    results = Results(experiment.results(), notices)
    data = results.to_frame().merge(confidence(experiment, plan, jobs), on=_KEYS, how="left")
    units = len({u for answer in experiment.answers for u in answer.mentions[plan.unit]})
    how = described(plan, units)
    signed = in_json(*(Signature({**r.signature.fields, **how}) for r in results))
    return replace(
        results.report,
        view=interval_view(data),
        narrow=None,
        data=data,
        notes=(interval_words(plan, units), signed["signature"]),
        about={**results.report.about, **signed},
    )


def interval_view(data: pd.DataFrame) -> pd.DataFrame:
    """Return F1 of each metric with its interval in percent, one row a setting and system."""
    metrics = list(dict.fromkeys(column[2] for column in layout(data["metric"])))
    rows = [
        [*names, *_cells(part, metrics)]
        for names, part in with_labels(data).groupby(["setting", "system"], sort=False)
    ]
    return pd.DataFrame(rows, columns=["Setting", "System", *(REGISTRY[m].label for m in metrics)])


def _cells(part: pd.DataFrame, metrics: list[str]) -> Iterator[str]:
    values = part.set_index("metric").loc[metrics, ["f1", "f1_low", "f1_high"]]
    for f1, low, high in values.itertuples(index=False):
        yield f"{percent(f1)} {bracket(low, high)}"

"""Several runs of one system: mean scores, and their standard deviation over the runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cdec.evaluation.results import SD_COLUMNS, VALUES, Results, frame_of
from cdec.metrics.scores import COUNT_COLUMNS
from cdec.notices import Notice
from cdec.signature import Signature, merged

if TYPE_CHECKING:
    from cdec.clustering import Clustering
    from cdec.evaluation.system_run import SystemRun

_KEYS = ["unit", "corpus", "split", "setting", "system", "metric"]
_MOMENTS = (*VALUES, *SD_COLUMNS[:3])


def systems_of(runs: Iterable[SystemRun]) -> dict[str, tuple[SystemRun, ...]]:
    """Return name of the system → its runs, in order of first occurrence."""
    systems: dict[str, list[SystemRun]] = {}
    for run in runs:
        systems.setdefault(run.group or run.system, []).append(run)
    return {name: tuple(group) for name, group in systems.items()}


def warned_of_copies(runs: Iterable[SystemRun]) -> Iterator[SystemRun]:
    """Yield the runs of a system, with a warning on one whose chains are those of another."""
    first: dict[Clustering, str] = {}
    for run in runs:
        other = first.setdefault(run.response, run.system)
        message = f"the runs {other} and {run.system} have the same chains; is one of them a copy?"
        same = [Notice("runs-identical", 1, message)] if other != run.system else []
        yield replace(run, notices=(*run.notices, *same))


def pooled(name: str, runs: Sequence[Results]) -> Results:
    """Return the means of the runs of a system under one setting; a single run as it is.

    A mean of F1 is not the F1 of mean P and R. The means have no counts: those of the runs do not
    add up to them.
    """
    if len(runs) == 1:
        return runs[0]
    each = np.stack([run.frame[list(VALUES)].to_numpy(dtype=np.float64) for run in runs], axis=-1)
    moments = np.concatenate([each.mean(axis=-1), each.std(axis=-1, ddof=1)], axis=-1).tolist()
    whole: dict[Any, Any] = {"system": name, "runs": len(runs), **dict.fromkeys(COUNT_COLUMNS)}
    rows = [
        row | whole | {c: None if isnan(x) else x for c, x in zip(_MOMENTS, numbers, strict=True)}
        for row, numbers in zip(runs[0].frame.to_dict("records"), moments, strict=True)
    ]
    fields = merged([run.signature for run in runs]).fields
    signature = Signature({**fields, "system": name, "runs": len(runs)})
    table = pd.concat([run.frame.assign(run=run.system, system=name) for run in runs])
    return replace(
        runs[0], frame=frame_of(rows), signatures=(signature,), runs=table.reset_index(drop=True)
    )


def mean_rows(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the means of breakdowns of several runs of a system, by unit, setting and metric.

    A row that one of the runs lacks is the mean of the others.
    """
    table = pd.concat(tables, ignore_index=True)
    groups = table.groupby(_KEYS, sort=False, dropna=False)
    values = groups[list(VALUES)]
    means = values.mean()
    deviations = values.std().add_suffix("_sd")
    counts = groups.size().rename("runs")
    empty = dict.fromkeys(COUNT_COLUMNS)
    return pd.concat([means.assign(**empty), deviations, counts], axis=1).reset_index()

"""Several runs of one system: mean scores, and their standard deviation over the runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cdec.metrics import Value
from cdec.metrics.scores import COUNT_COLUMNS, Scores
from cdec.notices import Notice

if TYPE_CHECKING:
    from cdec.clustering import Clustering
    from cdec.evaluation.system_run import SystemRun

FIELDS = ("precision", "recall", "f1")
_KEYS = ["unit", "corpus", "split", "setting", "system", "metric"]
SD_COLUMNS = (*(f"{field}_sd" for field in FIELDS), "runs")


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


@dataclass(frozen=True)
class MeanScores(Scores):
    """The means of the values of several runs; a mean of F1 is not the F1 of mean P and R.

    ``counts`` is empty: the counts of the runs do not add up to these values.

    >>> from cdec.metrics import Counts
    >>> first, second = (Scores(("muc",), {"muc": Counts(n, 4, n, 4)}) for n in (1, 3))
    >>> scores = MeanScores(("muc",), {}, (first, second))
    >>> scores["muc"].f1, round(scores.rows()[0]["f1_sd"], 4)
    (0.5, 0.3536)
    """

    each: tuple[Scores, ...] = ()

    @cached_property
    def values(self) -> dict[str, Value]:
        """Metric id → mean precision, recall and F1 over the runs."""
        return {name: _mean([scores[name] for scores in self.each]) for name in self.metrics}

    def rows(self) -> list[dict[str, object]]:
        """Return one record per metric: means, standard deviations and the number of runs."""
        return [
            {
                "metric": name,
                **value._asdict(),
                **dict.fromkeys(COUNT_COLUMNS),
                **self._spread(name),
            }
            for name, value in self.values.items()
        ]

    def _spread(self, name: str) -> dict[str, object]:
        """Return the standard deviations over the runs (with n − 1), and the number of runs."""
        columns = zip(*(scores[name] for scores in self.each), strict=True)
        deviations = [_deviation(column) for column in columns]
        return dict(zip(SD_COLUMNS, [*deviations, len(self.each)], strict=True))


def mean_rows(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the means of breakdowns of several runs of a system, by unit, setting and metric.

    A row that one of the runs lacks is the mean of the others.
    """
    table = pd.concat(tables, ignore_index=True)
    groups = table.groupby(_KEYS, sort=False, dropna=False)
    values = groups[list(FIELDS)]
    means = values.mean()
    deviations = values.std().add_suffix("_sd")
    counts = groups.size().rename("runs")
    empty = dict.fromkeys(COUNT_COLUMNS)
    return pd.concat([means.assign(**empty), deviations, counts], axis=1).reset_index()


def _mean(values: Sequence[Value]) -> Value:
    precision, recall, f1 = zip(*values, strict=True)
    means = [None if None in column else float(np.mean(column)) for column in (precision, recall)]
    return Value(means[0], means[1], float(np.mean(f1)))


def _deviation(values: Sequence[float | None]) -> float | None:
    if None in values:
        return None
    return float(np.std(np.asarray(values, dtype=np.float64), ddof=1))

"""Scores of a frame of mentions with the counts of cdec or of neleval: of all, and by unit.

``score`` sums counts (micro-average). ``by_unit`` scores each unit (document, sub-topic, topic) by
itself, and ``macro`` averages over units.

Inside a unit a value can be undefined (0/0): MUC where neither side has a link. It is None here,
not 0, and the macro-average leaves it out.

==================  ==========================================================================
precision, recall   undefined where the denominator is 0
F1                  undefined where both are; 0 where one is
BLANC               of the halves with key links; undefined where both halves are
a mean (CoNLL)      undefined where one of its metrics is
macro-average       per column, the unweighted mean over the units in which it is defined; that
                    of BLANC and of a mean is made of the macro-averages of its parts
==================  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

import numpy as np
import pandas as pd

from cdec.errors import UsageError, one_of
from cdec.metrics import neleval
from cdec.metrics.counts import COUNT_COLUMNS, Counts, Value, value_of
from cdec.metrics.registry import (
    ALL,
    DEFAULT,
    EVERY,
    REGISTRY,
    derive,
    measure,
    metric_ids,
    ordered,
    required,
)
from cdec.metrics.table import Table


@dataclass(frozen=True)
class Scores:
    """The counts and values of metrics.

    ``metrics`` are the ids to show, in result order; ``counts`` also has the metrics that derived
    metrics need.

    >>> mentions = pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1})
    >>> scores = score(mentions, ["muc", "conll"])
    >>> list(scores.values), scores.rows()[0]["p_den"]
    (['muc', 'conll'], 2)
    """

    metrics: tuple[str, ...]
    counts: Mapping[str, Counts]

    @cached_property
    def values(self) -> dict[str, Value]:
        """Metric id → precision, recall and F1 in [0, 1]."""
        return self._values(undefined=0.0)

    @cached_property
    def defined(self) -> dict[str, Value]:
        """The ``values`` of a unit, with None for 0/0."""
        return self._values(undefined=np.nan)

    def _values(self, undefined: float) -> dict[str, Value]:
        each = {name: value_of(np.array(counts, float)) for name, counts in self.counts.items()}
        return {n: value.plain() for n, value in derive(each, self.metrics, undefined).items()}

    def __getitem__(self, metric: str) -> Value:
        return self.values[one_of("metric", metric, self.values)]

    def rows(self) -> list[dict[str, object]]:
        """Return one record per metric: precision, recall, f1 and the four counts."""
        return [
            {"metric": name, **value._asdict()}
            | {column: getattr(self.counts.get(name), column, None) for column in COUNT_COLUMNS}
            for name, value in self.values.items()
        ]


SCORERS: dict[str, Collection[str]] = {"cdec": REGISTRY, "neleval": neleval.COUNTERS}
"""Scorer → the ids of its metrics."""


def check_names(metrics: Iterable[str] | None, scorer: str) -> None:
    """Raise UnknownNameError for an unknown metric or scorer, UsageError for an unsupported metric.

    ``None`` means all metrics of the scorer.

    >>> check_names(["muck"], "cdec")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    cdec.errors.UnknownNameError: unknown metric 'muck' (did you mean 'muc'? ...
    """
    has = SCORERS[one_of("scorer", scorer, SCORERS)]
    missing = [name for name in metrics or () if not all(need in has for need in required([name]))]
    if missing:
        message = f"the scorer '{scorer}' does not compute {', '.join(missing)}"
        hint = f"it computes {', '.join(has)} and their means"
        raise UsageError("argument-invalid", message, hint=hint)


def requested(
    metrics: str | Iterable[str] | None, scorer: str
) -> tuple[tuple[str, ...] | None, bool]:
    """Return the ids of the metrics that a call asks for, and whether it names each of them.

    The ids are None if these are all of cdec on chains. Without any they are those shown by default
    that the scorer computes. Raises as ``check_names`` and ``metric_ids`` do.

    >>> requested(None, "cdec"), requested("all", "cdec"), requested("MUC", "cdec")
    ((('muc', 'b3', 'ceafe', 'lea', 'conll'), False), (None, False), (('muc',), True))
    """
    has = SCORERS[one_of("scorer", scorer, SCORERS)]
    names = [metrics] if isinstance(metrics, str) else metrics if metrics is None else [*metrics]
    ids = metric_ids(names or ())
    if {*ids} == {*ALL}:
        return None, EVERY not in map(str.lower, names or ())
    check_names(ids, scorer)
    usual = (name for name in DEFAULT if all(need in has for need in required([name])))
    return ids or tuple(usual), bool(ids)


def score(
    mentions: pd.DataFrame, metrics: str | Iterable[str] | None = None, scorer: str = "cdec"
) -> Scores:
    """Score all meta-documents together: counts are summed, then divided (micro-average).

    ``mentions`` as in ``Table.of``; ``metrics`` are ids of ``cdec.metrics.REGISTRY``, the default
    is all metrics of cdec that the scorer computes. Raises as ``check_names`` does.

    >>> score(pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1}))["muc"]
    Value(precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    check_names(None if metrics is None else ordered(metrics), scorer)
    shown = ordered(metrics)
    if scorer == "neleval":
        return Scores(shown, neleval.score(mentions, shown))
    return Scores(shown, measure(Table.of(mentions), shown))


def by_unit(
    mentions: pd.DataFrame,
    units: pd.Series[str],
    metrics: Iterable[str] | None = None,
    scorer: str = "cdec",
) -> dict[str, Scores]:
    """Score the mentions of each unit by themselves; links across units do not count.

    ``units`` maps mention id → name of its document, sub-topic or topic.

    >>> mentions = pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1}, index=list("abc"))
    >>> units = pd.Series({"a": "d1", "b": "d1", "c": "d2"})
    >>> {name: scores["muc"].f1 for name, scores in by_unit(mentions, units).items()}
    {'d1': 1.0, 'd2': 0.0}
    """
    groups = mentions.groupby(units, sort=False)
    return {str(name): score(rows, metrics, scorer) for name, rows in groups}


def macro(units: Iterable[Scores]) -> dict[str, Value]:
    """Return the macro-average of each metric: every unit has the same weight.

    >>> right, wrong, none = Counts(1, 1, 1, 1), Counts(0, 1, 0, 1), Counts(0, 0, 0, 0)
    >>> macro(Scores(("muc",), {"muc": counts}) for counts in (right, wrong, none))["muc"].f1
    0.5
    """
    scores = list(units)
    if not scores:
        return {}
    means = {}
    for name in scores[0].counts:
        columns = np.array(value_of(np.array([one.counts[name] for one in scores], float)))
        defined = (column[~np.isnan(column)].tolist() for column in columns)
        means[name] = Value(*(np.float64(fmean(c) if c else np.nan) for c in defined))
    return {n: value.plain() for n, value in derive(means, scores[0].metrics, np.nan).items()}

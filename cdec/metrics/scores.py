"""The metrics by id, and the scores of mentions by them.

``ALL`` has those of cdec on chains. Tables show ``DEFAULT`` unless the call names metrics, or
``all``: an installed package changes no table. Metrics of other packages (group ``cdec.metrics``)
must be requested by id, and so must those that rooms add, and ``mentions`` unless key and response
have different mentions. ``requested`` checks the names of a call; behind it they are ids.

``score`` sums counts (micro-average). ``by_unit`` scores each unit (document, sub-topic, topic) by
itself, and ``macro`` averages over units. Inside a unit a value can be undefined (0/0): MUC where
neither side has a link. It is None there, not 0, and the macro-average leaves it out.

==================  ==========================================================================
precision, recall   undefined where the denominator is 0
F1                  undefined where both are; 0 where one is
BLANC               of the halves with key links, or by its rule ``both`` of those with links on
                    a side; undefined where both halves are
a mean (CoNLL)      undefined where one of its metrics is
macro-average       per column, the unweighted mean over the units in which it is defined; that
                    of BLANC and of a mean is made of the macro-averages of its parts
==================  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any, TypeAlias, cast

import numpy as np
import pandas as pd

from cdec.arrays import Floats, StrSeries
from cdec.catalogue import added, entries
from cdec.errors import UsageError, one_of
from cdec.metrics import neleval
from cdec.metrics.ceaf import CEAF_M
from cdec.metrics.lea import LEA
from cdec.metrics.mentions import MENTIONS
from cdec.metrics.metric import (
    COUNT_COLUMNS,
    NO_RULES,
    Counts,
    DerivedMetric,
    Metric,
    Rules,
    Terms,
    Value,
    check_counts,
    check_value,
    value_of,
)
from cdec.metrics.table import Table
from cdec.plugins import Registry, errors_of_plugin
from cdec.records import Row

ALL_METRICS = "all"
AnyMetric: TypeAlias = Metric | DerivedMetric


def _check(name: str, value: object) -> None:
    """Raise an exception if ``value`` is not a valid plug-in metric ``name``."""
    if not isinstance(value, Metric | DerivedMetric):
        raise TypeError(
            f"expected a Metric or DerivedMetric, got {type(value).__name__}"
        )
    if value.id != name:
        raise ValueError(f"its id is '{value.id}'")
    if isinstance(value, DerivedMetric):
        for need in value.needs:
            if REGISTRY[need].id != need:
                raise ValueError(f"it needs '{need}', which is '{REGISTRY[need].id}'")


REGISTRY: Registry[AnyMetric] = Registry(
    "metric", "cdec.metrics", entries("metric"), _check
)
ALL: dict[str, AnyMetric] = {
    name: REGISTRY[name]
    for name in entries("metric")
    if name != MENTIONS.id and name not in added("metric")
}
DEFAULT = tuple(name for name, metric in ALL.items() if metric.by_default)
# In tables, those of Table 3 of Upadhyay et al. (2016) come first, then later metrics.
_LATER = (LEA.id, CEAF_M.id)
IN_TABLES = (*(name for name in ALL if name not in _LATER), *_LATER)
NELEVAL = {
    name: metric.neleval
    for name, metric in ALL.items()
    if isinstance(metric, Metric) and metric.neleval
}
SCORERS: dict[str, Collection[str]] = {"cdec": REGISTRY, "neleval": NELEVAL}
"""Scorer → the ids of the metrics that it counts."""


# ---- names ----


def requested(metrics: object, scorer: str) -> tuple[tuple[str, ...] | None, bool]:
    """Return the ids of the metrics that a call asks for, and whether it names each of them.

    ``metrics`` is an id in any case, several, or None. The ids are None if these are all of cdec on
    chains. Without any they are those shown by default that the scorer computes. Raises
    UnknownNameError, and UsageError for what is not an id or not computed by the scorer.

    >>> requested(None, "cdec"), requested("all", "cdec"), requested(["MUC", "muc"], "cdec")
    ((('muc', 'b3', 'ceafe', 'lea', 'conll'), False), (None, False), (('muc',), True))
    """
    one_of("scorer", scorer, SCORERS)
    names: list[Any] = []
    if isinstance(metrics, Iterable) and not isinstance(metrics, str):
        names = [*metrics]
    elif metrics is not None:
        names = [metrics]
    ids = dict[str, None]()
    for name in names or DEFAULT:
        if not isinstance(name, str):
            raise UsageError(
                "argument-invalid",
                f"expected the id of a metric, got {type(name).__name__}",
                hint='such as "conll" or ["muc", "b3"]',
            )
        if name.lower() == ALL_METRICS:
            ids.update(dict.fromkeys(ALL))
        else:
            ids[REGISTRY[name].id] = None
    if ids.keys() == ALL.keys():
        names_each = ALL_METRICS not in map(str.lower, names)
        return None, names_each
    computed = SCORERS[scorer]
    missing = [
        name for name in ids if any(base not in computed for base in required([name]))
    ]
    if missing and names:
        raise UsageError(
            "argument-invalid",
            f"the scorer '{scorer}' does not compute {', '.join(missing)}",
            hint=f"it computes {', '.join(computed)} and their means",
        )
    return tuple(name for name in ids if name not in missing), bool(names)


def ordered(metrics: Iterable[str] | None = None) -> tuple[str, ...]:
    """Return ids in result order: those of cdec, then others as they are.

    >>> ordered(["conll", "muc"])
    ('muc', 'conll')
    """
    names = dict.fromkeys(ALL if metrics is None else metrics)
    of_cdec = [name for name in REGISTRY.own if name in names]
    others = [name for name in names if name not in REGISTRY.own]
    return (*of_cdec, *others)


def required(metrics: Iterable[str] | None = None) -> tuple[str, ...]:
    """Return the ids of the metrics to count for ``metrics`` (default: all of cdec).

    >>> required(["conll"])
    ('muc', 'b3', 'ceafe')
    """
    names = _with_needs(ALL if metrics is None else metrics)
    return ordered(
        name for name in names if not isinstance(REGISTRY[name], DerivedMetric)
    )


def _with_needs(metrics: Iterable[str]) -> list[str]:
    """Return the ids and those that derived metrics need, which come later and can recur."""
    names = [*metrics]
    for name in names:  # the list grows
        metric = REGISTRY[name]
        if isinstance(metric, DerivedMetric):
            names += metric.needs
    return names


# ---- scores ----


@dataclass(frozen=True)
class Scores:
    """The values of metrics, precision, recall and F1 in [0, 1], by id in result order.

    ``counts`` has those of counted metrics, also of those that derived metrics need.

    >>> mentions = pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1})
    >>> scores = score(mentions, ["muc", "conll"])
    >>> list(scores.values), scores.rows()[0]["p_den"]
    (['muc', 'conll'], 2)
    """

    values: Mapping[str, Value]
    counts: Mapping[str, Counts]

    def __getitem__(self, metric: str) -> Value:
        return self.values[one_of("metric", metric, self.values)]

    def rows(self) -> list[dict[str, object]]:
        """Return one record per metric: precision, recall, f1 and the four counts."""
        rows = []
        for name, value in self.values.items():
            counts: Row = dict.fromkeys(COUNT_COLUMNS)
            if name in self.counts:
                counts = self.counts[name]._asdict()
            rows.append({"metric": name, **value._asdict(), **counts})
        return rows


def score(
    mentions: pd.DataFrame | Table,
    metrics: Iterable[str] | None = None,
    scorer: str = "cdec",
    *,
    undefined: float = 0.0,
    rules: Rules = NO_RULES,
) -> Scores:
    """Score all meta-documents together: counts are summed, then divided (micro-average).

    ``mentions`` are a Table, or a frame as in ``Table.of``, which neleval needs. ``metrics`` are
    ids, by default all of cdec on chains; those that the scorer lacks are omitted. An ``undefined``
    value (0/0) is 0, or with NaN it is None. ``rules``: see ``derive``. Raises UnknownNameError,
    and PluginError if a metric of another package fails.

    >>> score(pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1}))["muc"]
    Value(precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    counts = dict[str, Counts]()
    if scorer == "neleval":
        functions = {
            name: NELEVAL[name] for name in required(metrics) if name in NELEVAL
        }
        counts = neleval.score(cast("pd.DataFrame", mentions), functions)
    else:
        table = mentions if isinstance(mentions, Table) else Table.of(mentions)
        for name in required(metrics):
            result = count_metric(name, table)
            counts[name] = result.counts() if isinstance(result, Terms) else result
    base = {
        name: value_of(np.array(numbers, np.float64))
        for name, numbers in counts.items()
    }
    values = derive(base, ordered(metrics), undefined, rules)
    return Scores({name: value.plain() for name, value in values.items()}, counts)


def count_metric(name: str, table: Table) -> Terms | Counts:
    """Return the terms of a table by a metric, or its counts if it has no terms.

    Raises PluginError if a metric of another package fails.
    """
    metric: Any = REGISTRY[name]
    count = metric.terms or metric.count
    result: Terms | Counts = _call(name, count, check_counts, table)
    return result


def _call(
    name: str,
    function: Callable[..., Any],
    check: Callable[..., None],
    *arguments: Any,
) -> Any:
    """Return the result of a function of a metric, which is checked unless it is of cdec."""
    if name in REGISTRY.own:
        return function(*arguments)
    message = f"the metric '{name}' of {REGISTRY.origin(name)} failed"
    with errors_of_plugin(message, "report it to the authors of that package"):
        result = function(*arguments)
        check(result, *arguments)
        return result


def derive(
    base: Mapping[str, Value],
    metrics: Iterable[str],
    undefined: float = 0.0,
    rules: Rules = NO_RULES,
) -> dict[str, Value]:
    """Return the values of ``metrics`` in this order; those that lack a part are omitted.

    ``base`` has the values of the metrics with counts, with NaN where they are undefined, for which
    the result has ``undefined``. A metric in ``rules`` is computed by that rule.

    >>> half, none = Value(*[np.float64(0.5)] * 3), Value(*[np.float64("nan")] * 3)
    >>> derive({"muc": none, "b3": half, "ceafe": half}, ["conll"])["conll"].plain().f1
    0.3333333333333333
    """
    values = dict(base)
    filled = dict[str, Value]()  # with ``undefined`` in place of NaN
    names = [*metrics]
    # What a metric needs comes before it.
    for name in dict.fromkeys(reversed(_with_needs(names))):
        metric = REGISTRY[name]
        if isinstance(metric, DerivedMetric) and filled.keys() >= {*metric.needs}:
            parts = values if metric.of_undefined else filled
            arguments = [parts[need] for need in metric.needs]
            function = metric.rules[rules[name]] if name in rules else metric.value
            values[name] = _call(name, function, check_value, *arguments)
        if name in values:
            numbers: list[Any] = []
            for number in values[name]:
                if number is None:
                    numbers.append(None)
                else:
                    numbers.append(np.where(np.isnan(number), undefined, number)[()])
            filled[name] = Value(*numbers)
    return {name: filled[name] for name in names if name in filled}


def by_unit(
    mentions: pd.DataFrame,
    units: StrSeries,
    metrics: Iterable[str] | None = None,
    scorer: str = "cdec",
    rules: Rules = NO_RULES,
) -> dict[str, Scores]:
    """Score the mentions of each unit by themselves; links across units do not count.

    ``units`` maps mention id → name of its document, sub-topic or topic. An undefined value is
    None.

    >>> mentions = pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1}, index=list("abc"))
    >>> units = pd.Series({"a": "d1", "b": "d1", "c": "d2"})
    >>> {name: scores["muc"].f1 for name, scores in by_unit(mentions, units).items()}
    {'d1': 1.0, 'd2': None}
    """
    return {
        str(name): score(rows, metrics, scorer, undefined=np.nan, rules=rules)
        for name, rows in mentions.groupby(units, sort=False)
    }


def macro(units: Iterable[Scores], rules: Rules = NO_RULES) -> dict[str, Value]:
    """Return the macro-average of each metric: every unit has the same weight.

    >>> mentions = pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1}, index=list("abc"))
    >>> macro(by_unit(mentions, pd.Series({"a": "d1", "b": "d1", "c": "d2"})).values())["muc"].f1
    1.0
    """
    scores = list(units)
    if not scores:
        return {}
    means = {}
    for name in scores[0].counts:
        counts = np.array([unit.counts[name] for unit in scores], np.float64)
        means[name] = Value(*map(_mean_of_defined, value_of(counts)))
    averages = derive(means, scores[0].values, np.nan, rules)
    return {name: value.plain() for name, value in averages.items()}


def _mean_of_defined(column: Floats) -> np.float64:
    defined = column[~np.isnan(column)].tolist()
    return np.float64(fmean(defined) if defined else np.nan)

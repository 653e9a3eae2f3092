"""Scores of meta-documents with the counts of cdec or of neleval: of all together, and by unit.

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

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean

import pandas as pd

from cdec.errors import UsageError, one_of
from cdec.metadocument import MetaDocuments
from cdec.metrics import neleval
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts, UnitValue, Value
from cdec.metrics.metric import DerivedMetric, Metric
from cdec.metrics.registry import (
    ALL,
    DEFAULT,
    EVERY,
    REGISTRY,
    derive,
    measure,
    metric_ids,
    metric_names,
    ordered,
    required,
)

COUNT_COLUMNS = ("p_num", "p_den", "r_num", "r_den")


@dataclass(frozen=True)
class Scores:
    """The counts and values of metrics.

    ``metrics`` are the ids to show, in result order; ``counts`` also has the metrics that derived
    metrics need.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1}, index=list("abc"))
    >>> scores = score(MetaDocuments(table), ["muc", "conll"])
    >>> list(scores.values), scores.rows()[0]["p_den"]
    (['muc', 'conll'], 2)
    """

    metrics: tuple[str, ...]
    counts: Mapping[str, Counts]

    @cached_property
    def values(self) -> dict[str, Value]:
        """Metric id → precision, recall and F1 in [0, 1]."""
        return derive(self.counts, self.metrics)

    def __getitem__(self, metric: str) -> Value:
        one_of("metric", metric, self.values)
        return self.values[metric]

    def rows(self) -> list[dict[str, object]]:
        """Return one record per metric: precision, recall, f1 and the four counts."""
        return [
            {"metric": name, **value._asdict()}
            | {column: getattr(self.counts.get(name), column, None) for column in COUNT_COLUMNS}
            for name, value in self.values.items()
        ]


def _cdec(meta_documents: MetaDocuments, metrics: Iterable[str]) -> dict[str, Counts]:
    needed = required(metrics)
    table = Contingency.from_meta_documents(meta_documents)
    return measure(table, needed)


@dataclass(frozen=True)
class Scorer:
    """A scorer: its counting function, and the ids of its metrics.

    >>> sorted(SCORERS["neleval"].metrics)
    ['b3', 'blanc_coref', 'blanc_noncoref', 'ceafe', 'ceafm', 'muc']
    """

    count: Callable[[MetaDocuments, Iterable[str]], dict[str, Counts]]
    metrics: Collection[str]


SCORERS = {
    "cdec": Scorer(_cdec, REGISTRY),
    "neleval": Scorer(neleval.score, neleval.COUNTERS),
}


def check_names(metrics: Iterable[str] | None, scorer: str) -> None:
    """Raise UnknownNameError for an unknown metric or scorer, UsageError for an unsupported metric.

    ``None`` means all metrics of the scorer.

    >>> check_names(["muck"], "cdec")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    cdec.errors.UnknownNameError: unknown metric 'muck' (did you mean 'muc'? ...
    """
    one_of("scorer", scorer, SCORERS)
    has = SCORERS[scorer].metrics
    missing = [name for name in metrics or () if not all(need in has for need in required([name]))]
    if missing:
        message = f"the scorer '{scorer}' does not compute {', '.join(missing)}"
        hint = f"it computes {', '.join(has)} and their means"
        raise UsageError("metric-unsupported", message, hint=hint)


def requested(
    metrics: str | Iterable[str] | None, scorer: str
) -> tuple[tuple[str, ...] | None, bool]:
    """Return the ids of the metrics that a call asks for, and whether it names each of them.

    The ids are None if these are all of cdec on chains. Without any they are those shown by default
    that the scorer computes. Raises as ``check_names`` and ``metric_ids`` do.

    >>> requested(None, "cdec"), requested("all", "cdec"), requested("MUC", "cdec")
    ((('muc', 'b3', 'ceafe', 'lea', 'conll'), False), (None, False), (('muc',), True))
    """
    has = SCORERS[one_of("scorer", scorer, SCORERS)].metrics
    names = () if metrics is None else metric_names(metrics)
    ids = metric_ids(names)
    if {*ids} == {*ALL}:
        return None, EVERY not in map(str.lower, names)
    check_names(ids, scorer)
    usual = (name for name in DEFAULT if all(need in has for need in required([name])))
    return ids or tuple(usual), bool(ids)


def score(
    meta_documents: MetaDocuments,
    metrics: str | Iterable[str] | None = None,
    scorer: str = "cdec",
) -> Scores:
    """Score all meta-documents together: counts are summed, then divided (micro-average).

    ``metrics`` are ids of ``cdec.metrics.REGISTRY``; the default is all metrics of cdec that the
    scorer computes. Raises as ``check_names`` does.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1}, index=list("abc"))
    >>> score(MetaDocuments(table))["muc"]
    Value(precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    requested = None if metrics is None else ordered(metrics)
    check_names(requested, scorer)
    shown = ordered(requested)
    return Scores(shown, SCORERS[scorer].count(meta_documents, shown))


def by_unit(
    meta_documents: MetaDocuments,
    units: pd.Series[str],
    metrics: Iterable[str] | None = None,
    scorer: str = "cdec",
) -> dict[str, Scores]:
    """Score the mentions of each unit by themselves; links across units do not count.

    ``units`` maps mention id → name of its document, sub-topic or topic.

    >>> table = pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": 1}, index=list("abc"))
    >>> units = pd.Series({"a": "d1", "b": "d1", "c": "d2"})
    >>> {name: scores["muc"].f1 for name, scores in by_unit(MetaDocuments(table), units).items()}
    {'d1': 1.0, 'd2': 0.0}
    """
    table = meta_documents.table
    groups = table.groupby(units, sort=False)
    parts = ((name, replace(meta_documents, table=rows)) for name, rows in groups)
    return {str(name): score(part, metrics, scorer) for name, part in parts}


def unit_values(scores: Scores) -> dict[str, UnitValue]:
    """Return the values of one unit: those of ``scores.values``, with None for 0/0.

    >>> unit_values(Scores(("muc",), {"muc": Counts(0, 0, 0, 1)}))["muc"]
    UnitValue(precision=None, recall=0.0, f1=0.0)
    """
    return {name: REGISTRY[name].unit_value_of(scores.counts) for name in scores.values}


def macro(units: Iterable[Scores]) -> dict[str, UnitValue]:
    """Return the macro-average of each metric: every unit has the same weight.

    ``score`` over all units, which sums their counts, is the micro-average.

    >>> right, wrong = Counts(1, 1, 1, 1), Counts(0, 1, 0, 1)
    >>> macro(Scores(("muc",), {"muc": counts}) for counts in (right, wrong))["muc"].f1
    0.5
    >>> no_link = Counts(0, 0, 0, 0)
    >>> macro(Scores(("muc",), {"muc": counts}) for counts in (right, no_link))["muc"].f1
    1.0
    """
    scores = list(units)
    counts = [unit.counts for unit in scores]
    return {name: _macro(REGISTRY[name], counts) for name in scores[0].values} if scores else {}


def _macro(metric: Metric | DerivedMetric, units: Sequence[Mapping[str, Counts]]) -> UnitValue:
    if isinstance(metric, DerivedMetric) and metric.combine:
        return metric.combine(*(_macro(part, units) for part in metric.parts))
    columns = zip(*(metric.unit_value_of(counts) for counts in units), strict=True)
    return UnitValue(*map(_mean, columns))


def _mean(numbers: Iterable[float | None]) -> float | None:
    defined = [number for number in numbers if number is not None]
    return fmean(defined) if defined else None

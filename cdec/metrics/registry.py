"""The metrics by id: those of cdec, and those of other packages (group ``cdec.metrics``).

``ALL``, ``METRICS`` and ``DERIVED`` have those of cdec on chains. Tables show ``DEFAULT`` unless
the call names metrics, or ``all``: an installed package changes no table. Metrics of other packages
must be requested by id, and so must ``ON_MENTIONS``, unless key and response have different
mentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from cdec.errors import UsageError
from cdec.metrics.b3 import B3
from cdec.metrics.blanc import BLANC, BLANC_COREF, BLANC_NONCOREF
from cdec.metrics.ceaf import CEAF_E, CEAF_M
from cdec.metrics.counts import Counts, Value
from cdec.metrics.derived import AVG4, CONLL
from cdec.metrics.lea import LEA
from cdec.metrics.mentions import MENTIONS, MOR, ZEROS
from cdec.metrics.metric import DerivedMetric, Metric, Terms
from cdec.metrics.muc import MUC
from cdec.metrics.table import Table
from cdec.plugins import Registry, errors_of_plugin

EVERY = "all"
AnyMetric: TypeAlias = Metric | DerivedMetric
_HALVES = (BLANC_COREF, BLANC_NONCOREF)
_OWN: tuple[AnyMetric, ...] = (MUC, B3, CEAF_M, CEAF_E, *_HALVES, BLANC, LEA, CONLL, AVG4)
_OF_MENTIONS = (MENTIONS, MOR, ZEROS)
# In tables, those of Table 3 of Upadhyay et al. (2016) come first, then later metrics.
_LATER = (LEA, CEAF_M)
IN_TABLES = [metric.id for metric in (*(m for m in _OWN if m not in _LATER), *_LATER)]


def _check(name: str, value: object) -> None:
    """Raise an exception if ``value`` is not a valid plug-in metric ``name``."""
    if not isinstance(value, Metric | DerivedMetric):
        raise TypeError(f"expected a Metric or DerivedMetric, got {type(value).__name__}")
    if value.id != name:
        raise ValueError(f"its id is '{value.id}'")
    if isinstance(value, DerivedMetric):
        required(value.needs)


REGISTRY: Registry[AnyMetric] = Registry(
    "metric", "cdec.metrics", {metric.id: metric for metric in (*_OWN, *_OF_MENTIONS)}, _check
)
ALL: dict[str, AnyMetric] = {metric.id: metric for metric in _OWN}
DEFAULT = tuple(metric.id for metric in _OWN if metric.by_default)
ON_MENTIONS: dict[str, Metric] = {metric.id: metric for metric in _OF_MENTIONS}
METRICS = {name: metric for name, metric in ALL.items() if isinstance(metric, Metric)}
DERIVED = {name: metric for name, metric in ALL.items() if isinstance(metric, DerivedMetric)}


def metric_ids(metrics: Any) -> tuple[str, ...]:
    """Return the ids of ``metrics`` (an id in any case, or several) in this order, each once.

    ``all`` means all metrics of cdec on chains. Raises UnknownNameError, and UsageError for what is
    not an id.

    >>> metric_ids(["CoNLL", "muc", "conll"])
    ('conll', 'muc')
    >>> len(metric_ids("all"))
    10
    """
    several = isinstance(metrics, Iterable) and not isinstance(metrics, str)
    ids: list[str] = []
    for name in metrics if several else [metrics]:
        if not isinstance(name, str):
            message = f"expected the id of a metric, got {type(name).__name__}"
            raise UsageError("argument-invalid", message, hint='such as "conll" or ["muc", "b3"]')
        ids += ALL if name.lower() == EVERY else [REGISTRY.require(name)]
    return tuple(dict.fromkeys(ids))


def ordered(metrics: str | Iterable[str] | None = None) -> tuple[str, ...]:
    """Return the ids of ``metrics`` in result order: those of cdec, then others as requested.

    ``metrics`` is an id or several; the default is all metrics of cdec. Raises as ``metric_ids``.

    >>> ordered(["conll", "muc"])
    ('muc', 'conll')
    """
    if metrics is None:
        return tuple(ALL)
    names, own = metric_ids(metrics), {**ALL, **ON_MENTIONS}
    return (*(name for name in own if name in names), *(n for n in names if n not in own))


def required(metrics: Iterable[str] | None = None) -> list[str]:
    """Return the ids of the metrics to count for ``metrics`` (default: all of cdec).

    >>> required(["conll"])
    ['muc', 'b3', 'ceafe']
    """
    needs: list[str] = []
    for name in ordered(metrics):
        metric = REGISTRY[name]
        needs += required(metric.needs) if isinstance(metric, DerivedMetric) else [name]
    return list(ordered(needs))


def measure(table: Table, metrics: Iterable[str] | None = None) -> dict[str, Counts]:
    """Return the counts of ``metrics`` (ids; default: all of cdec).

    For a derived metric these are the counts that it needs. Raises UnknownNameError, and
    PluginError if a metric of another package fails.

    >>> from cdec import Clustering
    >>> key = Clustering.from_chains(["12345", "67", "89ABC"])
    >>> response = Clustering.from_chains(["12345", "6789ABC"])
    >>> measure(Table.of_clusterings(key, response), ["ceafm"])
    {'ceafm': Counts(p_num=10, p_den=12, r_num=10, r_den=12)}
    """
    counted = {name: asked(name, table) for name in required(metrics)}
    return {n: one.counts() if isinstance(one, Terms) else one for n, one in counted.items()}


def asked(name: str, table: Table) -> Any:
    """Return the terms of a table by a metric, or its counts if it has no terms.

    Raises PluginError if a metric of another package fails.
    """
    metric: Any = REGISTRY[name]
    ask = metric.terms or metric.count
    if name in REGISTRY.own:
        return ask(table)
    message = f"the metric '{name}' of {REGISTRY.origin(name)} failed"
    with errors_of_plugin(message, "report it to the authors of that package"):
        return ask(table)


def derive(
    counted: Mapping[str, Value], metrics: Iterable[str], undefined: float = 0.0
) -> dict[str, Value]:
    """Return the values of ``metrics`` in result order; those that lack a part are omitted.

    ``counted`` has the values of the metrics with counts, with NaN where they are undefined, for
    which the result has ``undefined``.

    >>> half, none = Value(*[np.float64(0.5)] * 3), Value(*[np.float64("nan")] * 3)
    >>> derive({"muc": none, "b3": half, "ceafe": half}, ["conll"])["conll"].plain().f1
    0.3333333333333333
    """
    known: dict[str, Value] = dict(counted)

    def value(name: str) -> Value:
        metric = REGISTRY[name]
        if name not in known and isinstance(metric, DerivedMetric):
            of = np.nan if metric.of_undefined else undefined
            known[name] = metric.value(*(value(need).filled(of) for need in metric.needs))
        return known[name]

    has = known.keys()
    shown = [name for name in ordered(metrics) if has >= {*required([name])}]
    return {name: value(name).filled(undefined) for name in shown}

"""The metrics by id: those of cdec, and those of other packages (group ``cdec.metrics``).

``ALL``, ``METRICS`` and ``DERIVED`` have those of cdec on chains. Tables show ``DEFAULT`` unless
the call names metrics, or ``all``: an installed package changes no table. Metrics of other packages
must be requested by id, and so must ``ON_MENTIONS``, unless key and response have different
mentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from cdec.errors import PluginError, UsageError
from cdec.metrics.b_cubed import B_CUBED
from cdec.metrics.blanc import BLANC, BLANC_COREF, BLANC_NONCOREF
from cdec.metrics.ceaf import CEAF_E, CEAF_M
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts, Value
from cdec.metrics.lea import LEA
from cdec.metrics.means import AVG4, CONLL
from cdec.metrics.mentions import MENTIONS, MOR, ZEROS
from cdec.metrics.metric import DerivedMetric, Metric
from cdec.metrics.muc import MUC
from cdec.plugins import Registry, errors_of_plugin

EVERY = "all"
AnyMetric: TypeAlias = Metric | DerivedMetric
_OWN: tuple[AnyMetric, ...] = (
    MUC,
    B_CUBED,
    CEAF_M,
    CEAF_E,
    BLANC_COREF,
    BLANC_NONCOREF,
    BLANC,
    LEA,
    CONLL,
    AVG4,
)
_OF_MENTIONS = (MENTIONS, MOR, ZEROS)
# In tables, those of Table 3 of Upadhyay et al. (2016) come first, then later metrics.
_LATER = (LEA, CEAF_M)
IN_TABLES = [metric.id for metric in (*(m for m in _OWN if m not in _LATER), *_LATER)]


def _check(name: str, value: object) -> None:
    """Raise TypeError or ValueError if ``value`` is not a valid plug-in metric ``name``."""
    if not isinstance(value, Metric | DerivedMetric):
        raise TypeError(f"expected a Metric or DerivedMetric, got {type(value).__name__}")
    if value.id != name:
        raise ValueError(f"its id is '{value.id}'")
    if isinstance(value, DerivedMetric):
        missing = [need for need in value.needs if need not in REGISTRY]
        if missing:
            raise ValueError(f"it needs {', '.join(missing)}, which is not installed")


REGISTRY: Registry[AnyMetric] = Registry(
    "metric", "cdec.metrics", {metric.id: metric for metric in (*_OWN, *_OF_MENTIONS)}, _check
)
ALL: dict[str, AnyMetric] = {metric.id: metric for metric in _OWN}
DEFAULT = tuple(metric.id for metric in _OWN if metric.by_default)
ON_MENTIONS: dict[str, Metric] = {metric.id: metric for metric in _OF_MENTIONS}
METRICS = {name: metric for name, metric in ALL.items() if isinstance(metric, Metric)}
DERIVED = {name: metric for name, metric in ALL.items() if isinstance(metric, DerivedMetric)}


def counted(name: str) -> Metric:
    """Return a metric with counts; raises PluginError if it is a derived metric.

    >>> counted("muc").label
    'MUC'
    """
    metric = REGISTRY[name]
    if isinstance(metric, DerivedMetric):
        raise PluginError(
            "metric-unsupported",
            f"a metric cannot need '{name}', which is derived and has no counts",
            hint=f"name {', '.join(metric.needs)} in its field 'needs'",
        )
    return metric


def ordered(metrics: str | Iterable[str] | None = None) -> tuple[str, ...]:
    """Return the ids of ``metrics`` in result order: those of cdec, then others as requested.

    ``metrics`` is an id or several; the default is all metrics of cdec. Raises UnknownNameError,
    and UsageError for what is not an id.

    >>> ordered(["conll", "muc"])
    ('muc', 'conll')
    """
    if metrics is None:
        return tuple(ALL)
    names = metric_ids(metrics)
    own = {**ALL, **ON_MENTIONS}
    others = [name for name in names if name not in own]
    return (*(name for name in own if name in names), *others)


def metric_names(metrics: Any) -> list[str]:
    """Return the names in ``metrics``, one or several. Raises UsageError for what is not a name."""
    several = isinstance(metrics, Iterable) and not isinstance(metrics, str)
    names = list(metrics) if several else [metrics]
    for name in names:
        if not isinstance(name, str):
            message = f"expected the id of a metric, got {type(name).__name__}"
            raise UsageError("argument-type", message, hint='such as "conll" or ["muc", "b3"]')
    return names


def metric_ids(metrics: Any) -> tuple[str, ...]:
    """Return the ids of ``metrics`` (an id in any case, or several) in this order, each once.

    ``all`` means all metrics of cdec on chains. Raises UnknownNameError, and UsageError for what is
    not an id.

    >>> metric_ids(["CoNLL", "muc", "conll"])
    ('conll', 'muc')
    >>> len(metric_ids("all"))
    10
    """
    names = metric_names(metrics)
    each = (ALL if name.lower() == EVERY else [REGISTRY.require(name)] for name in names)
    return tuple(dict.fromkeys(id_ for several in each for id_ in several))


def required(metrics: Iterable[str] | None = None) -> list[str]:
    """Return the ids of the metrics to count for ``metrics`` (default: all of cdec).

    Raises as ``ordered`` does, and PluginError as ``counted`` does.

    >>> required(["conll"])
    ['muc', 'b3', 'ceafe']
    """
    needs = ordered(need for name in ordered(metrics) for need in REGISTRY[name].needs)
    return [need if need in METRICS else counted(need).id for need in needs]


def measure(contingency: Contingency, metrics: Iterable[str] | None = None) -> dict[str, Counts]:
    """Return the counts of ``metrics`` (ids; default: all of cdec).

    For a derived metric these are the counts of ``needs``. Raises as ``required`` does, and
    PluginError if a metric of another package fails.

    >>> from cdec import Clustering
    >>> key = Clustering.from_chains(["12345", "67", "89ABC"])
    >>> response = Clustering.from_chains(["12345", "6789ABC"])
    >>> measure(Contingency.from_clusterings(key, response), ["ceafm"])
    {'ceafm': Counts(p_num=10, p_den=12, r_num=10, r_den=12)}
    """
    return {name: _counts(counted(name), contingency) for name in required(metrics)}


def _counts(metric: Metric, contingency: Contingency) -> Counts:
    """Return the counts of a metric; raises PluginError if that of another package fails."""
    hint = "report it to the authors of that package"
    if metric.id in REGISTRY.own:
        return metric.counts(contingency)
    with errors_of_plugin(f"the metric '{metric.id}' of {REGISTRY.origin(metric.id)} failed", hint):
        return metric.counts(contingency)


def derive(counts: Mapping[str, Counts], metrics: Iterable[str] | None = None) -> dict[str, Value]:
    """Return the values of ``metrics`` in result order; those that lack counts are omitted.

    The default is all metrics of cdec and of ``counts``.

    >>> [(name, round(value.f1, 4)) for name, value in derive({"muc": Counts(1, 1, 1, 2)}).items()]
    [('muc', 0.6667)]
    """
    names = ordered((*ALL, *counts) if metrics is None else metrics)
    entries = [REGISTRY[name] for name in names]
    return {m.id: m.value_of(counts) for m in entries if all(need in counts for need in m.needs)}

"""Coreference metrics: what each counts over a contingency, and what is derived from the counts.

``measure`` counts, ``derive`` turns counts into precision, recall and F1. Counts of several
meta-documents add, so precision, recall and F1 are computed once, at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cdec.errors import UnknownNameError
from cdec.metrics.b_cubed import B_CUBED
from cdec.metrics.blanc import BLANC, BLANC_COREF, BLANC_NONCOREF
from cdec.metrics.ceaf import CEAF_E, CEAF_M
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts, Value
from cdec.metrics.lea import LEA
from cdec.metrics.means import AVG4, CONLL
from cdec.metrics.metric import DerivedMetric, Metric
from cdec.metrics.muc import MUC

ALL: dict[str, Metric | DerivedMetric] = {
    metric.id: metric
    for metric in (
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
}
METRICS = {name: metric for name, metric in ALL.items() if isinstance(metric, Metric)}
DERIVED = {name: metric for name, metric in ALL.items() if isinstance(metric, DerivedMetric)}


def required(metrics: Iterable[str] | None = None) -> list[str]:
    """Return the ids of the metrics to count for these results (all without an argument).

    Raises UnknownNameError for an id that is not in ALL.

    >>> required(["conll"])
    ['muc', 'b3', 'ceafe']
    """
    needed: set[str] = set()
    for name in ALL if metrics is None else metrics:
        if name not in ALL:
            raise UnknownNameError("metric", name, ALL)
        needed.update(DERIVED[name].needs if name in DERIVED else (name,))
    return [name for name in METRICS if name in needed]


def measure(contingency: Contingency, metrics: Iterable[str] | None = None) -> dict[str, Counts]:
    """Return the counts behind ``metrics`` (ids of ALL; every one without the argument).

    A derived metric brings the counts it is made of. Raises UnknownNameError.

    >>> from cdec import Clustering
    >>> key = Clustering.from_chains(["12345", "67", "89ABC"])
    >>> response = Clustering.from_chains(["12345", "6789ABC"])
    >>> measure(Contingency.from_clusterings(key, response), ["ceafm"])
    {'ceafm': Counts(p_num=10, p_den=12, r_num=10, r_den=12)}
    """
    return {name: METRICS[name].count(contingency) for name in required(metrics)}


def derive(counts: Mapping[str, Counts]) -> dict[str, Value]:
    """Return, in result order, the value of every metric that ``counts`` suffice for.

    >>> [(name, round(value.f1, 4)) for name, value in derive({"muc": Counts(1, 1, 1, 2)}).items()]
    [('muc', 0.6667)]
    """
    values = {name: Value(c.precision, c.recall, c.f1) for name, c in counts.items()}
    for name, metric in DERIVED.items():
        if all(part in counts for part in metric.needs):
            values[name] = metric.value(*(counts[part] for part in metric.needs))
    return {name: values[name] for name in ALL if name in values}


__all__ = [
    "ALL",
    "DERIVED",
    "METRICS",
    "Counts",
    "DerivedMetric",
    "Metric",
    "Value",
    "derive",
    "measure",
    "required",
]

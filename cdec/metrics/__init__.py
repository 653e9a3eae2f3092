"""Coreference metrics: what each counts over a contingency, and what is derived from the counts.

``measure`` counts, ``derive`` turns counts into precision, recall and F1; ``score`` does both for
meta-documents. Counts of several meta-documents add, so precision, recall and F1 are computed
once, at the end. A metric is one object in one file, a ``Metric`` or a ``DerivedMetric``; one of
another package is added by an entry point of the group ``cdec.metrics``, see ``registry``.
"""

from cdec.metrics.contingency import Contingency
from cdec.metrics.contribution import Contribution, Share
from cdec.metrics.counts import Counts, UnitValue, Value
from cdec.metrics.means import mean_f1
from cdec.metrics.metric import Column, DerivedMetric, Metric, prf
from cdec.metrics.registry import (
    ALL,
    DERIVED,
    METRICS,
    REGISTRY,
    derive,
    measure,
    ordered,
    required,
)
from cdec.metrics.scores import Scores, score
from cdec.metrics.units import by_unit, macro, unit_values

__all__ = [
    "ALL",
    "DERIVED",
    "METRICS",
    "REGISTRY",
    "Column",
    "Contingency",
    "Contribution",
    "Counts",
    "DerivedMetric",
    "Metric",
    "Scores",
    "Share",
    "UnitValue",
    "Value",
    "by_unit",
    "derive",
    "macro",
    "mean_f1",
    "measure",
    "ordered",
    "prf",
    "required",
    "score",
    "unit_values",
]

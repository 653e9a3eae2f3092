"""Coreference metrics.

``measure`` counts, ``derive`` computes precision, recall and F1 from counts; ``score`` does both
for meta-documents. Counts of several meta-documents are summed before dividing. A metric is one
object in one file, a ``Metric`` or a ``DerivedMetric``; other packages add metrics by entry points
of the group ``cdec.metrics``, see ``registry``.
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

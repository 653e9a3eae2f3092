"""Coreference metrics.

``measure`` counts, ``derive`` computes precision, recall and F1 from counts; ``score`` does both
for meta-documents. Counts of several meta-documents are summed before dividing. A metric is one
object in one file, a ``Metric`` or a ``DerivedMetric``; other packages add metrics by entry points
of the group ``cdec.metrics``, see ``registry``.

``muc``, ``b3``, ``ceafm``, ``ceafe``, ``blanc``, ``lea`` and ``conll`` take arrays of labels and
return a float, as the clustering metrics of scikit-learn do; ``make_scorer`` is for its model
selection. The modules of the same names (``cdec.metrics.muc``, …) define the metrics.
"""

from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts, UnitValue, Value
from cdec.metrics.labels import b3, blanc, ceafe, ceafm, conll, lea, muc, score_labels
from cdec.metrics.means import mean_f1
from cdec.metrics.metric import Column, DerivedMetric, Metric, prf
from cdec.metrics.model_selection import make_scorer
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
from cdec.metrics.scores import Scores, by_unit, macro, score, unit_values

__all__ = [
    "ALL",
    "DERIVED",
    "METRICS",
    "REGISTRY",
    "Column",
    "Contingency",
    "Counts",
    "DerivedMetric",
    "Metric",
    "Scores",
    "UnitValue",
    "Value",
    "b3",
    "blanc",
    "by_unit",
    "ceafe",
    "ceafm",
    "conll",
    "derive",
    "lea",
    "macro",
    "make_scorer",
    "mean_f1",
    "measure",
    "muc",
    "ordered",
    "prf",
    "required",
    "score",
    "score_labels",
    "unit_values",
]

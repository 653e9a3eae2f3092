"""Coreference metrics.

``score`` counts a frame of mentions, or a ``Table``, and computes precision, recall and F1. Counts
of several meta-documents are summed before dividing. A metric is one object, a ``Metric`` or a
``DerivedMetric``; other packages add metrics by entry points of the group ``cdec.metrics``.

``muc``, ``b3``, ``ceafm``, ``ceafe``, ``blanc``, ``lea`` and ``conll`` take arrays of labels and
return a float, as the clustering metrics of scikit-learn do. The metrics are defined in ``muc``,
``b3``, ``ceaf``, ``blanc``, ``lea``, ``derived``.
"""

from cdec.arrays import links
from cdec.metrics.b3 import B3
from cdec.metrics.blanc import BLANC
from cdec.metrics.ceaf import CEAF_E, CEAF_M
from cdec.metrics.derived import CONLL, mean_f1
from cdec.metrics.labels import LabelMetric, score_labels
from cdec.metrics.lea import LEA
from cdec.metrics.metric import (
    COUNT_COLUMNS,
    Column,
    Counts,
    DerivedMetric,
    Metric,
    Ratio,
    Terms,
    Value,
    prf,
    value_of,
)
from cdec.metrics.muc import MUC
from cdec.metrics.scores import (
    ALL,
    REGISTRY,
    Scores,
    by_unit,
    macro,
    score,
)
from cdec.metrics.shares import by_chain
from cdec.metrics.table import Table

muc = LabelMetric(MUC.id)
b3 = LabelMetric(B3.id)
ceafm = LabelMetric(CEAF_M.id)
ceafe = LabelMetric(CEAF_E.id)
blanc = LabelMetric(BLANC.id)
lea = LabelMetric(LEA.id)
conll = LabelMetric(CONLL.id)

__all__ = [
    "ALL",
    "COUNT_COLUMNS",
    "REGISTRY",
    "Column",
    "Counts",
    "DerivedMetric",
    "Metric",
    "Ratio",
    "Scores",
    "Table",
    "Terms",
    "Value",
    "by_chain",
    "by_unit",
    "links",
    "macro",
    "mean_f1",
    "prf",
    "score",
    "score_labels",
    "value_of",
]
# The home of an id is the file of its metric.
__all__ += [MUC.id, B3.id, CEAF_M.id, CEAF_E.id, BLANC.id, LEA.id, CONLL.id]  # noqa: PLE0604

"""Coreference metrics.

``measure`` counts on a ``Table``; ``score`` counts a frame of mentions, and computes precision,
recall and F1. Counts of several meta-documents are summed before dividing. A metric is one
object, a ``Metric`` or a ``DerivedMetric``; other packages add metrics by entry points
of the group ``cdec.metrics``, see ``registry``.

``muc``, ``b3``, ``ceafm``, ``ceafe``, ``blanc``, ``lea`` and ``conll`` take arrays of labels and
return a float, as the clustering metrics of scikit-learn do. The metrics are defined in ``muc``,
``b3``, ``ceaf``, ``blanc``, ``lea``, ``derived``.
"""

from cdec.metrics.counts import COUNT_COLUMNS, Counts, Value, links, value_of
from cdec.metrics.derived import mean_f1
from cdec.metrics.labels import b3, blanc, ceafe, ceafm, conll, lea, muc, score_labels
from cdec.metrics.metric import Column, DerivedMetric, Metric, Ratio, Terms, prf
from cdec.metrics.registry import (
    ALL,
    DERIVED,
    IN_TABLES,
    METRICS,
    ON_MENTIONS,
    REGISTRY,
    derive,
    measure,
    ordered,
    required,
)
from cdec.metrics.scores import Scores, by_unit, macro, requested, score
from cdec.metrics.shares import by_chain
from cdec.metrics.table import Table

__all__ = [
    "ALL",
    "COUNT_COLUMNS",
    "DERIVED",
    "IN_TABLES",
    "METRICS",
    "ON_MENTIONS",
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
    "b3",
    "blanc",
    "by_chain",
    "by_unit",
    "ceafe",
    "ceafm",
    "conll",
    "derive",
    "lea",
    "links",
    "macro",
    "mean_f1",
    "measure",
    "muc",
    "ordered",
    "prf",
    "requested",
    "required",
    "score",
    "score_labels",
    "value_of",
]

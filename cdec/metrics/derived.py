"""Means of F1 over metrics: the CoNLL score and the mean of four.

==================  ==========================================================================
precision, recall   None
BLANC               counts as one of the four, even if one of its halves is dropped
a part of a corpus  undefined where the F1 of one of the metrics is
==================  ==========================================================================
"""

from typing import Any

from cdec.metrics.b3 import B3
from cdec.metrics.blanc import BLANC
from cdec.metrics.ceaf import CEAF_E
from cdec.metrics.metric import DerivedMetric, Value
from cdec.metrics.muc import MUC


def mean_f1(
    id: str, label: str, citation: str, needs: tuple[str, ...], **fields: Any
) -> DerivedMetric:
    """Return the metric that is the unweighted mean F1 of the metrics ``needs``.

    ``fields`` are further fields of DerivedMetric.

    >>> both = mean_f1("both", "Both", "none: an example", ("muc", "b3"))
    >>> both.value(Value(1, 1, 1.0), Value(0, 0, 0.0))
    Value(precision=None, recall=None, f1=0.5)
    """

    def mean(*values: Value) -> Value:
        return Value(None, None, sum(value.f1 for value in values) / len(values))

    return DerivedMetric(
        id=id, label=label, citation=citation, needs=needs, value=mean, **fields
    )


_OF_CONLL = (MUC.id, B3.id, CEAF_E.id)
CONLL = mean_f1("conll", "CoNLL", "Pradhan et al. (2011)", _OF_CONLL, by_default=True)
AVG4 = mean_f1(
    "avg4",
    "Avg-4",
    "Upadhyay et al. (2016)",
    (*_OF_CONLL, BLANC.id),
    legend="Avg-4: mean F of MUC, B³, CEAF_e and BLANC",
)

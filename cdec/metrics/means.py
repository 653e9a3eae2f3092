"""Means of F1 over metrics: the CoNLL score and the mean of four.

==================  ==========================================================================
precision, recall   None
BLANC               counts as one of the four, even if one of its halves is dropped
==================  ==========================================================================
"""

from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from cdec.arrays import Floats
from cdec.metrics.b_cubed import B_CUBED
from cdec.metrics.blanc import BLANC
from cdec.metrics.ceaf import CEAF_E
from cdec.metrics.counts import Counts, UnitValue, Value, chosen, places
from cdec.metrics.metric import DerivedMetric, Metric
from cdec.metrics.muc import MUC


@dataclass(frozen=True)
class _Mean:
    """The mean F1 of metrics: the functions of a DerivedMetric."""

    label: str
    operands: tuple[Metric | DerivedMetric, ...]
    needs: tuple[str, ...]

    def value(self, *counts: Counts) -> Value:
        by_metric = dict(zip(self.needs, counts, strict=True))
        f1 = [metric.value_of(by_metric).f1 for metric in self.operands]
        return Value(None, None, reduce(add, f1) / len(f1))

    def values(self, counts: Floats, scores: Floats) -> Floats:
        each = [(metric, places(metric.needs, self.needs)) for metric in self.operands]
        f1 = [m.values_of(chosen(counts, at), chosen(scores, at))[..., 2] for m, at in each]
        mean = np.mean(f1, axis=0)
        return np.stack([np.full_like(mean, np.nan)] * 2 + [mean], axis=-1)

    def combine(self, *operands: UnitValue) -> UnitValue:
        f1 = [value.f1 for value in operands if value.f1 is not None]
        undefined = len(f1) < len(operands)
        return UnitValue(None, None, None if undefined else reduce(add, f1) / len(f1))


def mean_f1(
    id: str,
    label: str,
    citation: str,
    operands: tuple[Metric | DerivedMetric, ...],
    legend: str = "",
    *,
    by_default: bool = False,
) -> DerivedMetric:  # pragma: no mutate block
    """Return the metric that is the unweighted mean F1 of ``operands``.

    >>> both = mean_f1("both", "Both", "none: an example", (MUC, B_CUBED))
    >>> both.needs, both.value(Counts(1, 1, 1, 1), Counts(0, 1, 0, 1))
    (('muc', 'b3'), Value(precision=None, recall=None, f1=0.5))
    """
    needs = tuple(dict.fromkeys(need for metric in operands for need in metric.needs))
    mean = _Mean(label, operands, needs)
    return DerivedMetric(
        id=id,
        label=label,
        citation=citation,
        legend=legend,
        by_default=by_default,
        needs=needs,
        value=mean.value,
        values=mean.values,
        parts=operands,
        combine=mean.combine,
    )


CONLL = mean_f1("conll", "CoNLL", "Pradhan et al. (2011)", (MUC, B_CUBED, CEAF_E), by_default=True)
AVG4 = mean_f1(
    "avg4",
    "Avg-4",
    "Upadhyay et al. (2016)",
    (MUC, B_CUBED, CEAF_E, BLANC),
    legend="Avg-4: mean F of MUC, B³, CEAF_e and BLANC",
)

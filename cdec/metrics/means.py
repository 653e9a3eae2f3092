"""Means of F1 over metrics: the CoNLL score and the mean of four."""

from cdec.metrics.b_cubed import B_CUBED
from cdec.metrics.blanc import BLANC_COREF, BLANC_NONCOREF, blanc
from cdec.metrics.ceaf import CEAF_E
from cdec.metrics.counts import Counts, Value
from cdec.metrics.metric import DerivedMetric
from cdec.metrics.muc import MUC


def conll(muc: Counts, b3: Counts, ceafe: Counts) -> Value:
    """Return the mean F1 of MUC, B³ and CEAF_e (Denis and Baldridge 2009; CoNLL-2011).

    >>> conll(Counts(1, 1, 1, 1), Counts(1, 2, 1, 2), Counts(0, 1, 0, 1)).f1
    0.5
    """
    return Value(None, None, (muc.f1 + b3.f1 + ceafe.f1) / 3)


def avg4(muc: Counts, b3: Counts, ceafe: Counts, coref: Counts, noncoref: Counts) -> Value:
    """Return the mean F1 of MUC, B³, CEAF_e and BLANC (Upadhyay et al. 2016, section 5).

    >>> right = Counts(1, 1, 1, 1)
    >>> avg4(right, right, right, coref=Counts(0, 1, 0, 1), noncoref=Counts(0, 1, 0, 1)).f1
    0.75
    """
    return Value(None, None, (muc.f1 + b3.f1 + ceafe.f1 + blanc(coref, noncoref).f1) / 4)


CONLL_METRICS = (MUC.id, B_CUBED.id, CEAF_E.id)
CONLL = DerivedMetric(
    id="conll",
    label="CoNLL",
    citation="Pradhan et al. (2011)",
    needs=CONLL_METRICS,
    value=conll,
)
AVG4 = DerivedMetric(
    id="avg4",
    label="Avg-4",
    citation="Upadhyay et al. (2016)",
    needs=(*CONLL_METRICS, BLANC_COREF.id, BLANC_NONCOREF.id),
    value=avg4,
)

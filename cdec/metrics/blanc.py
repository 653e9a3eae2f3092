"""BLANC: the mean of a score for coreference links and one for non-coreference links.

Recasens and Hovy (2011), *BLANC: implementing the Rand index for coreference evaluation*,
Natural Language Engineering 17(4); for twinless mentions Luo, Pradhan, Recasens and Hovy (2014),
*An extension of BLANC to system mentions*, ACL, section 4.

C are the pairs of mentions in the same chain, N the other pairs in the same meta-document::

    R_c = |C_k ∩ C_r| / |C_k|    P_c = |C_k ∩ C_r| / |C_r|    F_c of the two     column PW
    R_n = |N_k ∩ N_r| / |N_k|    P_n = |N_k ∩ N_r| / |N_r|    F_n of the two     column PWN
    R = (R_c + R_n) / 2          P = (P_c + P_n) / 2          F = (F_c + F_n) / 2

A half without key links is dropped, whatever the response has, and the other half is the score,
as in the reference scorer v8.01. ``·`` marks a half with key links::

    key C   key N   BLANC
    ·       ·       mean of both halves; a half without response links counts 0
    none    ·       the N half alone      (key of singletons)
    ·       none    the C half alone      (key of one chain)
    none    none    0                     (key of one mention or none)

==================  ==========================================================================
all singletons      key only: the N half; both sides: the N half, 1 if the mentions are equal
empty response      0 in both halves
twinless mentions   their links count in the denominators of their side only
pooling             links are summed over meta-documents before halves are dropped
==================  ==========================================================================
"""

from collections.abc import Sequence

import numpy as np

from cdec.arrays import Floats
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts, UnitValue, Value, ratio, ratios
from cdec.metrics.links import links
from cdec.metrics.metric import Column, DerivedMetric, Metric
from cdec.metrics.terms import MetaTerms, Ratio, Terms


def blanc_coref(table: Contingency) -> Terms:
    """Return the coreference links (PW) of each cell and each chain.

    >>> blanc_coref(Contingency.from_labels([1, 1, 2], [1, 1, 1])).counts()
    Counts(p_num=1, p_den=3, r_num=1, r_den=1)
    """
    right = [Ratio(links(table.overlap))]
    return Terms(
        precision=right,
        response=links(table.response_sizes),
        recall=right,
        key=links(table.key_sizes),
        metas=_not_twice(table),
    )


def _not_twice(table: Contingency) -> MetaTerms | None:
    """Return the links of a response mention that occurs again, to be subtracted."""
    none = np.zeros_like(table.response_mentions)
    again = none - table.surplus.coref
    return MetaTerms(none, again, none) if again.any() else None


def blanc_noncoref(table: Contingency) -> Terms:
    """Return the non-coreference links inside meta-documents (PWN): all pairs without the links.

    Of the pairs of common mentions, the links of key and of response are subtracted; those of both
    sides are subtracted twice, and therefore added once.

    >>> blanc_noncoref(Contingency.from_labels([1, 1, 2], [1, 2, 2])).counts()
    Counts(p_num=1, p_den=2, r_num=1, r_den=2)
    """
    both = [Ratio(links(table.overlap))]
    return Terms(
        precision=both,
        response=-links(table.response_sizes),
        recall=both,
        key=-links(table.key_sizes),
        response_common=-links(table.response_common),
        key_common=-links(table.key_common),
        metas=MetaTerms(
            common=links(table.common_mentions),
            response=links(table.response_mentions) - table.surplus.noncoref,
            key=links(table.key_mentions),
        ),
    )


def blanc(coref: Counts, noncoref: Counts) -> Value:
    """Return BLANC: the mean of the halves with key links; 0 without any.

    >>> blanc(Counts(1, 3, 1, 1), Counts(0, 0, 0, 2))
    Value(precision=0.16666666666666666, recall=0.5, f1=0.25)
    """
    halves = [half for half in (coref, noncoref) if half.r_den]
    return Value(
        precision=ratio(sum(half.precision for half in halves), len(halves)),
        recall=ratio(sum(half.recall for half in halves), len(halves)),
        f1=ratio(sum(half.f1 for half in halves), len(halves)),
    )


def blanc_of_halves(coref: UnitValue, noncoref: UnitValue) -> UnitValue:
    """Return BLANC of halves that may be undefined; a half without recall has no key links.

    >>> blanc_of_halves(UnitValue(None, None, None), UnitValue(0.5, 1.0, 0.75))
    UnitValue(precision=0.5, recall=1.0, f1=0.75)
    """
    kept = [half for half in (coref, noncoref) if half.recall is not None]
    if kept:
        return UnitValue(*map(_mean_of_halves, zip(*kept, strict=True)))
    has_pairs = any(half.precision is not None for half in (coref, noncoref))
    return UnitValue(0.0, None, 0.0) if has_pairs else UnitValue(None, None, None)


def _mean_of_halves(values: Sequence[float | None]) -> float | None:
    """Return the mean; a half without response links counts 0, unless none of them has any."""
    defined = [value for value in values if value is not None]
    return sum(defined) / len(values) if defined else None


def blanc_values(counts: Floats, scores: Floats) -> Floats:
    """Return ``blanc`` for arrays: counts (…, 2, 4) and scores (…, 2, 3) of the halves."""
    has_links = (counts[..., 3] > 0).astype(np.float64)[..., None]
    halves = np.broadcast_to(has_links.sum(axis=-2), (*counts.shape[:-2], 3))
    return ratios((scores * has_links).sum(axis=-2), halves)


CITATION = "Recasens and Hovy (2011); Luo et al. (2014)"
BLANC_COREF = Metric(
    id="blanc_coref",
    label="BLANC PW",
    citation=CITATION,
    columns=(Column("BLANC", "PW", "f1"),),
    legend="BLANC PW: coreference links",
    terms=blanc_coref,
)
BLANC_NONCOREF = Metric(
    id="blanc_noncoref",
    label="BLANC PWN",
    citation=CITATION,
    columns=(Column("BLANC", "PWN", "f1"),),
    legend="BLANC PWN: non-coreference links",
    terms=blanc_noncoref,
)
BLANC = DerivedMetric(
    id="blanc",
    label="BLANC F",
    citation=CITATION,
    columns=(Column("BLANC", "F", "f1"),),
    needs=(BLANC_COREF.id, BLANC_NONCOREF.id),
    value=blanc,
    values=blanc_values,
    parts=(BLANC_COREF, BLANC_NONCOREF),
    combine=blanc_of_halves,
)

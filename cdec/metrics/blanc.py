"""BLANC: coreference links and non-coreference links, each with a score of its own.

Recasens and Hovy (2011), *BLANC: implementing the Rand index for coreference evaluation*,
Natural Language Engineering 17(4); for twinless mentions Luo, Pradhan, Recasens and Hovy (2014),
*An extension of BLANC to system mentions*, ACL, section 4.

C are the pairs of mentions of one chain, N the other pairs of mentions of one meta-document::

    R_c = |C_k ∩ C_r| / |C_k|    P_c = |C_k ∩ C_r| / |C_r|    F_c of the two     column PW
    R_n = |N_k ∩ N_r| / |N_k|    P_n = |N_k ∩ N_r| / |N_r|    F_n of the two     column PWN
    R = (R_c + R_n) / 2          P = (P_c + P_n) / 2          F = (F_c + F_n) / 2

A half whose key has no links is dropped, whatever the response has, and the other half is the
score: so does the reference scorer, v8.01, which decides here. ``·`` stands for a half with links
in the key::

    key C   key N   BLANC
    ·       ·       mean of both halves; a half in which the response has no link counts 0
    none    ·       the N half alone      (key of singletons)
    ·       none    the C half alone      (key of one chain)
    none    none    0                     (key of one mention or none)

==================  ==========================================================================
all singletons      key: the N half; both sides: N half, 1 where the mentions are the same
empty response      0 in both halves
twinless mentions   their links count in the denominators of their side, never in a numerator
pooling             links are counted inside meta-documents and summed, then halves are dropped
==================  ==========================================================================
"""

import numpy as np

from cdec.arrays import Ints
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts, Value, ratio
from cdec.metrics.metric import DerivedMetric, Metric


def _pairs(sizes: Ints) -> int:
    """Return the number of unordered pairs inside groups of these sizes."""
    return int((sizes * (sizes - 1) // 2).sum())


def _groups(chains: Ints, overlap: Ints) -> Ints:
    """Return per chain the mentions that the other side has, too."""
    return np.bincount(chains, weights=overlap).astype(np.int64)


def blanc_coref(contingency: Contingency) -> Counts:
    """Return the counts of coreference links (PW).

    >>> blanc_coref(Contingency.from_labels([1, 1, 2], [1, 1, 1]))
    Counts(p_num=1, p_den=3, r_num=1, r_den=1)
    """
    shared = _pairs(contingency.overlap)
    return Counts(
        p_num=shared,
        p_den=_pairs(contingency.response_sizes),
        r_num=shared,
        r_den=_pairs(contingency.key_sizes),
    )


def blanc_noncoref(contingency: Contingency) -> Counts:
    """Return the counts of non-coreference links (PWN), within meta-documents.

    >>> blanc_noncoref(Contingency.from_labels([1, 1, 2], [1, 2, 2]))
    Counts(p_num=1, p_den=2, r_num=1, r_den=2)
    """
    shared = (
        _pairs(contingency.common_mentions)
        - _pairs(_groups(contingency.rows, contingency.overlap))
        - _pairs(_groups(contingency.cols, contingency.overlap))
        + _pairs(contingency.overlap)
    )
    return Counts(
        p_num=shared,
        p_den=_pairs(contingency.response_mentions) - _pairs(contingency.response_sizes),
        r_num=shared,
        r_den=_pairs(contingency.key_mentions) - _pairs(contingency.key_sizes),
    )


def blanc(coref: Counts, noncoref: Counts) -> Value:
    """Return BLANC: the mean of the halves for which the key has links; 0 with none.

    >>> blanc(Counts(1, 3, 1, 1), Counts(0, 0, 0, 2))
    Value(precision=0.16666666666666666, recall=0.5, f1=0.25)
    """
    halves = [half for half in (coref, noncoref) if half.r_den]
    return Value(
        precision=ratio(sum(half.precision for half in halves), len(halves)),
        recall=ratio(sum(half.recall for half in halves), len(halves)),
        f1=ratio(sum(half.f1 for half in halves), len(halves)),
    )


CITATION = "Recasens and Hovy (2011); Luo et al. (2014)"
BLANC_COREF = Metric(id="blanc_coref", label="BLANC PW", citation=CITATION, count=blanc_coref)
BLANC_NONCOREF = Metric(
    id="blanc_noncoref", label="BLANC PWN", citation=CITATION, count=blanc_noncoref
)
BLANC = DerivedMetric(
    id="blanc",
    label="BLANC F",
    citation=CITATION,
    needs=(BLANC_COREF.id, BLANC_NONCOREF.id),
    value=blanc,
)

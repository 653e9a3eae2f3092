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

Luo et al. (2014) drop a half only if neither side has such links, and so does corefud-scorer, the
scorer of the CRAC shared tasks. This is the rule ``both``, which their presets choose (``key`` is
the rule above). Under it a half with response links only counts 0: the key {a, b} and the response
{a, b}, {c, d} have BLANC 2/3 by the rule ``key``, 1/3 by the rule ``both``.

==================  ==========================================================================
all singletons      key only: the N half; both sides: the N half, 1 if the mentions are equal
empty response      0 in both halves
twinless mentions   their links count in the denominators of their side only
pooling             links are summed over meta-documents before halves are dropped
==================  ==========================================================================
"""

import numpy as np

from cdec.arrays import Bools, Floats, links
from cdec.metrics.metric import Column, DerivedMetric, Metric, Terms, Value
from cdec.metrics.table import Table


def blanc_coref(table: Table) -> Terms:
    """Return the coreference links (PW) of each cell and each chain.

    The links of a mention that occurs again are subtracted.

    >>> blanc_coref(Table.of_codes(np.array([1, 1, 2]), np.array([1, 1, 1]))).counts()
    Counts(p_num=1, p_den=3, r_num=1, r_den=1)
    """
    right = links(table.overlap)
    return Terms(
        precision=right,
        response=links(table.response_sizes),
        recall=right,
        key=links(table.key_sizes),
        metas_common=np.zeros_like(table.common_mentions)
        - table.key_surplus.coref_common,
        metas_response=np.zeros_like(table.response_mentions) - table.surplus.coref,
        metas_key=np.zeros_like(table.key_mentions) - table.key_surplus.coref_key,
    )


def blanc_noncoref(table: Table) -> Terms:
    """Return the non-coreference links inside meta-documents (PWN): all pairs without the links.

    Of the pairs of common mentions, the links of key and of response are subtracted; those of both
    sides are subtracted twice, and therefore added once.

    >>> blanc_noncoref(Table.of_codes(np.array([1, 1, 2]), np.array([1, 2, 2]))).counts()
    Counts(p_num=1, p_den=2, r_num=1, r_den=2)
    """
    both = links(table.overlap)
    return Terms(
        precision=both,
        response=-links(table.response_sizes),
        recall=both,
        key=-links(table.key_sizes),
        response_common=-links(table.response_common),
        key_common=-links(table.key_common),
        metas_common=links(table.common_mentions) + table.key_surplus.noncoref_common,
        metas_response=links(table.response_mentions) - table.surplus.noncoref,
        metas_key=links(table.key_mentions) + table.key_surplus.noncoref_key,
    )


def blanc(coref: Value, noncoref: Value) -> Value:
    """Return BLANC: the mean of the halves with key links, whose recall is not NaN.

    A half without response links counts 0, unless there is no other. Without key links, a response
    with links is wrong.

    >>> nan = float("nan")
    >>> blanc(Value(1 / 3, 1.0, 0.5), Value(nan, 0.0, 0.0)).plain()
    Value(precision=0.16666666666666666, recall=0.5, f1=0.25)
    >>> blanc(Value(nan, nan, nan), Value(0.0, nan, 0.0)).plain()
    Value(precision=0.0, recall=None, f1=0.0)
    """
    halves = np.array([coref, noncoref], np.float64)  # halves, fields, …
    defined = ~np.isnan(halves)
    has_key = defined[:, 1]
    kept = np.where(has_key.any(axis=0), has_key, defined[:, 0])[:, None]
    return _mean(halves, kept, kept & defined)


def blanc_of_both_sides(coref: Value, noncoref: Value) -> Value:
    """Return BLANC by the rule ``both``: the mean of the halves with links on a side.

    A half with links on one side only counts 0.

    >>> nan = float("nan")
    >>> blanc_of_both_sides(Value(0.5, 1.0, 2 / 3), Value(0.0, nan, 0.0)).plain()
    Value(precision=0.25, recall=0.5, f1=0.3333333333333333)
    >>> blanc_of_both_sides(Value(nan, nan, nan), Value(0.0, nan, 0.0)).plain()
    Value(precision=0.0, recall=0.0, f1=0.0)
    """
    halves = np.array([coref, noncoref], np.float64)  # halves, fields, …
    # F1 is undefined only if precision and recall are.
    has_links = ~np.isnan(halves[:, 2:])
    return _mean(halves, has_links, has_links)


def _mean(halves: Floats, kept: Bools, shown: Bools) -> Value:
    """Return the means of the halves that are ``kept``, where a half is ``shown``, else NaN."""
    number = np.maximum(kept.sum(axis=0), 1)
    means = np.where(kept, np.nan_to_num(halves), 0.0).sum(axis=0) / number
    return Value(*np.where(shown.any(axis=0), means, np.nan))


CITATION = "Recasens and Hovy (2011); Luo et al. (2014)"
BLANC_COREF = Metric(
    id="blanc_coref",
    label="BLANC PW",
    citation=CITATION,
    columns=(Column("BLANC", "PW", "f1"),),
    legend="BLANC PW: coreference links",
    terms=blanc_coref,
    neleval="pairwise",
)
BLANC_NONCOREF = Metric(
    id="blanc_noncoref",
    label="BLANC PWN",
    citation=CITATION,
    columns=(Column("BLANC", "PWN", "f1"),),
    legend="BLANC PWN: non-coreference links",
    terms=blanc_noncoref,
    neleval="pairwise_negative",
)
BLANC = DerivedMetric(
    id="blanc",
    label="BLANC F",
    citation=CITATION,
    columns=(Column("BLANC", "F", "f1"),),
    needs=(BLANC_COREF.id, BLANC_NONCOREF.id),
    value=blanc,
    of_undefined=True,
    rules={"key": blanc, "both": blanc_of_both_sides},
)

"""Mention detection: which mentions the response finds, whatever their chains.

``mentions``: the shares of key mentions and of response mentions that are aligned with one of the
other side (*identification of mentions* of the CoNLL-2011/2012 scorer, Pradhan et al. 2014).
``mor``: mention overlap ratio of Žabokrtský et al. (2022), CRAC, section 3: one-to-one pairs that
share the most words, whatever the alignment::

    R = Σ |K ∩ R| / Σ |K|       P = Σ |K ∩ R| / Σ |R|        over words

==================  ==========================================================================
gold mentions       1
empty response      P 0/0 = 0, R 0/n
no tokens known     ``mor`` cannot be computed: ScoringError
==================  ==========================================================================
"""

from cdec.errors import ScoringError
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts
from cdec.metrics.metric import Metric, prf
from cdec.metrics.terms import MetaTerms, Terms


def mentions(table: Contingency) -> Terms:
    """Return the aligned mentions, and those of response and key.

    >>> mentions(Contingency.from_labels([1, 1, 2, -1], [1, 1, -1, 3])).counts().recall
    0.6666666666666666
    """
    return Terms(
        metas=MetaTerms(
            common=table.common_mentions,
            response=table.response_mentions - table.surplus.mentions,
            key=table.key_mentions,
        )
    )


def tallied(name: str, contingency: Contingency) -> Counts:
    """Return counts of the alignment, which are made for this; raises ScoringError without any.

    >>> tallied("mor", Contingency.from_labels([1], [1]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    cdec.errors.ScoringError: the tokens of the mentions are not known here...
    """
    tallies = contingency.tallies()
    if name not in tallies:
        raise ScoringError(
            "annotation-missing",
            f"the tokens of the mentions are not known here, and '{name}' needs them",
            hint="score files whose mentions have tokens",
        )
    return Counts(*tallies[name])


def mor(contingency: Contingency) -> Counts:
    """Return the words that aligned mentions share, and those of response and key."""
    return tallied("mor", contingency)


def zeros(contingency: Contingency) -> Counts:
    """Return the zero anaphors with a correct antecedent, and those of response and key."""
    return tallied("zeros", contingency)


MENTIONS = Metric(
    id="mentions",
    label="Mentions",
    citation="Pradhan et al. (2014)",
    by_default=True,
    columns=prf("Mentions"),
    terms=mentions,
)
MOR = Metric(
    id="mor",
    label="MOR",
    citation="Žabokrtský et al. (2022)",
    columns=prf("MOR"),
    count=mor,
)
ZEROS = Metric(
    id="zeros",
    label="Zeros",
    citation="Žabokrtský et al. (2022)",
    columns=prf("Zeros"),
    count=zeros,
)

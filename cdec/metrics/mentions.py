"""Mention detection: which mentions the response finds, whatever their chains.

``mentions``: the shares of key mentions and of response mentions that are aligned with one of the
other side (*identification of mentions* of the CoNLL-2011/2012 scorer, Pradhan et al. 2014).
``mor``: mention overlap ratio of Žabokrtský et al. (2022), CRAC, section 3: one-to-one pairs that
share the most words, whatever the alignment::

    R = Σ |K ∩ R| / Σ |K|       P = Σ |K ∩ R| / Σ |R|        over words

``zeros``: zero anaphors with a correct antecedent, of those of key and of response.

==================  ==========================================================================
gold mentions       1
empty response      P 0/0 = 0, R 0/n
no tokens known     ``mor`` and ``zeros`` cannot be computed: ScoringError
==================  ==========================================================================
"""

from collections.abc import Callable

from cdec.errors import ScoringError
from cdec.metrics.metric import Counts, Metric, Terms, prf
from cdec.metrics.table import Table


def mentions(table: Table) -> Terms:
    """Return the aligned mentions, and those of response and key.

    >>> import numpy as np
    >>> table = Table.of_codes(np.array([0, 0, 1, -1]), np.array([0, 0, -1, 1]))
    >>> mentions(table).counts()  # recall 2/3
    Counts(p_num=2, p_den=3, r_num=2, r_den=3)
    """
    return Terms(
        metas_common=table.common_mentions,
        metas_response=table.response_mentions - table.surplus.mentions,
        metas_key=table.key_mentions,
    )


def metric_of_words(name: str) -> Callable[[Table], Counts]:
    """Return the function of a metric whose counts are in the table since mentions are aligned."""

    def count(table: Table) -> Counts:
        if name not in table.tallies:
            raise ScoringError(
                "annotation-missing",
                f"the tokens of the mentions are not known here, and '{name}' needs them",
                hint="score files whose mentions have tokens",
            )
        return Counts(*table.tallies[name])

    return count


MENTIONS = Metric(
    id="mentions",
    label="Mentions",
    citation="Pradhan et al. (2014)",
    by_default=True,
    columns=prf("Mentions"),
    terms=mentions,
)
CITATION = "Žabokrtský et al. (2022)"
MOR = Metric(
    id="mor",
    label="MOR",
    citation=CITATION,
    columns=prf("MOR"),
    count=metric_of_words("mor"),
)
ZEROS = Metric(
    id="zeros",
    label="Zeros",
    citation=CITATION,
    columns=prf("Zeros"),
    count=metric_of_words("zeros"),
)

"""Mention detection: which mentions the response finds, whatever their chains.

``mentions``: the shares of key mentions and of response mentions that are aligned with one of the
other side (*identification of mentions* of the CoNLL-2011/2012 scorer, Pradhan et al. 2014).
==================  ==========================================================================
gold mentions       1
empty response      P 0/0 = 0, R 0/n
==================  ==========================================================================
"""

from cdec.metrics.metric import Metric, Terms, prf
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


MENTIONS = Metric(
    id="mentions",
    label="Mentions",
    citation="Pradhan et al. (2014)",
    by_default=True,
    columns=prf("Mentions"),
    terms=mentions,
)

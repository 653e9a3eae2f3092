"""MUC: the links that are needed to join the mentions of a chain.

Vilain, Burger, Aberdeen, Connolly and Hirschman (1995), *A model-theoretic coreference scoring
scheme*, MUC-6; with twinless mentions as in Pradhan et al. (2014), ACL, section 3.1.

A chain k of n mentions needs n − 1 links. The response divides it into |p(k)| parts and misses
|p(k)| − 1 links; each mention that the response lacks is a separate part::

    R = Σ_k (|k| − |p(k)|) / Σ_k (|k| − 1)       P: the same with the sides exchanged

|k| − |p(k)| is Σ (n − 1) over the response chains that share n > 0 mentions with k: the term of a
cell is n − 1 in both numerators.

==================  ==========================================================================
all singletons      no link: 0/0 = 0 for the side with singletons only
empty response      P 0/0 = 0, R 0/n
twinless mentions   counted in the denominator of their side
singletons          are ignored
==================  ==========================================================================
"""

import numpy as np

from cdec.metrics.metric import Metric, Terms, prf
from cdec.metrics.table import Table


def muc(table: Table) -> Terms:
    """Return the correct links of each cell, and the links of each chain.

    ``last_overlap`` is the overlap of a cell, but for key mentions that count in several chains.

    >>> muc(Table.of_codes(np.array([0, 0, 0, 0]), np.array([0, 0, 1, 1]))).counts()  # recall 2/3
    Counts(p_num=2, p_den=2, r_num=2, r_den=3)
    """
    correct = np.maximum(table.last_overlap - 1, 0)
    return Terms(
        precision=correct,
        response=table.response_sizes - 1,
        recall=correct,
        key=table.key_sizes - 1,
    )


MUC = Metric(
    id="muc",
    label="MUC",
    citation="Vilain et al. (1995)",
    by_default=True,
    columns=prf("MUC"),
    terms=muc,
    neleval="muc",
)

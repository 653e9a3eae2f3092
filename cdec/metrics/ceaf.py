"""CEAF: the best one-to-one alignment of key chains with response chains.

Luo (2005), *On coreference resolution performance metrics*, HLT/EMNLP; with twinless mentions as
in Pradhan et al. (2014), ACL, section 3.3. g* is the alignment that maximises Φ = Σ φ(k, g(k))::

    CEAF_m   φ₃(k, r) = |k ∩ r|                    R = Φ(g*) / Σ_k |k|    P = Φ(g*) / Σ_r |r|
    CEAF_e   φ₄(k, r) = 2 |k ∩ r| / (|k| + |r|)    R = Φ(g*) / chains of the key
                                                   P = Φ(g*) / chains of the response

The alignment is exact. It never crosses meta-documents, because chains of different
meta-documents share no mention: solving them together or separately gives the same Φ.

==================  ==========================================================================
all singletons      each common mention aligns with itself
empty response      P 0/0 = 0, R 0/n
twinless mentions   count in the size of their chain; a chain of twinless mentions only is not
                    aligned and counts in the denominator
==================  ==========================================================================
"""

import numpy as np

from cdec.metrics.align import best_assignment
from cdec.metrics.metric import Metric, Ratio, Terms, prf
from cdec.metrics.table import Table


def ceaf_m(table: Table) -> Terms:
    """Return φ₃ of each aligned cell, its mentions, and the size of each chain.

    >>> import numpy as np
    >>> from cdec import metrics
    >>> table = Table.of_codes(np.repeat([0, 1, 2], [5, 2, 5]), np.repeat([0, 1], [5, 7]))
    >>> round(metrics.score(table, ["ceafm"])["ceafm"].f1, 3)  # Luo (2005), Table 1
    0.833
    """
    aligned = best_assignment(table.rows, table.cols, table.overlap.astype(np.float64))
    shared = np.zeros_like(table.overlap)
    shared[aligned] = table.overlap[aligned]
    return Terms(
        precision=shared,
        response=table.response_sizes,
        recall=shared,
        key=table.key_sizes,
    )


def ceaf_e(table: Table) -> Terms:
    """Return φ₄ of each aligned cell, and 1 for each chain.

    >>> import numpy as np
    >>> from cdec import metrics
    >>> table = Table.of_codes(np.repeat([0, 1, 2], [5, 2, 5]), np.repeat([0, 1], [5, 7]))
    >>> round(metrics.score(table, ["ceafe"])["ceafe"].f1, 3)  # Luo (2005), Table 1
    0.733
    """
    mentions = table.k + table.r
    aligned = best_assignment(table.rows, table.cols, 2 * table.overlap / mentions)
    shared = np.zeros_like(table.overlap)
    shared[aligned] = 2 * table.overlap[aligned]
    similarity = Ratio(shared, mentions)
    return Terms(
        precision=similarity,
        response=np.ones_like(table.response_sizes),
        recall=similarity,
        key=np.ones_like(table.key_sizes),
    )


CEAF_M = Metric(
    id="ceafm",
    label="CEAF_m",
    citation="Luo (2005)",
    terms=ceaf_m,
    neleval="mention_ceaf",
)
CEAF_E = Metric(
    id="ceafe",
    label="CEAF_e",
    citation="Luo (2005)",
    by_default=True,
    columns=prf("CEAF_e"),
    terms=ceaf_e,
    neleval="entity_ceaf",
)

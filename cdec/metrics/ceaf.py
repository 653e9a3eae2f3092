"""CEAF: the best one-to-one alignment of key chains with response chains.

Luo (2005), *On coreference resolution performance metrics*, HLT/EMNLP; with twinless mentions as
in Pradhan et al. (2014), ACL, section 3.3. g* is the alignment that maximises Φ = Σ φ(k, g(k))::

    CEAF_m   φ₃(k, r) = |k ∩ r|                    R = Φ(g*) / Σ_k |k|    P = Φ(g*) / Σ_r |r|
    CEAF_e   φ₄(k, r) = 2 |k ∩ r| / (|k| + |r|)    R = Φ(g*) / chains of the key
                                                   P = Φ(g*) / chains of the response

The alignment is exact. No alignment crosses meta-documents, since no mention does: solved
together or one by one, Φ is the same.

==================  ==========================================================================
all singletons      each common mention aligns with itself
empty response      P 0/0 = 0, R 0/n
twinless mentions   count in the size of their chain; a chain of twinless mentions aligns with
                    none and stays in the denominator
==================  ==========================================================================
"""

import numpy as np

from cdec.arrays import Floats
from cdec.metrics.assignment import best_assignment
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts
from cdec.metrics.metric import Metric


def _aligned(contingency: Contingency, similarity: Floats) -> float:
    """Return Φ(g*) for the similarity φ > 0 of each cell."""
    chosen = best_assignment(contingency.rows, contingency.cols, similarity)
    return float(similarity[chosen].sum())


def ceaf_m(contingency: Contingency) -> Counts:
    """Return the CEAF_m counts: aligned mentions out of all mentions of each side.

    >>> from cdec import Clustering
    >>> key = Clustering.from_chains(["12345", "67", "89ABC"])
    >>> response = Clustering.from_chains(["12345", "6789ABC"])
    >>> round(ceaf_m(Contingency.from_clusterings(key, response)).f1, 3)  # Table 1 of Luo (2005)
    0.833
    """
    total = int(_aligned(contingency, contingency.overlap.astype(np.float64)))
    return Counts(
        p_num=total,
        p_den=int(contingency.response_sizes.sum()),
        r_num=total,
        r_den=int(contingency.key_sizes.sum()),
    )


def ceaf_e(contingency: Contingency) -> Counts:
    """Return the CEAF_e counts: similarity of aligned chains out of all chains of each side.

    >>> from cdec import Clustering
    >>> key = Clustering.from_chains(["12345", "67", "89ABC"])
    >>> response = Clustering.from_chains(["12345", "6789ABC"])
    >>> round(ceaf_e(Contingency.from_clusterings(key, response)).f1, 3)  # Table 1 of Luo (2005)
    0.733
    """
    sizes = contingency.key_sizes[contingency.rows] + contingency.response_sizes[contingency.cols]
    total = _aligned(contingency, 2 * contingency.overlap / sizes)
    return Counts(
        p_num=total,
        p_den=len(contingency.response_sizes),
        r_num=total,
        r_den=len(contingency.key_sizes),
    )


CEAF_M = Metric(id="ceafm", label="CEAF_m", citation="Luo (2005)", count=ceaf_m)
CEAF_E = Metric(id="ceafe", label="CEAF_e", citation="Luo (2005)", count=ceaf_e)

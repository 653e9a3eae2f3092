"""B³: for each mention, the correct share of its chain.

Bagga and Baldwin (1998), *Algorithms for scoring coreference chains*, LREC workshop on
linguistic coreference; with twinless mentions as in Pradhan et al. (2014), ACL, section 3.2.

::

    R = Σ_k Σ_r |k ∩ r|² / |k|  /  Σ_k |k|       P = Σ_k Σ_r |k ∩ r|² / |r|  /  Σ_r |r|

==================  ==========================================================================
all singletons      a common mention counts 1 on the side where it is a singleton, and 1 over
                    the size of its chain on the other side
empty response      P 0/0 = 0, R 0/n
twinless mentions   add 0 to the numerator and 1 to the denominator of their side
==================  ==========================================================================
"""

from cdec.metrics.metric import Metric, Ratio, Terms, prf
from cdec.metrics.table import Table


def b3(table: Table) -> Terms:
    """Return |k ∩ r|² / |r| and |k ∩ r|² / |k| of each cell, and the size of each chain.

    >>> import numpy as np
    >>> from cdec import metrics
    >>> table = Table.of_codes(np.repeat([0, 1, 2], [5, 2, 5]), np.repeat([0, 1], [5, 7]))
    >>> round(metrics.score(table, ["b3"])["b3"].precision, 2)  # the paper's 76 %
    0.76
    """
    squared = table.last_overlap * table.overlap
    return Terms(
        precision=Ratio(squared, table.r),
        response=table.response_sizes,
        recall=Ratio(squared, table.k),
        key=table.key_sizes,
    )


B3 = Metric(
    id="b3",
    label="B³",
    citation="Bagga and Baldwin (1998)",
    by_default=True,
    columns=prf("B³"),
    terms=b3,
    neleval="b_cubed",
)

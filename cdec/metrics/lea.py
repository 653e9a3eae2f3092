"""LEA: the share of resolved links of each chain, weighted by its number of mentions.

Moosavi and Strube (2016), *Which coreference evaluation metric do you trust? A proposal for a
link-based entity aware metric*, ACL, section 4. With link(n) = n (n − 1) / 2::

    R = Σ_k |k| · Σ_r link(|k ∩ r|) / link(|k|)  /  Σ_k |k|      P: sides exchanged

A singleton has one link, to itself, which only a singleton of the other side resolves.

==================  ==========================================================================
all singletons      each singleton of both sides counts 1
empty response      P 0/0 = 0, R 0/n
twinless mentions   their links count in the denominators only
singleton in chain  0 for the singleton; its mention adds no link to the longer chain
==================  ==========================================================================
"""

import numpy as np

from cdec.arrays import Ints, links
from cdec.metrics.metric import Metric, Ratio, Terms
from cdec.metrics.table import Table


def lea(table: Table) -> Terms:
    """Return size × resolved share of each cell, and the size of each chain.

    >>> import numpy as np
    >>> from cdec import metrics  # key {abc}, {defg}; response {ab}, {cd}, {fghi}
    >>> chains = [0, 0, 0, 1, 1, 1, 1, -1, -1], [0, 0, 1, 1, -1, 2, 2, 2, 2]
    >>> table = Table.of_codes(*map(np.array, chains))
    >>> round(metrics.score(table, ["lea"])["lea"].recall, 2)  # the paper's section 4
    0.24
    """
    is_self_link = (table.k == 1) & (table.r == 1)

    def resolution(sizes: Ints) -> Ratio:
        # n · link(overlap) / link(n), where n / link(n) is 2 / (n − 1); a singleton has no link.
        numerator = np.where(is_self_link, 1, 2 * links(table.overlap))
        return Ratio(numerator, np.maximum(sizes - 1, 1))

    return Terms(
        precision=resolution(table.r),
        response=table.response_sizes,
        recall=resolution(table.k),
        key=table.key_sizes,
    )


LEA = Metric(
    id="lea",
    label="LEA",
    citation="Moosavi and Strube (2016)",
    by_default=True,
    terms=lea,
)

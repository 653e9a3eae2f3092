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

from cdec.arrays import Ints
from cdec.metrics.contingency import Contingency
from cdec.metrics.links import links
from cdec.metrics.metric import Metric
from cdec.metrics.terms import Ratio, Terms


def lea(table: Contingency) -> Terms:
    """Return size × resolved share of each cell, and the size of each chain.

    >>> from cdec import Clustering
    >>> key = Clustering.from_chains(["abc", "defg"])
    >>> response = Clustering.from_chains(["ab", "cd", "fghi"])
    >>> counts = lea(Contingency.from_clusterings(key, response)).counts()
    >>> round(counts.recall, 2)  # section 4 of the paper
    0.24
    """
    key, response = table.key_sizes[table.rows], table.response_sizes[table.cols]
    self_link = Ratio(((key == 1) & (response == 1)).astype(np.int64))
    return Terms(
        precision=[self_link, _resolved(table.overlap, response)],
        response=table.response_sizes,
        recall=[self_link, _resolved(table.overlap, key)],
        key=table.key_sizes,
    )


def _resolved(overlap: Ints, sizes: Ints) -> Ratio:
    """Return n · link(overlap) / link(n) of each cell; n is the size of the chain.

    n / link(n) is 2 / (n − 1). The cell of a singleton has no link, so that any divisor will do.
    """
    return Ratio(2 * links(overlap), np.maximum(sizes - 1, 1))


LEA = Metric(
    id="lea",
    label="LEA",
    citation="Moosavi and Strube (2016)",
    by_default=True,
    terms=lea,
)

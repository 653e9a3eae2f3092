"""LEA: each chain weighs as many as its mentions, and scores the share of its links resolved.

Moosavi and Strube (2016), *Which coreference evaluation metric do you trust? A proposal for a
link-based entity aware metric*, ACL, section 4. With link(n) = n (n − 1) / 2::

    R = Σ_k |k| · Σ_r link(|k ∩ r|) / link(|k|)  /  Σ_k |k|      P: sides exchanged

A singleton has one link, to itself; it is resolved only by a singleton of the other side.

==================  ==========================================================================
all singletons      each singleton that both sides have counts 1
empty response      P 0/0 = 0, R 0/n
twinless mentions   their links count in the denominators, never in a numerator
singleton in chain  0 for the singleton, and its mention brings the longer chain no link
==================  ==========================================================================
"""

import numpy as np

from cdec.arrays import Ints
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts
from cdec.metrics.metric import Metric


def lea(contingency: Contingency) -> Counts:
    """Return the LEA counts: resolved share times size, summed, out of all mentions.

    >>> from cdec import Clustering
    >>> key = Clustering.from_chains(["abc", "defg"])
    >>> response = Clustering.from_chains(["ab", "cd", "fghi"])
    >>> round(lea(Contingency.from_clusterings(key, response)).recall, 2)  # section 4 of the paper
    0.24
    """
    key = contingency.key_sizes[contingency.rows]
    response = contingency.response_sizes[contingency.cols]
    self_links = int(((key == 1) & (response == 1)).sum())
    return Counts(
        p_num=self_links + _resolved(contingency.overlap, response),
        p_den=int(contingency.response_sizes.sum()),
        r_num=self_links + _resolved(contingency.overlap, key),
        r_den=int(contingency.key_sizes.sum()),
    )


def _resolved(overlap: Ints, sizes: Ints) -> float:
    """Return Σ n · link(overlap) / link(n) over the cells; n is the size of the cell's chain.

    n / link(n) is 2 / (n − 1). A singleton's cell has no link: its divisor is of no account.
    """
    return float((overlap * (overlap - 1) / np.maximum(sizes - 1, 1)).sum())


LEA = Metric(id="lea", label="LEA", citation="Moosavi and Strube (2016)", count=lea)

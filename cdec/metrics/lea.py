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

from fractions import Fraction

import numpy as np

from cdec.arrays import Ints
from cdec.metadocument import OTHER
from cdec.metrics.contingency import Contingency
from cdec.metrics.contribution import LETTER, Contribution, Share, bracketed, full
from cdec.metrics.counts import Counts
from cdec.metrics.links import links
from cdec.metrics.metric import Metric
from cdec.metrics.sheet import Chain, Sheet


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
    return float((2 * links(overlap) / np.maximum(sizes - 1, 1)).sum())


def links_of_chain(chain: Chain, sheet: Sheet) -> Contribution:
    """Count importance times resolution: |K| × Σ link(|K ∩ R|) / link(|K|), of |K|."""
    x, n = LETTER[chain.side], chain.size
    if n == 1:
        return _singleton(chain, sheet)
    terms = [links(part.size) for part in chain.parts]
    share = Share.of(Fraction(n * sum(terms), links(n)), n)
    formula = (
        f"importance × resolution = |{x}| × Σ link(|K ∩ R|) / link(|{x}|) "
        f"= {n} × {bracketed(terms)}/{links(n)} = {full(share.numerator)} of |{x}| = {n}"
    )
    return Contribution(chain, share, formula, ("link(n) = n (n − 1) / 2",))


def _singleton(chain: Chain, sheet: Sheet) -> Contribution:
    x, other = LETTER[chain.side], OTHER[chain.side]
    found = int(any(sheet.other(chain, part).size == 1 for part in chain.parts))
    why = f"a singleton of the {other}, too" if found else f"no singleton of the {other}"
    formula = f"importance × resolution = 1 × {found}/1 = {found} of |{x}| = 1"
    remark = f"{x} is a singleton, its one link is to itself; it is {why}"
    return Contribution(chain, Share.of(found, 1), formula, (remark,))


LEA = Metric(
    id="lea",
    label="LEA",
    citation="Moosavi and Strube (2016)",
    count=lea,
    rule=links_of_chain,
)

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

from fractions import Fraction

import numpy as np

from cdec.arrays import Ints
from cdec.metadocument import OTHER
from cdec.metrics.contingency import Contingency
from cdec.metrics.contribution import LETTER, Contribution, Share, bracketed, full
from cdec.metrics.counts import Counts
from cdec.metrics.exact import sum_of_ratios
from cdec.metrics.links import links
from cdec.metrics.metric import Metric
from cdec.metrics.sheet import Chain, Sheet


def lea(contingency: Contingency) -> Counts:
    """Return the LEA counts: Σ size × resolved share, and all mentions of each side.

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
    """Return Σ n · link(overlap) / link(n) over the cells; n is the size of the chain.

    n / link(n) is 2 / (n − 1). The cell of a singleton has no link, so that any divisor will do.
    """
    return sum_of_ratios(2 * links(overlap), np.maximum(sizes - 1, 1))


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
    resolved = int(any(sheet.other(chain, part).size == 1 for part in chain.parts))
    where = "also" if resolved else "not"
    formula = f"importance × resolution = 1 × {resolved}/1 = {resolved} of |{x}| = 1"
    remark = (
        f"{x} is a singleton with one link, to itself; it is {where} a singleton in the {other}"
    )
    return Contribution(chain, Share.of(resolved, 1), formula, (remark,))


LEA = Metric(
    id="lea",
    label="LEA",
    citation="Moosavi and Strube (2016)",
    count=lea,
    rule=links_of_chain,
)

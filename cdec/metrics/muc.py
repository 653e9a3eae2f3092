"""MUC: the links that are needed to join the mentions of a chain.

Vilain, Burger, Aberdeen, Connolly and Hirschman (1995), *A model-theoretic coreference scoring
scheme*, MUC-6; with twinless mentions as in Pradhan et al. (2014), ACL, section 3.1.

A chain k of n mentions needs n − 1 links. The response divides it into |p(k)| parts and misses
|p(k)| − 1 links; each mention that the response lacks is a separate part::

    R = Σ_k (|k| − |p(k)|) / Σ_k (|k| − 1)       P: the same with the sides exchanged

|k| − |p(k)| is Σ (n − 1) over the response chains that share n > 0 mentions with k. Both
numerators are therefore the number of common mentions minus the number of non-zero cells.

==================  ==========================================================================
all singletons      no link: 0/0 = 0 for the side with singletons only
empty response      P 0/0 = 0, R 0/n
twinless mentions   counted in the denominator of their side
singletons          are ignored
==================  ==========================================================================
"""

from cdec.metrics.contingency import Contingency
from cdec.metrics.contribution import LETTER, Contribution, Share, braces
from cdec.metrics.counts import Counts
from cdec.metrics.metric import Metric, prf
from cdec.metrics.sheet import Chain, Sheet


def muc(contingency: Contingency) -> Counts:
    """Return the MUC counts: correct links, and the links of response and key.

    >>> from cdec import Clustering
    >>> key, response = Clustering.from_chains(["ABCD"]), Clustering.from_chains(["AB", "CD"])
    >>> muc(Contingency.from_clusterings(key, response)).recall
    0.6666666666666666
    """
    correct = int((contingency.overlap - 1).sum())
    return Counts(
        p_num=correct,
        p_den=int((contingency.response_sizes - 1).sum()),
        r_num=correct,
        r_den=int((contingency.key_sizes - 1).sum()),
    )


def links_of_chain(chain: Chain, sheet: Sheet) -> Contribution:
    """Count the correct links: |K| − |p(K)| of |K| − 1."""
    x, n = LETTER[chain.side], chain.size
    parts = [*(part.mentions for part in chain.parts), *((m,) for m in chain.twinless)]
    place = {mention: number for number, mention in enumerate(chain.mentions)}
    sets = " ".join(map(braces, sorted(parts, key=lambda part: place[part[0]])))
    note = "; a twinless mention is a separate part" if chain.twinless else ""
    formula = f"|{x}| − |p({x})| = {n} − {len(parts)} = {n - len(parts)} of |{x}| − 1 = {n - 1}"
    share = Share.of(n - len(parts), n - 1)
    return Contribution(chain, share, formula, (f"p({x}) = {sets}{note}",))


MUC = Metric(
    id="muc",
    label="MUC",
    citation="Vilain et al. (1995)",
    columns=prf("MUC"),
    count=muc,
    rule=links_of_chain,
)

"""MUC: the links that turn a set of mentions into a chain.

Vilain, Burger, Aberdeen, Connolly and Hirschman (1995), *A model-theoretic coreference scoring
scheme*, MUC-6; with twinless mentions as in Pradhan et al. (2014), ACL, section 3.1.

A chain k of n mentions needs n − 1 links; it misses one for each further part p(k) into which the
response cuts it, and a mention that the response lacks is a part of its own::

    R = Σ_k (|k| − |p(k)|) / Σ_k (|k| − 1)       P: the same with the sides exchanged

|k| − |p(k)| is Σ (n − 1) over the response chains that share n > 0 mentions with k, so that both
numerators are the common mentions less the non-zero cells.

==================  ==========================================================================
all singletons      no link: 0/0, which is 0, for the side that has singletons only
empty response      P 0/0 = 0, R 0/n
twinless mentions   counted in the denominator of their side
singletons          add nothing anywhere
==================  ==========================================================================
"""

from cdec.metrics.contingency import Contingency
from cdec.metrics.contribution import LETTER, Contribution, Share, braces
from cdec.metrics.counts import Counts
from cdec.metrics.metric import Metric, prf
from cdec.metrics.sheet import Chain, Sheet


def muc(contingency: Contingency) -> Counts:
    """Return the MUC counts: correct links over links of the response and of the key.

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
    """Count links less one for every cut: |K| − |p(K)| of |K| − 1."""
    x, n = LETTER[chain.side], chain.size
    parts = [*(part.mentions for part in chain.parts), *((m,) for m in chain.twinless)]
    place = {mention: number for number, mention in enumerate(chain.mentions)}
    sets = " ".join(map(braces, sorted(parts, key=lambda part: place[part[0]])))
    lone = "; a twinless mention is a part of its own" if chain.twinless else ""
    formula = f"|{x}| − |p({x})| = {n} − {len(parts)} = {n - len(parts)} of |{x}| − 1 = {n - 1}"
    share = Share.of(n - len(parts), n - 1)
    return Contribution(chain, share, formula, (f"p({x}) = {sets}{lone}",))


MUC = Metric(
    id="muc",
    label="MUC",
    citation="Vilain et al. (1995)",
    columns=prf("MUC"),
    count=muc,
    rule=links_of_chain,
)

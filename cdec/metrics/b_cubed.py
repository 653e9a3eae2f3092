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

from fractions import Fraction

from cdec.metrics.contingency import Contingency
from cdec.metrics.contribution import LETTER, Contribution, Share, full, total
from cdec.metrics.counts import Counts
from cdec.metrics.exact import sum_of_ratios
from cdec.metrics.metric import Metric, prf
from cdec.metrics.sheet import Chain, Sheet


def b_cubed(contingency: Contingency) -> Counts:
    """Return the B³ counts: sums over mentions, and the mentions of each side.

    >>> from cdec import Clustering
    >>> key = Clustering.from_chains(["12345", "67", "89ABC"])
    >>> response = Clustering.from_chains(["12345", "6789ABC"])
    >>> round(b_cubed(Contingency.from_clusterings(key, response)).precision, 2)  # the paper's 76 %
    0.76
    """
    squared = contingency.overlap**2
    return Counts(
        p_num=sum_of_ratios(squared, contingency.response_sizes[contingency.cols]),
        p_den=int(contingency.response_sizes.sum()),
        r_num=sum_of_ratios(squared, contingency.key_sizes[contingency.rows]),
        r_den=int(contingency.key_sizes.sum()),
    )


def mentions_of_chain(chain: Chain, sheet: Sheet) -> Contribution:
    """Sum, over the mentions, the correct share of the chain: Σ |K ∩ R| / |K| of |K|."""
    x, n = LETTER[chain.side], chain.size
    shared = {mention: part.size for part in chain.parts for mention in part.mentions}
    terms = [shared.get(mention, 0) for mention in chain.mentions]
    share = Share.of(Fraction(sum(terms), n), n)
    formula = (
        f"Σ |K ∩ R| / |{x}| over the mentions = {total(f'{term}/{n}' for term in terms)} "
        f"= {full(share.numerator)} of |{x}| = {n}"
    )
    return Contribution(chain, share, formula)


B_CUBED = Metric(
    id="b3",
    label="B³",
    citation="Bagga and Baldwin (1998)",
    columns=prf("B³"),
    count=b_cubed,
    rule=mentions_of_chain,
)

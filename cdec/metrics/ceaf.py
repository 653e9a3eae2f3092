"""CEAF: the best one-to-one alignment of key chains with response chains.

Luo (2005), *On coreference resolution performance metrics*, HLT/EMNLP; with twinless mentions as
in Pradhan et al. (2014), ACL, section 3.3. g* is the alignment that maximises Φ = Σ φ(k, g(k))::

    CEAF_m   φ₃(k, r) = |k ∩ r|                    R = Φ(g*) / Σ_k |k|    P = Φ(g*) / Σ_r |r|
    CEAF_e   φ₄(k, r) = 2 |k ∩ r| / (|k| + |r|)    R = Φ(g*) / chains of the key
                                                   P = Φ(g*) / chains of the response

The alignment is exact. It never crosses meta-documents, because chains of different
meta-documents share no mention: solving them together or separately gives the same Φ.

==================  ==========================================================================
all singletons      each common mention aligns with itself
empty response      P 0/0 = 0, R 0/n
twinless mentions   count in the size of their chain; a chain of twinless mentions only is not
                    aligned and counts in the denominator
==================  ==========================================================================
"""

from fractions import Fraction

import numpy as np

from cdec.metadocument import OTHER, Side
from cdec.metrics.assignment import best_assignment
from cdec.metrics.contingency import Contingency
from cdec.metrics.contribution import LETTER, Contribution, Share, full
from cdec.metrics.counts import Counts
from cdec.metrics.exact import sum_of_ratios
from cdec.metrics.metric import Metric, prf
from cdec.metrics.sheet import Alignment, Chain, Sheet


def ceaf_m(contingency: Contingency) -> Counts:
    """Return the CEAF_m counts: aligned mentions, and all mentions of each side.

    >>> from cdec import Clustering
    >>> key = Clustering.from_chains(["12345", "67", "89ABC"])
    >>> response = Clustering.from_chains(["12345", "6789ABC"])
    >>> round(ceaf_m(Contingency.from_clusterings(key, response)).f1, 3)  # Table 1 of Luo (2005)
    0.833
    """
    shared = contingency.overlap.astype(np.float64)
    aligned = best_assignment(contingency.rows, contingency.cols, shared)
    total = int(shared[aligned].sum())
    return Counts(
        p_num=total,
        p_den=int(contingency.response_sizes.sum()),
        r_num=total,
        r_den=int(contingency.key_sizes.sum()),
    )


def ceaf_e(contingency: Contingency) -> Counts:
    """Return the CEAF_e counts: similarity of aligned chains, and all chains of each side.

    >>> from cdec import Clustering
    >>> key = Clustering.from_chains(["12345", "67", "89ABC"])
    >>> response = Clustering.from_chains(["12345", "6789ABC"])
    >>> round(ceaf_e(Contingency.from_clusterings(key, response)).f1, 3)  # Table 1 of Luo (2005)
    0.733
    """
    sizes = contingency.key_sizes[contingency.rows] + contingency.response_sizes[contingency.cols]
    shared = 2 * contingency.overlap
    aligned = best_assignment(contingency.rows, contingency.cols, shared / sizes)
    total = sum_of_ratios(shared[aligned], sizes[aligned])
    return Counts(
        p_num=total,
        p_den=len(contingency.response_sizes),
        r_num=total,
        r_den=len(contingency.key_sizes),
    )


def phi_3(shared: int, key: int, response: int) -> Fraction:
    """Return φ₃ of chains of sizes ``key`` and ``response`` with ``shared`` common mentions."""
    return Fraction(shared)


def phi_4(shared: int, key: int, response: int) -> Fraction:
    """Return φ₄ of chains of sizes ``key`` and ``response`` with ``shared`` common mentions."""
    return Fraction(2 * shared, key + response)


def mentions_of_chain(chain: Chain, sheet: Sheet) -> Contribution:
    """Count the mentions that the chain shares with its aligned chain, of |K|."""
    x, alignment = LETTER[chain.side], sheet.alignment(phi_3)
    shared, other = _partner(chain, sheet, alignment)
    share = Share.of(phi_3(shared, chain.size, other), chain.size)
    written = f"φ₃(K, R) = |K ∩ R| = {shared}" if shared else "0"
    formula = f"{written} of |{x}| = {chain.size}"
    return Contribution(chain, share, formula, _choice(chain, sheet, alignment))


def similarity_of_chain(chain: Chain, sheet: Sheet) -> Contribution:
    """Count the similarity φ₄ of the chain to its aligned chain, of 1."""
    alignment = sheet.alignment(phi_4)
    shared, other = _partner(chain, sheet, alignment)
    share = Share.of(phi_4(shared, chain.size, other), 1)
    sizes = (chain.size, other) if chain.side == "key" else (other, chain.size)
    written = (
        f"φ₄(K, R) = 2 |K ∩ R| / (|K| + |R|) = 2 · {shared} / ({sizes[0]} + {sizes[1]}) "
        f"= {full(share.numerator)}"
    )
    formula = f"{written if shared else '0'} of 1 (each chain counts 1)"
    return Contribution(chain, share, formula, _choice(chain, sheet, alignment))


def _partner(chain: Chain, sheet: Sheet, alignment: Alignment) -> tuple[int, int]:
    """Return (shared mentions, size) of the aligned chain; (0, 0) if there is none."""
    match = alignment.get((chain.side, chain.number))
    parts = (part for part in chain.parts if part.other == match)
    return next(((part.size, sheet.other(chain, part).size) for part in parts), (0, 0))


def _choice(chain: Chain, sheet: Sheet, alignment: Alignment) -> tuple[str, ...]:
    """Return a remark: the aligned chain, and the partners of the other chains that overlap."""
    match = alignment.get((chain.side, chain.number))
    pairs = [f"{LETTER[chain.side]} ↔ {_name(sheet, OTHER[chain.side], match)}"]
    for part in chain.parts:
        if part.other != match:
            owner = alignment.get((OTHER[chain.side], part.other))
            rival = _name(sheet, OTHER[chain.side], part.other)
            pairs.append(f"{rival} ↔ {_name(sheet, chain.side, owner)}")
    return (f"best one-to-one alignment: {', '.join(pairs)}",)


def _name(sheet: Sheet, side: Side, number: int | None) -> str:
    return "none" if number is None else f"{side} {sheet.chains(side)[number].label}"


CEAF_M = Metric(
    id="ceafm",
    label="CEAF_m",
    citation="Luo (2005)",
    count=ceaf_m,
    rule=mentions_of_chain,
)
CEAF_E = Metric(
    id="ceafe",
    label="CEAF_e",
    citation="Luo (2005)",
    columns=prf("CEAF_e"),
    count=ceaf_e,
    rule=similarity_of_chain,
)

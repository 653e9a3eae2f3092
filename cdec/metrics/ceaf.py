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

import numpy as np

from cdec.arrays import Floats, Ints
from cdec.metadocument import OTHER, Side
from cdec.metrics.contingency import Contingency, Similarity
from cdec.metrics.contribution import LETTER, Share, Words, full
from cdec.metrics.metric import Metric, prf
from cdec.metrics.sheet import Alignment, Chain, Sheet
from cdec.metrics.terms import Ratio, Terms


def phi_3(table: Contingency) -> Floats:
    """Return φ₃ of each cell."""
    return table.overlap.astype(np.float64)


def phi_4(table: Contingency) -> Floats:
    """Return φ₄ of each cell."""
    sizes = table.key_sizes[table.rows] + table.response_sizes[table.cols]
    return 2 * table.overlap / sizes


def _aligned(table: Contingency, similarity: Similarity) -> Ints:
    """Return 1 for each cell of the best alignment, 0 for the others."""
    flags = np.zeros(len(table.overlap), dtype=np.int64)
    flags[table.aligned(similarity)] = 1
    return flags


def ceaf_m(table: Contingency) -> Terms:
    """Return the mentions of each aligned cell, and the size of each chain.

    >>> from cdec import Clustering
    >>> key = Clustering.from_chains(["12345", "67", "89ABC"])
    >>> response = Clustering.from_chains(["12345", "6789ABC"])
    >>> counts = ceaf_m(Contingency.from_clusterings(key, response)).counts()
    >>> round(counts.f1, 3)  # Table 1 of Luo (2005)
    0.833
    """
    shared = [Ratio(table.overlap * _aligned(table, phi_3))]
    return Terms(
        precision=shared,
        response=table.response_sizes,
        recall=shared,
        key=table.key_sizes,
    )


def ceaf_e(table: Contingency) -> Terms:
    """Return the similarity of each aligned cell, and 1 for each chain.

    >>> from cdec import Clustering
    >>> key = Clustering.from_chains(["12345", "67", "89ABC"])
    >>> response = Clustering.from_chains(["12345", "6789ABC"])
    >>> counts = ceaf_e(Contingency.from_clusterings(key, response)).counts()
    >>> round(counts.f1, 3)  # Table 1 of Luo (2005)
    0.733
    """
    sizes = table.key_sizes[table.rows] + table.response_sizes[table.cols]
    similarity = [Ratio(2 * table.overlap * _aligned(table, phi_4), sizes)]
    return Terms(
        precision=similarity,
        response=np.ones_like(table.response_sizes),
        recall=similarity,
        key=np.ones_like(table.key_sizes),
    )


def words_of_mentions(chain: Chain, sheet: Sheet, share: Share) -> Words:
    """Return the mentions that the chain shares with its aligned chain, of |K|."""
    written = f"φ₃(K, R) = |K ∩ R| = {share.numerator}" if share.numerator else "0"
    formula = f"{written} of |{LETTER[chain.side]}| = {chain.size}"
    return formula, _choice(chain, sheet, sheet.alignment(phi_3))


def words_of_chains(chain: Chain, sheet: Sheet, share: Share) -> Words:
    """Return the similarity φ₄ of the chain to its aligned chain, of 1."""
    alignment = sheet.alignment(phi_4)
    shared, other = _partner(chain, sheet, alignment)
    sizes = (chain.size, other) if chain.side == "key" else (other, chain.size)
    written = (
        f"φ₄(K, R) = 2 |K ∩ R| / (|K| + |R|) = 2 · {shared} / ({sizes[0]} + {sizes[1]}) "
        f"= {full(share.numerator)}"
    )
    formula = f"{written if shared else '0'} of 1 (each chain counts 1)"
    return formula, _choice(chain, sheet, alignment)


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
    terms=ceaf_m,
    words=words_of_mentions,
)
CEAF_E = Metric(
    id="ceafe",
    label="CEAF_e",
    citation="Luo (2005)",
    by_default=True,
    columns=prf("CEAF_e"),
    terms=ceaf_e,
    words=words_of_chains,
)

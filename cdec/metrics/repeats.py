"""Mentions that occur more than once, as the metrics count them.

Response mentions that are not in the key: most metrics count every occurrence. ``mentions`` and
BLANC count a mention, and a link between two mentions, by name: once, as the reference scorer
(v8.01) does. A mention in two chains is a link of its own: between its occurrences.

Key mentions in several chains, if the call asks for the counts of the reference scorer: see
``cdec.corefud.occurrences``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Ints, links


class Surplus(NamedTuple):
    """By how much counts of occurrences exceed those by name: mentions, and links of BLANC.

    Arrays with one entry per meta-document, or 0.
    """

    mentions: Ints | int = 0
    coref: Ints | int = 0
    noncoref: Ints | int = 0


NO_SURPLUS = Surplus()


def surplus(
    meta: Ints,
    chain: Ints,
    name: Ints,
    metas: int,
) -> Surplus:
    """Return the surplus of the response mentions in ``metas`` meta-documents and their chains.

    Rows of a meta-document with equal ``name`` are occurrences of one mention.

    >>> surplus(np.array([0, 0, 0]), np.array([0, 1, 2]), np.array([5, 6, 5]), 1)
    Surplus(mentions=array([1]), coref=array([0]), noncoref=array([1]))
    """
    is_repeat = (
        pd.DataFrame({"meta": meta, "name": name}).duplicated(keep=False).to_numpy()
    )
    if not is_repeat.any():
        return NO_SURPLUS
    from scipy.sparse import coo_array  # noqa: PLC0415  # slow to import, and needed here only

    # The number of the mention of each repeated occurrence.
    repeat_meta = meta[is_repeat]
    mention, _ = pd.factorize(repeat_meta * (int(name.max()) + 1) + name[is_repeat])
    _, first_occurrence = np.unique(mention, return_index=True)
    meta_of_mention = repeat_meta[first_occurrence]
    occurrences = np.bincount(mention)
    mentions = len(occurrences)
    chains = int(chain.max()) + 1
    # The mentions of each chain that occur once, and the occurrences of each other mention in it.
    single_in_chain = np.bincount(chain[~is_repeat], minlength=chains)
    ones = np.ones(len(mention), np.int64)
    in_chain = coo_array(
        (ones, (mention, chain[is_repeat])), shape=(mentions, chains)
    ).tocsr()

    def sum_by_meta(mention: Ints, numbers: Ints) -> Ints:
        sums = np.bincount(meta_of_mention[mention], weights=numbers, minlength=metas)
        return sums.astype(np.int64)

    # Two mentions with s and t occurrences, c pairs of which are in one chain, are s·t links: c
    # inside chains, which count once by name if there are any, and s·t − c between chains.
    pairs_in_chain = (in_chain @ in_chain.T).tocoo()
    first, second = pairs_in_chain.coords
    is_pair = first < second
    first = first[is_pair].astype(np.int64)
    second = second[is_pair].astype(np.int64)
    in_one_chain = pairs_in_chain.data[is_pair]
    pairs = occurrences[first] * occurrences[second]
    coref = sum_by_meta(first, in_one_chain - 1)
    noncoref = sum_by_meta(first, (in_one_chain == pairs) - in_one_chain)
    # The same with each mention of a chain that occurs once: t = 1.
    cells = in_chain.tocoo()
    cell_mention, cell_chain = (axis.astype(np.int64) for axis in cells.coords)
    singles = single_in_chain[cell_chain]
    is_whole = cells.data == occurrences[cell_mention]
    coref += sum_by_meta(cell_mention, singles * (cells.data - 1))
    noncoref += sum_by_meta(cell_mention, singles * (is_whole - cells.data))
    # The links between the occurrences of one mention, inside chains and between chains.
    numbers = np.arange(mentions)
    inside = np.bincount(cell_mention, links(cells.data), minlength=mentions).astype(
        np.int64
    )
    between = links(occurrences) - inside
    coref += sum_by_meta(numbers, inside - (inside > 0))
    noncoref += sum_by_meta(numbers, between - (between > 0))
    # All links between different mentions of a meta-document, by occurrence less by name.
    total = sum_by_meta(numbers, occurrences)
    number = np.bincount(meta_of_mention, minlength=metas)
    single = np.bincount(meta[~is_repeat], minlength=metas)
    of_one_mention = sum_by_meta(numbers, links(occurrences))
    noncoref += (
        links(total) - of_one_mention - links(number) + single * (total - number)
    )
    return Surplus(total - number, coref, noncoref)


class KeySurplus(NamedTuple):
    """By how much a key whose mentions are in several chains differs from one of single chains.

    ``overlap``: of each cell, the mentions for which the chain is not the last one. The others have
    an entry for each meta-document: links that count twice, and links between chains that are also
    links inside one, of the key and of both sides.
    """

    overlap: Ints | int = 0
    coref_key: Ints | int = 0
    coref_common: Ints | int = 0
    noncoref_key: Ints | int = 0
    noncoref_common: Ints | int = 0


NO_KEY_SURPLUS = KeySurplus()

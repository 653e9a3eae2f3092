"""Mentions that occur more than once, as the metrics count them.

Response mentions that are not in the key: most metrics count every occurrence. ``mentions`` and
BLANC count a mention, and a link between two mentions, by name: once, as the reference scorer
(v8.01) does. A mention in two chains is a link of its own: between its occurrences.

Key mentions in several chains, if the call asks for the counts of the reference scorer: sizes of
chains, and the overlaps of CEAF, count a mention in each of its chains. MUC and B³ look for a
response mention in the last of these chains only. ``mentions`` and BLANC count by name.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints, links


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


class Rows(NamedTuple):
    """Of each row of a key: meta-document, key chain, response chain (−1: none) and mention."""

    meta: Ints
    key: Ints
    response: Ints
    name: Ints


def in_every_chain(rows: Rows) -> tuple[Ints, Bools]:
    """Return the response chain of the mention of each row, and whether the mention has others.

    >>> numbers = map(np.array, ([0, 0, 0], [0, 1, 1], [2, -1, 3], [5, 5, 6]))
    >>> in_every_chain(Rows(*numbers))[0].tolist()
    [2, 2, 3]
    """
    table = pd.DataFrame(rows._asdict())
    of_mention = table.groupby(["meta", "name"])
    response: Ints = of_mention["response"].transform("max").to_numpy()
    return response, (of_mention["key"].transform("size") > 1).to_numpy()


def key_surplus(rows: Rows, cells: Ints, cell: Ints, metas: int) -> KeySurplus:
    """Return the surplus of a key in ``metas`` meta-documents.

    ``cells`` has the overlap of each cell, ``cell`` that of each row (−1: none).

    >>> rows = Rows(*map(np.array, ([0, 0, 0], [0, 1, 1], [-1, 0, 0], [5, 5, 6])))
    >>> key_surplus(rows, np.array([1, 2]), np.array([0, 1, 1]), 1).noncoref_key
    array([2])
    """
    from scipy.sparse import coo_array  # noqa: PLC0415  # slow to import, and needed here only

    response, is_multiple = in_every_chain(rows)
    is_common = response >= 0
    chains, number = int(rows.key.max()) + 1, len(cells)
    home = np.zeros(chains, np.int64)
    home[rows.key] = rows.meta
    home_of_cell = np.zeros(number, np.int64)
    home_of_cell[cell[is_common]] = rows.meta[is_common]

    def in_metas(at: Ints, values: Ints) -> Ints:
        return np.bincount(at, values, metas).astype(np.int64)

    def links_of_multiple(part: Ints, size: int, present: Bools) -> Ints:
        """Return the links of each part, without those between mentions of one chain only."""
        every = np.bincount(part[present], minlength=size)
        single = np.bincount(part[present & ~is_multiple], minlength=size)
        return links(every) - links(single)

    of_key = in_metas(home, links_of_multiple(rows.key, chains, rows.key >= 0))
    of_common = in_metas(home, links_of_multiple(rows.key, chains, is_common))
    of_cells = in_metas(home_of_cell, links_of_multiple(cell, number, is_common))

    # Two mentions with c chains in common are one link, not c.
    named = rows.meta * (int(rows.name.max()) + 1) + rows.name
    mention = pd.factorize(named[is_multiple])[0]
    first = np.flatnonzero(is_multiple)[np.unique(mention, return_index=True)[1]]
    member = coo_array(
        (np.ones(len(mention), np.int64), (mention, rows.key[is_multiple]))
    ).tocsr()
    shared = (member @ member.T).tocoo()
    one, other = shared.coords
    is_pair = (one < other) & (shared.data > 1)
    pairs = first[one[is_pair]]
    partners = first[other[is_pair]]
    again = shared.data[is_pair] - 1
    is_right = (response[pairs] >= 0) & (response[pairs] == response[partners])
    return KeySurplus(
        overlap=cells - np.bincount(cell[rows.response >= 0], minlength=number),
        coref_key=in_metas(rows.meta[pairs], again),
        coref_common=in_metas(rows.meta[pairs], again * is_right),
        noncoref_key=of_key + np.bincount(rows.meta[first], minlength=metas),
        noncoref_common=of_common - of_cells,
    )

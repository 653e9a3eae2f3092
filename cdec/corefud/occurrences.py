"""Key mentions in several chains, as the CoNLL reference scorer (v8.01) counts them.

Sizes of chains, and the overlaps of CEAF, count a mention in each of its chains. MUC and B³ look
for a response mention in the last of these chains only. ``mentions`` and BLANC count by name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints, links
from cdec.metrics.repeats import KeySurplus
from cdec.metrics.table import Table, numbered


def table_of_every_chain(
    table: Table, meta: Ints, key: Ints, response: Ints, name: Ints
) -> Table:
    """Return the table with the mentions of the key in each of their chains.

    The arrays have a number for each row of the mentions: of the meta-document, of the chains
    (−1: not on that side) and of the name of the mention.
    """
    on = key >= 0
    chains = numbered(meta, key), numbered(meta, response)
    rows = Rows(meta[on], chains[0][on], chains[1][on], name[on])
    of_mention, is_multiple = in_every_chain(rows)
    if not is_multiple.any():
        return table
    width = len(table.response_sizes)
    places = np.where(of_mention >= 0, rows.key * width + of_mention, -1)
    cells, overlap = np.unique(places[places >= 0], return_counts=True)
    cell = np.where(places >= 0, np.searchsorted(cells, places), -1)
    metas = len(table.key_mentions)
    is_repeat = (
        pd.DataFrame({"meta": rows.meta, "name": rows.name}).duplicated().to_numpy()
    )
    repeats = np.bincount(rows.meta[is_repeat], minlength=metas)
    return replace(
        table,
        rows=cells // width,
        cols=cells % width,
        overlap=overlap,
        key_mentions=table.key_mentions - repeats,
        key_surplus=key_surplus(rows, overlap, cell, metas),
    )


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

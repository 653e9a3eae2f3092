"""Response mentions that are not in the key and occur more than once, as the metrics count them.

Most metrics count every occurrence. ``mentions`` and BLANC count a mention, and a link between two
mentions, by name: once, as the reference scorer (v8.01) does. A mention in two chains is a link of
its own: between its occurrences.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.metrics.metric import links


class Surplus(NamedTuple):
    """By how much counts of occurrences exceed those by name: mentions, and links of BLANC.

    Arrays with one entry per meta-document, or 0.
    """

    mentions: Ints | int = 0
    coref: Ints | int = 0
    noncoref: Ints | int = 0


NO_SURPLUS = Surplus()


def surplus(meta: Ints, chain: Ints, name: Ints, metas: int) -> Surplus:
    """Return the surplus of the response mentions in ``metas`` meta-documents and their chains.

    Rows of a meta-document with equal ``name`` are occurrences of one mention.

    >>> surplus(np.array([0, 0, 0]), np.array([0, 1, 2]), np.array([5, 6, 5]), 1)
    Surplus(mentions=array([1]), coref=array([0]), noncoref=array([1]))
    """
    again = pd.DataFrame({"meta": meta, "name": name}).duplicated(keep=False).to_numpy()
    if not again.any():
        return NO_SURPLUS
    from scipy.sparse import coo_array  # noqa: PLC0415  # slow to import, and needed here only

    # Two mentions with s and t occurrences, c pairs of which are in one chain, are s·t links: c
    # inside chains, which count once by name if there are any, and s·t − c between chains.
    # ``once``: mentions that occur once, by chain; ``times``: occurrences of the others by chain.
    row, _ = pd.factorize(meta[again] * (int(name.max()) + 1) + name[again])
    home = meta[again][np.unique(row, return_index=True)[1]]  # the meta-document of each mention
    size = np.bincount(row)
    once = np.bincount(chain[~again], minlength=int(chain.max()) + 1)
    cells = (np.ones(len(row), np.int64), (row, chain[again]))
    times = coo_array(cells, (len(size), len(once))).tocsr()
    i, j = (both := (times @ times.T).tocoo()).coords
    pair = i < j
    of, to = (each := times.tocoo()).coords

    def sums(at: Ints, values: Ints) -> Ints:
        return np.bincount(at, weights=values, minlength=metas).astype(np.int64)

    known, within, most, weight = (
        np.concatenate(columns)
        for columns in (
            (home[i[pair]], home[of]),
            (both.data[pair], each.data),
            (size[i[pair]] * size[j[pair]], size[of]),
            (np.ones(int(pair.sum()), np.int64), once[to]),
        )
    )
    inside = np.bincount(of, links(each.data), minlength=len(size)).astype(np.int64)
    between = links(size) - inside
    total, single = sums(home, size), np.bincount(meta[~again], minlength=metas)
    number = np.bincount(home, minlength=metas)
    coref = sums(known, weight * (within - 1)) + sums(home, inside - (inside > 0))
    noncoref = links(total) - sums(home, links(size)) - links(number) + single * (total - number)
    noncoref += sums(known, weight * ((within == most) - within))
    noncoref += sums(home, between - (between > 0))
    return Surplus(total - number, coref, noncoref)

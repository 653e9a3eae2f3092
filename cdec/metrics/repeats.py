"""Response mentions that are not in the key and occur more than once, as the metrics count them.

Most metrics count every occurrence. ``mentions`` and BLANC count a mention, and a link between two
mentions, by name: once, as the reference scorer (v8.01) does. A mention in two chains is a link of
its own: between its occurrences.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array

from cdec.arrays import Ints
from cdec.metrics.links import links


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
    table = pd.DataFrame({"meta": meta, "chain": chain, "name": name})
    again = table.duplicated(["meta", "name"], keep=False)
    if not again.any():
        return NO_SURPLUS
    counts = np.zeros((3, metas), dtype=np.int64)
    for number in np.unique(meta[again.to_numpy()]):
        part = table[meta == number]
        counts[:, number] = _of_meta_document(part["chain"], part["name"])
    return Surplus(*counts)


def _of_meta_document(chain: pd.Series[int], name: pd.Series[int]) -> tuple[int, int, int]:
    again = name.duplicated(keep=False).to_numpy()
    chains, rows = pd.factorize(chain)[0], pd.factorize(name[again])[0]
    once = np.bincount(chains[~again], minlength=int(chains.max()) + 1)
    cells = (np.ones(len(rows), np.int64), (rows, chains[again]))
    counts = coo_array(cells, (int(rows.max()) + 1, len(once))).tocsr()
    sizes = np.bincount(rows)
    several = (_with_others(counts, sizes, once), _among_each_other(counts, sizes))
    coref, noncoref = np.sum(several, axis=0).tolist()
    return int((sizes - 1).sum()), coref, noncoref


def _with_others(counts: csr_array, sizes: Ints, once: Ints) -> tuple[int, int]:
    """Return the surplus of links with mentions that occur once.

    ``counts``: mentions × chains; ``sizes``: the occurrences of each mention; ``once``: how many
    mentions of each chain occur once.
    """
    owner = np.repeat(np.arange(len(sizes)), np.diff(counts.indptr))
    inside, beside = counts.data, once[counts.indices]
    apart = sizes.sum() * once.sum() - (beside * inside).sum()
    distinct = len(sizes) * once.sum() - beside[inside == sizes[owner]].sum()
    return int((beside * (inside - 1)).sum()), int(apart - distinct)


def _among_each_other(counts: csr_array, sizes: Ints) -> tuple[int, int]:
    """Return the surplus of links between mentions that occur again, or between occurrences."""
    both = (counts @ counts.T).tocoo()
    i, j = both.coords
    pair = i < j
    together, product = both.data[pair], sizes[i[pair]] * sizes[j[pair]]
    apart = links(int(sizes.sum())) - int(links(sizes).sum()) - int(together.sum())
    distinct = links(len(sizes)) - int((together == product).sum())
    owner = np.repeat(np.arange(len(sizes)), np.diff(counts.indptr))
    own = np.bincount(owner, links(counts.data), minlength=len(sizes)).astype(np.int64)
    rest = links(sizes) - own
    coref = int((together - 1).sum()) + int((own - (own > 0)).sum())
    return coref, apart - distinct + int((rest - (rest > 0)).sum())

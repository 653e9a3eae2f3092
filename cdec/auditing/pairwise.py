"""The tables of a key that pair detectors flag: links of two chains, and members of chains.

A row has the values of all its mention pairs, combined, or those of its strongest pair: the one
with the highest margin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cdec.arrays import Floats, Ints
from cdec.auditing.detectors.companions import COMPANIONS, counts
from cdec.auditing.detectors.systems import of_links, of_members

if TYPE_CHECKING:
    from cdec.auditing.key import Key

# The score of two chains is the soft maximum ln Σ exp(4 f) / 4 over their pairs: the largest f, and
# more if several pairs are strong. 4 was tuned on planted errors; 2 to 5 give similar results.
_SHARPNESS = 4.0
_DIGITS = 9


def rounded(values: Floats) -> Floats:
    """Return scores without the last digits, which depend on the processor.

    Equal pairs then have equal scores everywhere, and ties are broken in the same way.
    """
    return np.asarray(np.round(values, _DIGITS), dtype=np.float64)


def _strongest(group: Ints, pair: Ints, scores: dict[str, Floats]) -> pd.DataFrame:
    """Return a row for each group of pairs, by ascending ``group``, which is the index.

    Columns: ``pair``, the one with the highest of the first of ``scores`` (the first of a tie);
    ``count`` of pairs; and the soft maximum of each score.
    """
    order = np.argsort(group, kind="stable")
    keys, counts = np.unique(group, return_counts=True)
    starts = np.cumsum(counts) - counts
    best = np.lexsort((-next(iter(scores.values()))[pair], group))[starts]
    table = pd.DataFrame({"pair": pair[best], "count": counts}, index=keys)
    for name, values in scores.items() if len(keys) else ():
        sums = np.logaddexp.reduceat(_SHARPNESS * values[pair][order], starts)
        table[name] = rounded(sums / _SHARPNESS)
    return table.reindex(columns=["pair", "count", *scores])


def links(key: Key) -> pd.DataFrame:
    """Return a row for each pair of chains with a candidate pair, or that systems link.

    Columns: ``one`` < ``two``, the chain codes; ``pair`` is the strongest of ``count``, and
    ``left`` and ``right`` its mentions (rows); each of ``margins``; of the strongest pair
    ``anchor`` and ``companions``. A row that only systems have has none of these: ``pair`` is −1.
    """
    pairs, chain = key.pairs, key.chain
    margins = {name: of_pairs for name, (of_pairs, _) in key.margins.items()}
    unlinked = np.flatnonzero(~key.linked)
    ends = np.sort([chain[pairs.left[unlinked]], chain[pairs.right[unlinked]]], axis=0)
    table = _strongest(ends[0] * len(key.sizes) + ends[1], unlinked, margins)
    one, two = np.divmod(table.index.to_numpy(), len(key.sizes))
    best = table["pair"].to_numpy()
    rows = table.assign(one=one, two=two, left=pairs.left[best], right=pairs.right[best])
    rows["anchor"], rows[COMPANIONS] = key.anchors[best], counts(key)[best]
    return of_links(key, rows.reset_index(drop=True))


def memberships(key: Key) -> pd.DataFrame:
    """Return a row for each mention that is not a singleton; of a chain of two, the later one.

    Columns: ``mention`` (row); ``left`` and ``right`` of its strongest link in its chain, of
    ``count``, and the ``anchor`` that this link would have; each of ``margins``; for the most
    similar mention of another chain ``rival-pair`` (its row) and ``rival-`` with each margin.
    """
    pairs, (left, right) = key.pairs, key.inside
    mention, pair = np.concatenate([left, right]), np.tile(np.arange(len(left)), 2)
    inside = {name: of_links for name, (_, of_links) in key.margins.items()}
    table = _strongest(mention, pair, inside).rename_axis("mention").reset_index()
    link = table["pair"].to_numpy()
    table = table.assign(left=left[link], right=right[link])
    table["anchor"] = 1 - next(iter(inside.values()))[link]
    unlinked = np.flatnonzero(~key.linked)
    ends = pairs.left[unlinked], pairs.right[unlinked]
    own, other = np.concatenate(ends), np.concatenate(ends[::-1])
    values = {name: np.tile(one[unlinked], 2) for name, (one, _) in key.margins.items()}
    rivals = _strongest(own, np.arange(len(own)), values)
    best = rivals["pair"].to_numpy()
    nearest = pd.DataFrame({name: one[best] for name, one in values.items()}, index=rivals.index)
    nearest = nearest.assign(pair=other[best]).add_prefix("rival-")
    rows = of_members(key, table.join(nearest, on="mention"))
    return rows[(rows["count"] > 1) | (rows["mention"] == rows["right"])]

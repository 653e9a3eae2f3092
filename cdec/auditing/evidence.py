"""Scores of mention pairs, combined into scores of chain pairs and of chain members."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Floats, Ints

# The score of two chains is the soft maximum ln Σ exp(4 f) / 4 over their pairs: the largest f, and
# more if several pairs are strong. 4 was tuned on planted errors; 2 to 5 give similar results.
_SHARPNESS = 4.0
_DIGITS = 9


def rounded(values: Floats) -> Floats:
    """Return scores without the last digits, which depend on the processor.

    Equal pairs then have equal scores everywhere, and ties are broken in the same way.
    """
    return np.asarray(np.round(values, _DIGITS), dtype=np.float64)


def strongest(group: Ints, pair: Ints, scores: dict[str, Floats]) -> pd.DataFrame:
    """Return a row for each group of pairs, by ascending ``group``, which is the index.

    Columns: ``pair``, the one with the highest of the first of ``scores`` (the first of a tie);
    ``count`` of pairs; and the soft maximum of each score.
    """
    order = np.argsort(group, kind="stable")
    keys, counts = np.unique(group, return_counts=True)
    starts = np.cumsum(counts) - counts
    best = np.lexsort((-next(iter(scores.values()))[pair], group))[starts]
    soft = {
        name: rounded(np.logaddexp.reduceat(_SHARPNESS * values[pair][order], starts) / _SHARPNESS)
        if len(keys)
        else np.zeros(0)
        for name, values in scores.items()
    }
    return pd.DataFrame({"pair": pair[best], "count": counts, **soft}, index=keys)


def between_chains(left: Ints, right: Ints, chain: Ints, scores: dict[str, Floats]) -> pd.DataFrame:
    """Return a row for each pair of chains with a pair of mentions, as ``strongest``.

    ``left`` and ``right`` are rows of mentions, ``chain`` is the chain code of each mention;
    further columns: ``one`` and ``two`` (chain codes, one < two). Pairs inside a chain are left
    out.
    """
    unlinked = np.flatnonzero(chain[left] != chain[right])
    ends = np.sort([chain[left[unlinked]], chain[right[unlinked]]], axis=0)
    size = int(chain.max(initial=0)) + 1
    table = strongest(ends[0] * size + ends[1], unlinked, scores)
    codes = table.index.to_numpy()
    return table.assign(one=codes // size, two=codes % size).reset_index(drop=True)


def of_members(left: Ints, right: Ints, scores: dict[str, Floats]) -> pd.DataFrame:
    """Return a row for each ``mention`` that is not a singleton, from all pairs inside chains."""
    mention, pair = np.concatenate([left, right]), np.tile(np.arange(len(left)), 2)
    return strongest(mention, pair, scores).rename_axis("mention").reset_index()


def rivals(left: Ints, right: Ints, chain: Ints, scores: dict[str, Floats]) -> pd.DataFrame:
    """Return for each mention its strongest pair with a mention of another chain.

    The index is the row of the mention. Columns: ``rival`` (row of the other mention) and each of
    ``scores`` for this pair, which is the strongest by the first score.
    """
    unlinked = np.flatnonzero(chain[left] != chain[right])
    ends = [np.concatenate([a[unlinked], b[unlinked]]) for a, b in ((left, right), (right, left))]
    place = np.arange(len(ends[0]))
    pair = np.tile(unlinked, 2)
    each = {name: values[pair] for name, values in scores.items()}
    best = strongest(ends[0], place, each)
    at = best["pair"].to_numpy(np.int64)
    own = {name: values[at] for name, values in each.items()}
    return pd.DataFrame({"rival": ends[1][at], **own}, index=best.index)


def inside_chains(chain: Ints) -> tuple[Ints, Ints]:
    """Return all mention pairs inside chains as sorted rows (left < right)."""
    groups = pd.Series(np.arange(len(chain))).groupby(chain).groups
    pairs: list[Any] = [pair for part in groups.values() for pair in combinations(sorted(part), 2)]
    rows: Ints = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    return rows[:, 0], rows[:, 1]

"""Scores of mention pairs, combined into scores of chain pairs and of chain members."""

from __future__ import annotations

from dataclasses import dataclass
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
    return np.round(values, _DIGITS)


@dataclass(frozen=True, eq=False)
class Grouped:
    """Rows grouped by a key: ascending keys, row order, and the size of each group."""

    keys: Ints
    order: Ints
    counts: Ints

    @classmethod
    def from_key(cls, key: Ints) -> Grouped:
        """Return the groups of equal values of ``key``."""
        keys, counts = np.unique(key, return_counts=True)
        return cls(keys, np.argsort(key, kind="stable"), counts)

    @property
    def starts(self) -> Ints:
        """The first position of each group in the order."""
        return np.cumsum(self.counts) - self.counts

    def strongest(self, pair: Ints, scores: dict[str, Floats]) -> dict[str, Any]:
        """Return the strongest ``pair`` of each group, their number, and their soft maxima."""
        first = next(iter(scores.values()))
        soft = {name: self.soft_max(values[pair]) for name, values in scores.items()}
        return {"pair": pair[self.best(first[pair])], "count": self.counts, **soft}

    def soft_max(self, values: Floats) -> Floats:
        """Return ln Σ exp(4 v) / 4 of each group."""
        if not len(self.starts):
            return np.zeros(0)
        sums = np.logaddexp.reduceat(_SHARPNESS * values[self.order], self.starts)
        return rounded(sums / _SHARPNESS)

    def best(self, values: Floats) -> Ints:
        """Return the row of the highest value of each group, the first row of a tie."""
        group = np.repeat(np.arange(len(self.keys)), self.counts)
        ranked = np.lexsort((self.order, -values[self.order], group))
        return self.order[ranked[self.starts]]


def between_chains(left: Ints, right: Ints, chain: Ints, scores: dict[str, Floats]) -> pd.DataFrame:
    """Return one row for each pair of chains with at least one mention pair.

    ``left`` and ``right`` are rows of mentions, ``chain`` is the chain code of each mention.
    Columns: ``one`` and ``two`` (chain codes, one < two), ``pair`` (the strongest mention pair by
    the first of ``scores``), ``count`` (of mention pairs), and the soft maximum of each score.
    Pairs inside a chain are left out.
    """
    unlinked = np.flatnonzero(chain[left] != chain[right])
    ends = chain[left[unlinked]], chain[right[unlinked]]
    one, two = np.minimum(*ends), np.maximum(*ends)
    size = int(chain.max(initial=0)) + 1
    groups = Grouped.from_key(one * size + two)
    chains = {"one": groups.keys // size, "two": groups.keys % size}
    return pd.DataFrame(chains | groups.strongest(unlinked, scores))


def inside_chains(chain: Ints) -> tuple[Ints, Ints]:
    """Return all mention pairs inside chains as sorted rows (left < right)."""
    groups = pd.Series(np.arange(len(chain))).groupby(chain).groups
    pairs: list[Any] = [pair for part in groups.values() for pair in combinations(sorted(part), 2)]
    rows: Ints = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    return rows[:, 0], rows[:, 1]


def of_members(left: Ints, right: Ints, scores: dict[str, Floats]) -> pd.DataFrame:
    """Return one row for each mention that is not a singleton, from all pairs inside chains.

    Columns: ``mention`` (row), ``pair`` (its strongest link), ``count`` (of its links), and the
    soft maximum of each score over its links.
    """
    mention, pair = np.concatenate([left, right]), np.tile(np.arange(len(left)), 2)
    groups = Grouped.from_key(mention)
    return pd.DataFrame({"mention": groups.keys} | groups.strongest(pair, scores))


def rivals(left: Ints, right: Ints, chain: Ints, scores: dict[str, Floats]) -> pd.DataFrame:
    """Return for each mention its strongest pair with a mention of another chain.

    The index is the row of the mention. Columns: ``rival`` (row of the other mention) and each of
    ``scores`` for this pair, which is the strongest by the first score.
    """
    unlinked = np.flatnonzero(chain[left] != chain[right])
    mention = np.concatenate([left[unlinked], right[unlinked]])
    other = np.concatenate([right[unlinked], left[unlinked]])
    pair = np.tile(unlinked, 2)
    groups = Grouped.from_key(mention)
    best = groups.best(next(iter(scores.values()))[pair])
    best_scores = {name: values[pair[best]] for name, values in scores.items()}
    return pd.DataFrame({"rival": other[best], **best_scores}, index=groups.keys)

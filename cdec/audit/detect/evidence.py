"""From pairs of mentions to what people judge: pairs of chains, and members of chains.

Pairs also speak for each other (``companions``): "A massive quake … sparking a tsunami that killed"
and "a huge earthquake … triggered a tsunami that killed": the pairs of like words between two
sentences speak for the pairs of unlike ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats, Ints

# Pairs between two chains speak together: ln Σ exp(4 f) / 4 is the strongest pair's f, and more
# where several agree. 4 was chosen on planted errors; between 2 and 5 little changes.
_SHARPNESS = 4.0


@dataclass(frozen=True, eq=False)
class Grouped:
    """Rows grouped by a key: the keys, rising, and where each group begins in ``order``."""

    keys: Ints
    order: Ints
    starts: Ints

    @classmethod
    def from_key(cls, key: Ints) -> Grouped:
        """Return the groups of equal values of ``key``."""
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(key)])
        return cls(ordered[starts], order, starts)

    def soft_max(self, values: Floats) -> Floats:
        """Return ln Σ exp(4 v) / 4 of each group."""
        if not len(self.starts):
            return np.zeros(0)
        return np.asarray(
            np.logaddexp.reduceat(_SHARPNESS * values[self.order], self.starts) / _SHARPNESS
        )

    def best(self, values: Floats) -> Ints:
        """Return the row of the highest value of each group, the first of equals."""
        group = np.searchsorted(self.starts, np.arange(len(self.order)), side="right") - 1
        ranked = np.lexsort((self.order, -values[self.order], group))
        return self.order[ranked[self.starts]]


def between_chains(left: Ints, right: Ints, chain: Ints, scores: dict[str, Floats]) -> pd.DataFrame:
    """Return one row a pair of chains that the pairs (rows of mentions) connect.

    ``chain`` holds a code a mention. Columns: ``one`` and ``two`` (chain codes, one < two),
    ``pair`` (the strongest pair by the first of ``scores``), ``count``, and the soft maximum of
    each score. Pairs inside a chain are left out.
    """
    apart = np.flatnonzero(chain[left] != chain[right])
    ends = chain[left[apart]], chain[right[apart]]
    one, two = np.minimum(*ends), np.maximum(*ends)
    size = int(chain.max(initial=0)) + 1
    groups = Grouped.from_key(one * size + two)
    first = next(iter(scores.values()))
    return pd.DataFrame(
        {
            "one": groups.keys // size,
            "two": groups.keys % size,
            "pair": apart[groups.best(first[apart])],
            "count": np.diff(np.append(groups.starts, len(apart))),
            **{name: groups.soft_max(values[apart]) for name, values in scores.items()},
        }
    )


def inside_chains(chain: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of mentions of one chain, by row (left < right), ordered."""
    groups = pd.Series(np.arange(len(chain))).groupby(chain).groups
    pairs: list[Any] = [pair for rows in groups.values() for pair in combinations(sorted(rows), 2)]
    made: Ints = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    return made[:, 0], made[:, 1]


def of_members(left: Ints, right: Ints, scores: dict[str, Floats]) -> pd.DataFrame:
    """Return one row a mention that has others in its chain, given all pairs inside chains.

    Columns: ``mention`` (row), ``pair`` (its strongest link), ``count``, and the soft maximum of
    each score over its links.
    """
    mention, pair = np.concatenate([left, right]), np.tile(np.arange(len(left)), 2)
    groups = Grouped.from_key(mention)
    first = next(iter(scores.values()))
    return pd.DataFrame(
        {
            "mention": groups.keys,
            "pair": pair[groups.best(first[pair])],
            "count": np.diff(np.append(groups.starts, len(mention))),
            **{name: groups.soft_max(values[pair]) for name, values in scores.items()},
        }
    )


def rivals(left: Ints, right: Ints, chain: Ints, scores: dict[str, Floats]) -> pd.DataFrame:
    """Return, by mention, its strongest pair with a mention of another chain.

    The index is the mention's row. Columns: ``rival`` (row of the other mention) and, named as
    ``scores``, what each score says of that pair, the strongest by the first.
    """
    apart = np.flatnonzero(chain[left] != chain[right])
    mention = np.concatenate([left[apart], right[apart]])
    other = np.concatenate([right[apart], left[apart]])
    pair = np.tile(apart, 2)
    groups = Grouped.from_key(mention)
    best = groups.best(next(iter(scores.values()))[pair])
    said = {name: values[pair[best]] for name, values in scores.items()}
    return pd.DataFrame({"rival": other[best], **said}, index=groups.keys)


def companions(left: Ints, right: Ints, sentence: Ints, supported: Bools) -> Ints:
    """Return for each pair how many others between its two sentences are ``supported``.

    ``left`` and ``right`` are rows of mentions, ``sentence`` a code a mention. Others share no
    mention with the pair; of several that share one, one counts. Pairs inside a sentence have none.
    """
    table = pd.DataFrame({"left": left, "right": right})
    one, two = sentence[left], sentence[right]
    size = int(sentence.max(initial=0)) + 1
    table["place"] = np.where(one == two, -1, one * size + two)
    given = table[supported & (one != two)]
    places = given.groupby("place")
    mine = (given.groupby(["place", side])[side].size() for side in ("left", "right"))
    counts = []
    for side, own in zip(("left", "right"), mine, strict=True):
        distinct = table["place"].map(places[side].nunique()).fillna(0)
        keys = pd.MultiIndex.from_frame(table[["place", side]])
        counts.append(distinct.to_numpy() - (own.reindex(keys).fillna(0).to_numpy() > 0))
    return np.asarray(np.minimum(*counts), dtype=np.int64)

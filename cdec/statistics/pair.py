"""Two responses to the same key, to be exchanged unit by unit.

If a meta-document spans units, so do chains, and an exchange combines a part of a chain of one
system with a part of a chain of the other. As separate chains they would lose the links between
exchanged and other topics. Therefore chains of the two systems that are aligned by the best
one-to-one alignment (that of CEAF_m) are the same chain in an exchange; other chains remain
separate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import TALLIES, Bools, Floats, Ints, numbered
from cdec.metrics import Table
from cdec.metrics.align import best_assignment
from cdec.metrics.table import tallies as tallies_of
from cdec.statistics.draws import Units
from cdec.statistics.tallies import tally


@dataclass(frozen=True, eq=False)
class Pair:
    """Label codes per mention (−1: missing) of a key and two responses.

    ``tallies`` has the tallies of both responses by mention: name → two arrays (mentions, 4).
    """

    meta: Ints
    key: Ints
    first: Ints
    second: Ints
    unit: Ints
    tallies: Mapping[str, tuple[Floats, Floats]] = field(default_factory=dict)

    @classmethod
    def from_meta_documents(
        cls,
        first: pd.DataFrame,
        second: pd.DataFrame,
        units: Units,
        counted: Sequence[str] = TALLIES,
    ) -> Pair:
        """Return the pair on the mentions of both, with aligned chain numbers.

        ``counted``: the metrics, whose tallies it has.
        """
        index = first.index.union(second.index, sort=False)
        a, b = (side.reindex(index) for side in (first, second))
        meta = _codes(a["meta"].where(a["meta"].notna(), b["meta"]))
        key = _codes(a["key"].where(a["key"].notna(), b["key"]))
        ours, theirs = _codes(a["response"]), _codes(b["response"])
        unit = np.asarray(units.of.loc[index], dtype=np.int64)
        one, two = (
            {
                name: pd.DataFrame(rows, side.index).reindex(index, fill_value=0).to_numpy()
                for name, rows in tallies_of(side, counted).items()
            }
            for side in (first, second)
        )
        tallies = {name: (one[name], two[name]) for name in one if name in two}
        return cls(meta, key, *aligned(ours, theirs, meta), unit, tallies)

    @property
    def mentions(self) -> int:
        """The number of mentions to count for an exchange, those of both responses."""
        return 2 * len(self.key)

    def tally(self, exchanged: Bools, counted: Sequence[str]) -> Floats:
        """Return the tallies (2, counted, 4) of both responses, exchanged on the masked units."""
        is_exchanged = exchanged[self.unit]
        tables = (self._contingency(number, is_exchanged) for number in (0, 1))
        return np.stack([tally(table, counted) for table in tables])

    def _contingency(self, number: int, is_exchanged: Bools) -> Table:
        """Return the table of a response (0 or 1) after an exchange of some mentions."""

        def mixed(each: tuple[Any, Any], mask: Bools = is_exchanged) -> Any:
            return np.where(mask, each[1 - number], each[number])

        def tallied() -> dict[str, tuple[float, ...]]:
            mask = is_exchanged[:, None]
            return {name: tuple(mixed(each, mask).sum(0)) for name, each in self.tallies.items()}

        chains = mixed((self.first, self.second))
        table = Table.of_codes(self.key, chains, self.meta)
        return replace(table, tallies=tallied())


def _codes(labels: pd.Series[Any]) -> Ints:
    return pd.factorize(labels)[0].astype(np.int64)


def aligned(first: Ints, second: Ints, meta: Ints) -> tuple[Ints, Ints]:
    """Return chain numbers of two responses; aligned chains have the same number."""
    ours, theirs = (numbered(meta, side, in_order_of_codes=True) for side in (first, second))
    both = (ours >= 0) & (theirs >= 0)
    shared = pd.DataFrame({"a": ours[both], "b": theirs[both]}).value_counts(sort=False)
    a, b = (shared.index.get_level_values(n).to_numpy(dtype=np.int64) for n in ("a", "b"))
    chosen = best_assignment(a, b, np.asarray(shared, dtype=np.float64))
    size = int(ours.max(initial=-1)) + 1
    partner = np.arange(int(theirs.max(initial=-1)) + 2) + size
    partner[b[chosen]] = a[chosen]
    return ours, np.where(theirs >= 0, partner[theirs], -1)

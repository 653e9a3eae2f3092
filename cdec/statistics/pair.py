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
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats, Ints, numbered
from cdec.metadocument import TALLIES, MetaDocuments
from cdec.metrics.assignment import best_assignment
from cdec.metrics.contingency import Contingency
from cdec.metrics.registry import attributes
from cdec.statistics.tallies import tally
from cdec.statistics.units import Units


@dataclass(frozen=True, eq=False)
class Pair:
    """Label codes per mention (−1: missing) of a key and two responses.

    ``tallies`` has the tallies of both responses by mention: name → two arrays (mentions, 4);
    ``attributes`` has those that metrics use, with the chain names of each response.
    """

    meta: Ints
    key: Ints
    first: Ints
    second: Ints
    unit: Ints
    tallies: Mapping[str, tuple[Floats, Floats]] = field(default_factory=dict)
    attributes: tuple[pd.DataFrame, pd.DataFrame] | None = None

    @classmethod
    def from_meta_documents(
        cls,
        first: MetaDocuments,
        second: MetaDocuments,
        units: Units,
        counted: Sequence[str] = TALLIES,
    ) -> Pair:
        """Return the pair on the mentions of both, with aligned chain numbers and attributes.

        ``counted``: the metrics, whose tallies and attributes it has.
        """
        index = first.table.index.union(second.table.index, sort=False)
        a, b = (side.table.reindex(index) for side in (first, second))
        meta = _codes(a["meta"].where(a["meta"].notna(), b["meta"]))
        key = _codes(a["key"].where(a["key"].notna(), b["key"]))
        ours, theirs = _codes(a["response"]), _codes(b["response"])
        unit = np.asarray(units.of.loc[index], dtype=np.int64)
        rows = [_on(index, side.table, side.tally_rows(counted)) for side in (first, second)]
        tallies = {name: (rows[0][name], rows[1][name]) for name in rows[0] if name in rows[1]}
        used = attributes(counted)
        a, b = (side.attribute_rows(used).reindex(index) for side in (first, second))
        known = (a, b) if used else None
        return cls(meta, key, *aligned(ours, theirs, meta), unit, tallies, known)

    def difference(self, exchanged: Bools, counted: Sequence[str]) -> Floats:
        """Return the tallies (2, counted, 4) of both responses, exchanged on the masked units."""
        is_exchanged = exchanged[self.unit]
        sides = (
            np.where(is_exchanged, self.second, self.first),
            np.where(is_exchanged, self.first, self.second),
        )
        rows = (self._attributes(is_exchanged, number) for number in (0, 1))
        tables = [
            Contingency.from_labels(self.key, side, self.meta, attributes=row)
            for side, row in zip(sides, rows, strict=True)
        ]
        return np.stack(
            [
                tally(replace(table, tallies=partial(self._tallied, is_exchanged, number)), counted)
                for number, table in enumerate(tables)
            ]
        )

    def _attributes(self, is_exchanged: Bools, number: int) -> pd.DataFrame | None:
        """Return the attributes of the mentions of a response (0 or 1) after an exchange."""
        if self.attributes is None:
            return None
        own, other = self.attributes[number], self.attributes[1 - number]
        return pd.DataFrame({n: np.where(is_exchanged, other[n], own[n]) for n in own})

    def _tallied(self, is_exchanged: Bools, number: int) -> dict[str, tuple[float, ...]]:
        """Return the sums of the tallies of a response (0 or 1) after an exchange."""
        return {
            name: tuple(np.where(is_exchanged[:, None], each[1 - number], each[number]).sum(axis=0))
            for name, each in self.tallies.items()
        }


def _on(
    index: pd.Index[Any], table: pd.DataFrame, tallies: Mapping[str, Floats]
) -> dict[str, Floats]:
    """Return the tallies of the mentions of ``index``; 0 for a mention that is not there."""
    at = index.get_indexer(table.index)
    found = {}
    for name, rows in tallies.items():
        found[name] = np.zeros((len(index), rows.shape[1]))
        found[name][at] = rows
    return found


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

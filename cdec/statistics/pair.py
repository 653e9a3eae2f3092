"""Two responses to the same key, to be exchanged unit by unit.

If a meta-document spans units, so do chains, and an exchange combines a part of a chain of one
system with a part of a chain of the other. As separate chains they would lose the links between
exchanged and other topics. Therefore chains of the two systems that are aligned by the best
one-to-one alignment (that of CEAF_m) are the same chain in an exchange; other chains remain
separate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats, Ints, numbered
from cdec.metadocument import MetaDocuments
from cdec.metrics.assignment import best_assignment
from cdec.metrics.contingency import Contingency
from cdec.statistics.tallies import tally
from cdec.statistics.units import Units


@dataclass(frozen=True, eq=False)
class Pair:
    """Label codes per mention (−1: missing) of a key and two responses."""

    meta: Ints
    key: Ints
    first: Ints
    second: Ints
    unit: Ints

    @classmethod
    def from_meta_documents(cls, first: MetaDocuments, second: MetaDocuments, units: Units) -> Pair:
        """Return the pair on the mentions of both, with aligned chain numbers."""
        index = first.table.index.union(second.table.index, sort=False)
        a, b = (side.table.reindex(index) for side in (first, second))
        meta = _codes(a["meta"].where(a["meta"].notna(), b["meta"]))
        key = _codes(a["key"].where(a["key"].notna(), b["key"]))
        ours, theirs = _codes(a["response"]), _codes(b["response"])
        unit = np.asarray(units.of.loc[index], dtype=np.int64)
        return cls(meta, key, *aligned(ours, theirs, meta), unit)

    def difference(self, exchanged: Bools, counted: Sequence[str]) -> Floats:
        """Return the tallies (2, counted, 4) of both responses, exchanged on the masked units."""
        is_exchanged = exchanged[self.unit]
        sides = (
            np.where(is_exchanged, self.second, self.first),
            np.where(is_exchanged, self.first, self.second),
        )
        return np.stack(
            [tally(Contingency.from_labels(self.key, r, self.meta), counted) for r in sides]
        )


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

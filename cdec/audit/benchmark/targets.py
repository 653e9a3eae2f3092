"""Which rows of the findings hit which planted errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from cdec.arrays import Bools
from cdec.audit.benchmark.plant import Planted
from cdec.audit.detector import DIVIDE, LEAVE, MERGE
from cdec.audit.findings import Table
from cdec.audit.key import Key

# What a case must propose to undo an error of each kind.
CURES = {
    "detach": MERGE,
    "pair": MERGE,
    "split": MERGE,
    "attach": LEAVE,
    "lookalike": LEAVE,
    "fuse": DIVIDE,
}
_PURE = 0.8  # share of the mentions of a fused chain that a division puts on the right side
Hits: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Targets:
    """The planted errors by what a row must propose to hit them.

    ``merges``: the two chains to merge; ``leaves``: the row of the mention to remove; ``fused``:
    chain code → error, and the rows of the mentions of its smaller part.
    """

    merges: dict[tuple[int, int], Hits] = field(repr=False)
    leaves: dict[int, Hits] = field(repr=False)
    fused: dict[int, tuple[int, frozenset[int]]] = field(repr=False)
    key: Key = field(repr=False)

    @classmethod
    def of(cls, planted: Planted, key: Key) -> Targets:
        """Return the targets of all planted errors; ``key`` is that of the planted corpus."""
        labels = key.corpus.selected["chain"].astype(str)
        code = dict(zip(labels, key.chain.tolist(), strict=True))
        merges: dict[tuple[int, int], Hits] = {}
        leaves: dict[int, Hits] = {}
        fused: dict[int, tuple[int, frozenset[int]]] = {}
        for number, error in enumerate(planted.errors):
            moved = [key.rows[id_] for id_ in error.mentions]
            rest, cure = code.get(error.rest), CURES[error.kind]
            if cure == LEAVE:
                leaves[moved[0]] = (number,)
            elif cure == DIVIDE and rest is not None:
                fused[rest] = (number, frozenset(moved))
            elif rest is not None:
                own = int(key.chain[moved[0]])
                merges[min(own, rest), max(own, rest)] = (number,)
        return cls(merges, leaves, fused, key)

    def hits(self, table: Table) -> list[Hits]:
        """Return the errors that each row of a table hits."""
        hit: dict[str, Callable[[Any], Hits]]
        hit = {MERGE: self._merge, LEAVE: self._leave, DIVIDE: self._division}
        return [hit[table.proposes](one) if table.proposes else () for one in table.proposed]

    def _merge(self, codes: tuple[int, ...]) -> Hits:
        pairs = combinations(codes, 2)
        return tuple(error for pair in pairs for error in self.merges.get(pair, ()))

    def _leave(self, row: int) -> Hits:
        return self.leaves.get(row, ())

    def _division(self, parts: tuple[Any, Any]) -> Hits:
        """Return the errors that a division of a chain hits: two events, or one wrong mention."""
        part, rest = parts
        single = tuple(error for side in parts if len(side) == 1 for error in self._leave(side[0]))
        number, moved = self.fused.get(int(self.key.chain[part[0]]), (None, frozenset()))
        if number is None:
            return single
        right = len(moved.intersection(part)) + len(set(rest) - moved)
        total = len(part) + len(rest)
        return (*single, number) if max(right, total - right) >= _PURE * total else single


def in_scope(table: Table, scope: str) -> Bools:
    """Return which rows are cases inside (``only``) or outside the reviewed sentences, or all."""
    if scope == "all":
        return np.ones(len(table.rows), dtype=bool)
    return table.inside if scope == "only" else ~table.inside

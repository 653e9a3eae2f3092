"""Which rows of the detectors' results hit which planted errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from cdec.arrays import Bools
from cdec.audit.benchmark.plant import Planted
from cdec.audit.find import Finds
from cdec.corpus.model import Corpus

TABLES = {
    "detach": "links",
    "pair": "links",
    "split": "links",
    "attach": "members",
    "lookalike": "members",
    "fuse": "chains",
}
_PURE = 0.8  # share of the mentions of a fused chain that a division puts on the right side
Hits: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Targets:
    """The planted errors by what a row must propose to hit them.

    ``links``: the two chains to merge; ``members``: the row of the mention to remove; ``fused``:
    chain code → error, and the rows of the mentions of its smaller part.
    """

    finds: Finds
    links: dict[tuple[int, int], Hits] = field(repr=False)
    members: dict[int, Hits] = field(repr=False)
    fused: dict[int, tuple[int, frozenset[int]]] = field(repr=False)

    @classmethod
    def of(cls, planted: Planted, finds: Finds) -> Targets:
        """Return the targets of all planted errors."""
        code = {str(name): number for number, name in enumerate(finds.names)}
        rows = {str(id_): row for row, id_ in enumerate(planted.corpus.selected.index)}
        links: dict[tuple[int, int], Hits] = {}
        members: dict[int, Hits] = {}
        fused: dict[int, tuple[int, frozenset[int]]] = {}
        for number, error in enumerate(planted.errors):
            moved = [rows[id_] for id_ in error.mentions]
            rest = code.get(error.rest)
            table = TABLES[error.kind]
            if table == "members":
                members[moved[0]] = (number,)
            elif table == "chains" and rest is not None:
                fused[rest] = (number, frozenset(moved))
            elif rest is not None:
                own = int(finds.chain[moved[0]])
                links[min(own, rest), max(own, rest)] = (number,)
        return cls(finds, links, members, fused)

    def hits(self, table: str) -> list[Hits]:
        """Return the errors that each row of a table of ``finds`` hits."""
        rows = getattr(self.finds, table)
        if table == "links":
            pairs = rows[["one", "two"]].itertuples(index=False, name=None)
            return [self.links.get(pair, ()) for pair in pairs]
        if table == "groups":
            listed = (combinations(codes, 2) for codes in rows["codes"])
            return [
                tuple(error for pair in pairs for error in self.links.get(pair, ()))
                for pairs in listed
            ]
        if table == "members":
            return [self.members.get(row, ()) for row in rows["mention"]]
        if table == "chains":
            parts = rows[["chain", "part", "rest"]].itertuples(index=False, name=None)
            return [self._division(*part) for part in parts]
        return [()] * len(rows)

    def _division(self, code: int, part: tuple[int, ...], rest: tuple[int, ...]) -> Hits:
        """Return the errors that a division of a chain hits: two events, or one wrong mention."""
        sides = [side for side in (part, rest) if len(side) == 1]
        single = tuple(error for side in sides for error in self.members.get(side[0], ()))
        if code not in self.fused:
            return single
        number, moved = self.fused[code]
        right = len(moved.intersection(part)) + len(set(rest) - moved)
        total = len(part) + len(rest)
        return (*single, number) if max(right, total - right) >= _PURE * total else single


def in_scope(finds: Finds, table: str, corpus: Corpus, scope: str) -> Bools:
    """Return which rows of a table are cases inside the reviewed sentences, or outside.

    The rule is that of ``CaseBuilder``: a chain is inside if any of its mentions is.
    """
    rows = getattr(finds, table)
    if scope == "all" or rows.empty:
        return np.ones(len(rows), dtype=bool)
    reviewed = corpus.selected["reviewed"].to_numpy(bool)
    counts = np.bincount(finds.chain, reviewed)
    known = set(corpus.mentions.index[corpus.mentions["reviewed"].astype(bool)])
    rules: dict[str, Callable[[Any], Any]] = {
        "links": lambda row: counts[row.one] > 0 and counts[row.two] > 0,
        "groups": lambda row: (counts[list(row.codes)] > 0).all(),
        "members": lambda row: reviewed[row.mention] and counts[finds.chain[row.mention]] > 1,
        "chains": lambda row: reviewed[list(row.part)].any() and reviewed[list(row.rest)].any(),
        "words": lambda row: reviewed[row.mention],
        "copies": lambda row: known.issuperset(row.mentions),
        "tags": lambda row: known.issuperset(row.mentions) and not known.isdisjoint(row.others),
    }
    inside = np.fromiter(map(rules[table], rows.itertuples()), dtype=bool, count=len(rows))
    return inside if scope == "only" else ~inside

"""Cases of one connected error: several missing links that one correction adds.

Four pages on one quake, each with a mention of its own chain, are six missing links, but one
question. Singletons, and at most one chain of several mentions, are connected if each of their
pairs is a probable link of the list.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from itertools import combinations

import pandas as pd

from cdec.auditing.case import MISSING, Case, CaseSide
from cdec.auditing.detector import MERGE
from cdec.auditing.findings import Cases, Findings, Table
from cdec.auditing.key import Key
from cdec.auditing.pairwise import Links

# The least score of every pair. One correction was wrong, or not surely right, for 2 of 20 groups
# of train and dev with .7, for 1 of 24 with .8, and for nearly half of those with a pair below .5.
LEAST = 0.8


class Groups:
    """The rows of the findings that are one case; ``table`` has them in order, with their scores.

    Rows inside the reviewed sentences are not connected with others, so that each case is of one
    product. No case has two mentions of one sentence, or two chains of several mentions.
    """

    def __init__(self, findings: Findings, table: pd.DataFrame) -> None:
        self.key = findings.key
        self._places = list(zip(table["table"].tolist(), table["row"].tolist(), strict=True))
        probable = self._places[: int((table["score"] >= LEAST).sum())]
        tables = {one.name: one for one in findings.proposing(MERGE) if _of_links(one)}
        inside = {name: one.inside for name, one in tables.items()}
        self._linked = {
            (name, row): (bool(inside[name][row]), tuple(map(int, tables[name].proposed[row])))
            for name, row in probable
            if name in tables
        }

    @property
    def ranks(self) -> list[int]:
        """The rank of the case of each row of the table."""
        ranks: dict[Hashable, int] = {}
        groups = {scope: self._groups(scope) for scope in (False, True)}
        return [
            ranks.setdefault(self._case_of(place, groups), len(ranks) + 1) for place in self._places
        ]

    def _case_of(
        self, place: tuple[str, int], groups: dict[bool, dict[int, frozenset[int]]]
    ) -> Hashable:
        """Return what identifies the case of a row: a group of chains, or the row itself."""
        scope, codes = self._linked.get(place, (False, ()))
        group = groups[scope].get(codes[0]) if codes else None
        return (scope, group) if group and group.issuperset(codes) else place

    def _groups(self, scope: bool) -> dict[int, frozenset[int]]:
        """Return the group of each chain; the most probable links are connected first."""
        rows = [codes for inside, codes in self._linked.values() if inside == scope]
        links = {pair for codes in rows for pair in _pairs(codes) if self._may_join(*pair)}
        groups: dict[int, frozenset[int]] = {}
        for codes in rows:
            union = frozenset(codes).union(*(groups.get(code, ()) for code in codes))
            if links.issuperset(_pairs(union)):
                groups |= dict.fromkeys(union, union)
        return groups

    def _may_join(self, one: int, two: int) -> bool:
        """Whether one of two chains is a singleton, and no sentence has mentions of both."""
        ends = (self.key.members[one], self.key.members[two])
        places = [set(self._sentences[rows]) for rows in ends]
        return min(map(len, ends)) == 1 and places[0].isdisjoint(places[1])

    @cached_property
    def _sentences(self) -> pd.Series[int]:
        """The number of the sentence of each mention."""
        events = self.key.corpus.selected
        return events.groupby(["doc", "sentence"]).ngroup().reset_index(drop=True)


def _of_links(table: Table) -> bool:
    """Whether the cases of a table that proposes to merge chains are missing links."""
    of_detector = isinstance(table, Cases) and table.detector.kind == MISSING
    return of_detector or isinstance(table, Links)


def _pairs(codes: Sequence[int] | frozenset[int]) -> Iterator[tuple[int, int]]:
    return combinations(sorted(codes), 2)


def connected(key: Key, cases: Sequence[Case], reasons: Sequence[str]) -> Case:
    """Return one case of several missing links, the most probable first.

    Its first sides are those of the first link, and ``reasons`` are about it.
    """
    sides: dict[str, CaseSide] = {}
    for side in (side for case in cases for side in case.questioned):
        sides.setdefault(side.chain, side)
    every = tuple(sides.values())
    rows = [key.rows[side.mentions[0]] for side in every]
    told = f"each pair of the {len(every)} chains may be linked; this is about the strongest"
    return key.case(MISSING, every, key.fixes.link(rows), (*reasons, told), every)

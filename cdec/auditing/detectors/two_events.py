"""Chains of two units in a corpus whose construction has no links between units: errors by rule.

``Corpus.linked_within`` names the level (topic or sub-topic) inside which annotators linked
mentions. A chain that spans two such units is an error, whatever its sentences say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cdec.auditing.case import TWO_EVENTS, Fix
from cdec.auditing.fixes import new, put
from cdec.auditing.suspect import RULE, Need, Suspect, detector, scopes
from cdec.errors import counted

if TYPE_CHECKING:
    from cdec.auditing.key import Key


@detector(
    TWO_EVENTS,
    "chains of two units, where the corpus has links inside one only",
    kind=TWO_EVENTS,
    needs=Need("a level that limits the links", lambda corpus: bool(corpus.linked_within)),
)
def two_events(key: Key) -> Iterator[Suspect]:
    """Yield the chains of several units; A is the smallest unit, B the others."""
    level = key.corpus.levels[key.corpus.linked_within]
    reason = f"A and B are of two {level}s, and the corpus has links inside one only"
    unit = key.corpus.selected["doc"].map(scopes(key.corpus))
    for _, units in unit.groupby(key.chain, sort=True):
        if units.nunique() < 2:
            continue
        smallest = units == units.value_counts(sort=False).idxmin()
        ids, rest = (units.index[rows].astype(str).tolist() for rows in (smallest, ~smallest))
        text = f"split the chain: {counted(len(ids), 'mention')} of A become a chain of their own"
        fixes: tuple[Fix, ...] = (Fix(fix="split", text=text, claims=put(ids, new(ids))),)
        if len(ids) == 1:
            row = key.rows[ids[0]]
            fixes = key.fixes.member(row, key.fixes.rival(row, None))
        sides = key.part(ids[:1], ids[1:]), key.part(rest[:1], rest[1:])
        yield Suspect(sides, reason, fixes, RULE)

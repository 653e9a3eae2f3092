"""Chains of two units in a corpus whose construction has no links between units: errors by rule.

``Corpus.linked_within`` names the level (topic or sub-topic) inside which annotators linked
mentions. A chain that spans two such units is an error, whatever its sentences say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from cdec.auditing.case import TWO_EVENTS as KIND
from cdec.auditing.case import CaseSide, Fix
from cdec.auditing.detector import DIVIDE, RULE, Detector, Need, scopes
from cdec.auditing.fixes import new, put
from cdec.errors import counted

if TYPE_CHECKING:
    from cdec.auditing.key import Key


def _find(key: Key) -> pd.DataFrame:
    """Return a row for each chain of several units; A is its smallest unit, B the others."""
    corpus, rows = key.corpus, []
    level = corpus.levels[corpus.linked_within]
    unit = corpus.selected["doc"].map(scopes(corpus)).to_numpy()
    units = pd.Series(unit)[key.chain >= 0]
    for _, part in units.groupby(key.chain[key.chain >= 0], sort=True):
        if part.nunique() < 2:
            continue
        smallest = part.value_counts(sort=False).idxmin()
        one, two = (part.index[part == smallest], part.index[part != smallest])
        reason = f"A and B are of two {level}s, and the corpus has links inside one only"
        rows.append(
            {
                "mentions": (_side(key, one), _side(key, two)),
                "score": 1.0,
                "reason": [reason],
                "fix": _fixes(key, one),
                "group": RULE,
            }
        )
    return pd.DataFrame(rows, columns=["mentions", "score", "reason", "fix", "group"])


def _side(key: Key, rows: pd.Index[int]) -> CaseSide:
    first, *others = rows
    return key.part([key.ids[first]], [key.ids[row] for row in others])


def _fixes(key: Key, part: pd.Index[int]) -> tuple[Fix, ...]:
    """Return the corrections of a chain with two events; ``part`` are the mentions of one."""
    if len(part) == 1:
        return key.fixes.member(int(part[0]), key.fixes.rival(int(part[0]), None))
    text = f"split the chain: {counted(len(part), 'mention')} of A become a chain of their own"
    ids = [key.ids[row] for row in part]
    return (Fix(fix="split", text=text, claims=put(ids, new(ids))),)


TWO_EVENTS = Detector(
    id=KIND,
    words="chains of two units, where the corpus has links inside one only",
    kind=KIND,
    find=_find,
    proposes=DIVIDE,
    table="chains",
    needs=Need("a level that limits the links", lambda corpus: bool(corpus.linked_within)),
)

"""The lines and tables of the comment on a pull request: few, short, and as plain text.

With so many lines of a table or list, and characters of a cell and a line, the comment has at most
65,536 characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan
from typing import Any

import pandas as pd

from cdec.errors import counted, escaped
from cdec.leaderboards.rows import BoardRow, published_fields
from cdec.render.numbers import percent, points
from cdec.render.page import Grid, Text

MOST, _CELL, _LINE = 10, 100, 300
_ALPHA, _FEW = 0.05, 20  # few topics
_NAMED = re.compile(r"(?<!\w)@(?=\w)")


def clipped(text: str, most: int = _CELL) -> str:
    """Return a text of limited length, in which a forge finds nobody to notify."""
    text = _NAMED.sub("(at)", escaped(text))
    return text if len(text) <= most else f"{text[:most]}…"


def few(texts: Sequence[str]) -> str:
    """Return the first two texts, and the number of the others."""
    rest = [f"and {counted(len(texts) - 2, 'other')}"] if len(texts) > 2 else []
    return ", ".join([*texts[:2], *rest])


def listed(lines: Sequence[str]) -> tuple[Text, ...]:
    """Return a paragraph a line, the first ones if there are many."""
    rest = [f"… and {len(lines) - MOST:,} more"] if len(lines) > MOST else []
    return tuple(map(Text, [*(clipped(line, _LINE) for line in lines[:MOST]), *rest]))


def grid(caption: str, lines: Sequence[Mapping[str, str]], heads: int) -> Grid | None:
    """Return a table of texts, its first rows if there are many; None if there are none."""
    rest = [f"… and {counted(len(lines) - MOST, 'row')} more"] if len(lines) > MOST else []
    table = pd.DataFrame(lines[:MOST]).map(clipped)
    return Grid.from_frame(caption, table, heads, rest) if lines else None


def declared(rows: Iterable[BoardRow]) -> Grid | None:
    """Return what rows declare, and the published values beside those of the board."""
    lines = [
        {
            "Task": row.task,
            "System": row.name,
            "Title": row.entry.title,
            "Licence": row.entry.licence or "–",
            "Declares": ", ".join(row.tags) or "–",
            "Published, here": "; ".join(
                f"{value['Setting']} {value['Metric']} {value['published']}, {value['ours']}"
                for value in published_fields(row)
            )
            or "–",
        }
        for row in rows
    ]
    return grid("Declared", lines, 6)


def place(row: Any) -> str:
    """Return F1 and rank, before and now if they differ."""
    places = ((row.f1_before, row.rank_before), (row.f1, row.rank))
    known = [(percent(f1), rank) for f1, rank in places if not isnan(f1)]
    texts = (f1 if isnan(rank) else f"{f1} ({rank:.0f})" for f1, rank in known)
    return " → ".join(dict.fromkeys(texts))


def move(row: Any) -> str:
    """Return a system with its rank before and now."""
    return f"{row.system} {row.rank_before:.0f} → {row.rank:.0f}"


def difference(test: Any) -> str:
    """Return the difference from a neighbour with its interval."""
    text = f"{test.other} {points(test.difference)}"
    sure = "*" if test.p < _ALPHA else ""
    return f"{text} (no test)" if isnan(test.p) else f"{text} ± {100 * test.half:.1f}{sure}"


def certain(tests: pd.DataFrame) -> Iterator[str]:
    """Yield for each task how many differences are certain."""
    for task, part in tests.groupby("task"):
        tested, sure = part["p"].count(), (part["p"] < _ALPHA).sum()
        unit, units = part["unit"].iloc[0], part["units"].max()
        rare = ", which are few" if units < _FEW else ""
        if tested:
            yield (
                f"{task}: of {counted(tested, 'difference')}, the 95 % interval of {sure} "
                f"excludes 0 (*), paired by {counted(units, unit)}{rare}"
            )
        if tested < len(part):
            yield (
                f"{task}: {counted(len(part) - tested, 'difference')} not tested: the responses of "
                "a system are not here, have their own key, or there are no topics"
            )

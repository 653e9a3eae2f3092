"""Data frames as the grids of a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pandas as pd

from cdec.render.numbers import percent
from cdec.render.page import Cell, Grid, Line, Row


def grid(
    caption: str,
    frame: pd.DataFrame,
    heads: int = 1,
    below: Sequence[str] = (),
    narrow: Sequence[int] = (),
) -> Grid:
    """Return a frame of text as a grid; its first ``heads`` columns are the rows' heads.

    Columns may have two levels, group and name.
    """
    titles = [_title(column) for column in frame.columns]
    rows = [[str(cell) for cell in row] for row in frame.itertuples(index=False)]
    return Grid(
        caption=caption,
        heads=tuple(group or name for group, name in titles[:heads]),
        columns=tuple(titles[heads:]),
        rows=tuple(
            Row(tuple(row[:heads]), (Line("", tuple(Cell(cell) for cell in row[heads:])),))
            for row in rows
        ),
        below=tuple(below),
        narrow=tuple(narrow),
    )


def anchor(*parts: str) -> str:
    """Return an id that a link of a page can lead to."""
    return "-".join(re.sub(r"[^\w.]+", "-", part).strip("-") for part in parts)


def _title(column: object) -> tuple[str, str]:
    if isinstance(column, tuple):
        group, name = column
        return str(group), str(name)
    return "", str(column)


def shown(frame: pd.DataFrame, titles: Mapping[str, str], shares: Sequence[str]) -> pd.DataFrame:
    """Return the columns of ``titles`` as text: ``shares`` in percent, the others as they are."""
    columns = {
        title: frame[name].map(percent if name in shares else _whole)
        for name, title in titles.items()
    }
    return pd.DataFrame(columns)


def _whole(value: object) -> str:
    if value is None or value is pd.NA:
        return ""
    return f"{value:,}" if isinstance(value, int) else str(value)

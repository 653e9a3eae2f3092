"""The highest numbers of a table of scores, marked: formats for print show them in bold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cdec.render.page import Cell, Grid, Line, Page


def with_best(page: Page, columns: Sequence[int], within: Sequence[int] = ()) -> Page:
    """Return the page of one table with the highest number of each of these columns marked.

    Compared are the rows with the same texts in the columns ``within``; a single row has no best.
    Numbers that are shown as equal are all marked.

    >>> import pandas as pd
    >>> view = pd.DataFrame({"System": ["a", "b"], "F": ["9.5 ± 0.1", "10.0"]})
    >>> page = with_best(Page.from_table(view, view), [1])
    >>> [row.lines[0].cells[1].best for row in page.table.rows]
    [False, True]
    """
    grid = page.table
    if grid is None:
        return page
    section = replace(page.sections[0], blocks=(_marked(grid, columns, within),))
    return replace(page, sections=(section,))


def _marked(grid: Grid, columns: Sequence[int], within: Sequence[int]) -> Grid:
    lines = [row.lines[0].cells for row in grid.rows]
    keys = [tuple(cells[at].text for at in within) for cells in lines]
    highest: dict[tuple[tuple[str, ...], int], float] = {}
    for key, cells in zip(keys, lines, strict=True):
        for at in columns if keys.count(key) > 1 else ():
            highest[key, at] = max(_number(cells[at]), highest.get((key, at), float("-inf")))
    marked = (
        tuple(
            replace(cell, best=_number(cell) == highest.get((key, at)))
            for at, cell in enumerate(cells)
        )
        for key, cells in zip(keys, lines, strict=True)
    )
    rows = (
        replace(row, lines=(Line("", cells),)) for row, cells in zip(grid.rows, marked, strict=True)
    )
    return replace(grid, rows=tuple(rows))


def _number(cell: Cell) -> float:
    """Return the number that a cell begins with; −∞ if there is none."""
    try:
        return float(cell.text.partition(" ")[0])
    except ValueError:
        return float("-inf")

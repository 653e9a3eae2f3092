"""The highest numbers of a table of scores."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from cdec.render.page import Cell, Grid, Line

_MISSING = float("-inf")


def marked(grid: Grid) -> Grid:
    """Return the grid with its best cells marked; a single row has no best.

    Numbers that are shown as equal are all marked.

    >>> import pandas as pd
    >>> view = pd.DataFrame({"System": ["a", "b"], "F": ["9.5 ± 0.1", "10.0"]})
    >>> grid = replace(Grid.from_frame("", view), best=(0,))
    >>> [row.lines[0].cells[0].best for row in marked(grid).rows]
    [False, True]
    """
    if not grid.best:
        return grid
    lines = [row.lines[0].cells for row in grid.rows]
    keys = [tuple(cells[at].text for at in grid.within) for cells in lines]
    highest: dict[tuple[tuple[str, ...], int], float] = {}
    for key, cells in zip(keys, lines, strict=True):
        for at in grid.best:
            highest[key, at] = max(_number(cells[at]), highest.get((key, at), _MISSING))
    sizes = Counter(keys)
    rows = []
    for row, key, cells in zip(grid.rows, keys, lines, strict=True):
        found = {
            at
            for at in grid.best
            if sizes[key] > 1 and _MISSING < _number(cells[at]) == highest[key, at]
        }
        shown = tuple(replace(cell, best=at in found) for at, cell in enumerate(cells))
        rows.append(replace(row, lines=(Line("", shown),)))
    return replace(grid, rows=tuple(rows))


def _number(cell: Cell) -> float:
    """Return the number that a cell begins with; −∞ if there is none."""
    try:
        return float(cell.text.partition(" ")[0])
    except ValueError:
        return _MISSING

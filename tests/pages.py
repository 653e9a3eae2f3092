"""Access to the parts of a page of one table."""

from __future__ import annotations

import pandas as pd

from cdec.render.page import Grid, Page


def table_of(page: Page) -> Grid:
    assert page.table is not None
    return page.table


def notes_of(page: Page) -> tuple[str, ...]:
    return table_of(page).below


def view_of(page: Page, narrow: bool = False) -> pd.DataFrame:
    """Return the table as a data frame of text; ``narrow``: its form on a small terminal."""
    table = table_of(page)
    rows = [[cell.text for cell in row.lines[0].cells] for row in table.rows]
    if table.is_grouped:
        frame = pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples(table.columns))
    else:
        frame = pd.DataFrame(rows, columns=[name for _, name in table.columns])
    return frame.iloc[:, list(table.narrow)] if narrow else frame

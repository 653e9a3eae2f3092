"""Report → a table of plain text, or for the terminal with its colours and width, by rich."""

from __future__ import annotations

import io

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cdec.render.console import console_into, empty_table
from cdec.render.report import Report

NARROWED = "F1 only: a wider terminal, a pipe or --format shows precision and recall too"


def to_text(report: Report, screen: int | None = None) -> str:
    """Return title, table and notes as plain text.

    ``screen`` is the width of a terminal: with it, coloured, and the narrow table where the wide
    one does not fit. Nothing is ever cut.
    """
    buffer = io.StringIO()
    console = console_into(buffer, coloured=screen is not None)
    table = _table(report.title, report.view)
    notes = report.notes
    if report.narrow is not None and screen is not None and _width(console, table) > screen:
        table = _table(report.title, report.narrow)
        notes = (NARROWED, *notes)
    console.print(table)
    for note in notes:
        console.print(Text(note, style="dim"), soft_wrap=True)
    return buffer.getvalue()


def _width(console: Console, table: Table) -> int:
    return console.measure(table).maximum


def _table(title: str, view: pd.DataFrame) -> Table:
    table = empty_table(title)
    for header, name in zip(_headers(view), view.columns, strict=True):
        column = view[name]
        table.add_column(header, justify="right" if _numbers(column) else "left", no_wrap=True)
    for row in view.itertuples(index=False):
        table.add_row(*(Text(str(cell)) for cell in row))
    return table


def _headers(view: pd.DataFrame) -> list[Text]:
    """Return two-line headers where columns are grouped, a group's name on its first column."""
    headers: list[Text] = []
    last = None
    columns: list[object] = list(view.columns)
    for column in columns:
        if not isinstance(column, tuple):
            headers.append(Text(str(column)))
            continue
        group, name = column
        headers.append(Text(f"{group if group != last else ''}\n{name}" if name else f"\n{group}"))
        last = group
    return headers


def _numbers(column: pd.Series[str]) -> bool:
    return all(cell[:1].isdigit() or cell in ("", "–") for cell in column)

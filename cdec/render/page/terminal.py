"""Page → plain text, or for the terminal with its colours and width, by rich."""

from __future__ import annotations

import io

from rich.console import Console
from rich.table import Table
from rich.text import Text as Rich

from cdec.render.console import console_into, empty_table
from cdec.render.page.blocks import Block, Cell, Chart, Grid, Listing, Page, Row, Text

_COLOURS = {"": "", "close": "green", "fair": "yellow", "far": "bold red"}
_RAISED = str.maketrans("abcdefghij", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲ")
_NARROWED = "Some columns only: a wider terminal, or --output FILE, shows all."
_READABLE = 100  # columns of running text


def to_text(page: Page, screen: int | None = None) -> str:
    """Return the page as plain text.

    ``screen`` is the width of a terminal: with it, coloured, and the narrow form of a table that
    does not fit. Nothing is ever cut.
    """
    buffer = io.StringIO()
    console = console_into(buffer, coloured=screen is not None)
    console.print(Rich(page.title, style="bold"))
    for text in page.intro:
        _paragraph(console, text, screen)
    for section in page.sections:
        if section.title:
            console.print()
            console.print(Rich(section.title, style="bold underline"))
        for block in section.blocks:
            _show(console, block, screen)
    lines = buffer.getvalue().split("\n")
    return "\n".join(line.rstrip() for line in lines) if screen is None else "\n".join(lines)


def _show(console: Console, block: Block, screen: int | None) -> None:
    match block:
        case Text():
            _paragraph(console, block.text, screen)
        case Listing():
            console.print(Rich(f"{block.label}:", style="dim"))
            for line in block.lines:
                console.print(Rich(f"  {line}", style="dim"), soft_wrap=True)
        case Grid():
            _grid(console, block, screen)
        case Chart():
            if block.file:
                console.print(Rich(f"Chart: {block.file}"))


def _paragraph(console: Console, text: str, screen: int | None, style: str = "") -> None:
    console.print()
    console.print(Rich(text, style=style), width=min(screen or _READABLE, _READABLE))


def _grid(console: Console, grid: Grid, screen: int | None) -> None:
    everything = tuple(range(len(grid.columns)))
    table, below = _table(grid, everything), grid.below
    if screen is not None and grid.narrow and console.measure(table).maximum > screen:
        table = _table(grid, grid.narrow)
        below = (_NARROWED, *grid.below)
    console.print()
    console.print(table)
    for mark, text in grid.notes:
        console.print(Rich(f"{_raised(mark)} {text}"), width=min(screen or _READABLE, _READABLE))
    for text in below:
        console.print(Rich(text, style="dim"), width=min(screen or _READABLE, _READABLE))


def _table(grid: Grid, shown: tuple[int, ...]) -> Table:
    table = empty_table(grid.caption)
    grouped = any(group for group, _ in grid.columns)
    above = "\n" if grouped else ""
    for head in (*grid.heads, *([""] if grid.has_names else [])):
        table.add_column(Rich(f"{above}{head}"), no_wrap=True)
    last = None
    for group, name in (grid.columns[at] for at in shown):
        first = group if group != last else ""
        table.add_column(Rich(f"{first}{above}{name}"), justify="right", no_wrap=True)
        last = group
    for row in grid.rows:
        _add(table, grid, row, shown)
    return table


def _add(table: Table, grid: Grid, row: Row, shown: tuple[int, ...]) -> None:
    for number, line in enumerate(row.lines):
        heads = row.heads if number == 0 else ("",) * len(row.heads)
        names = (line.name,) if grid.has_names else ()
        cells = [_cell(line.cells[at]) for at in shown]
        last = number == len(row.lines) - 1
        table.add_row(*heads, *names, *cells, end_section=last and len(row.lines) > 1)


def _cell(cell: Cell) -> Rich:
    style = " ".join(filter(None, ["bold" if cell.best else "", _COLOURS[cell.tone]]))
    # Bold cannot be seen in a pipe.
    return Rich(f"{'*' if cell.best else ''}{cell.text}{_raised(''.join(cell.notes))}", style=style)


def _raised(marks: str) -> str:
    return marks.translate(_RAISED)

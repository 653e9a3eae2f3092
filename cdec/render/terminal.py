"""Page → plain text, or text for a terminal with its colours and width, by rich."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text as Rich

from cdec.render.page import Block, Cell, Chart, Grid, Listing, Page, Text

_COLOURS = {"": "", "close": "green", "fair": "yellow", "far": "bold red"}
_RAISED = str.maketrans("abcdefghij", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲ")
_READABLE = 100  # columns of running text
# So wide that nothing is cut or wrapped without a terminal.
_UNBOUNDED = 10_000


def to_text(page: Page, screen: int | None = None) -> str:
    """Return the page as plain text.

    ``screen`` is the width of a terminal: the text is then coloured, and a table that does not
    fit is shown in its narrow form. Nothing is ever cut.
    """
    buffer = io.StringIO()
    coloured = screen is not None
    console = Console(file=buffer, force_terminal=coloured, width=_UNBOUNDED, highlight=False)
    console.is_jupyter = False  # there rich would display what is printed, and not write it
    if grid := page.table:
        table, below = _fitted(console, grid, screen)
        if grid.rows or not below:
            console.print(table)
        for text in below:  # not wrapped, so that it can be copied
            console.print(Rich(text, style="dim"), soft_wrap=True)
        return buffer.getvalue()
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
    table, below = _fitted(console, grid, screen)
    console.print()
    console.print(table)
    for mark, text in grid.notes:
        console.print(
            Rich(f"{mark.translate(_RAISED)} {text}"), width=min(screen or _READABLE, _READABLE)
        )
    for text in below:
        console.print(Rich(text, style="dim"), width=min(screen or _READABLE, _READABLE))


def _fitted(console: Console, grid: Grid, screen: int | None) -> tuple[Table, tuple[str, ...]]:
    """Return the table, in its narrow form if necessary, and the lines below it."""
    table = _table(grid, range(len(grid.columns)))
    if screen is None or not grid.narrow or console.measure(table).maximum <= screen:
        return table, grid.below
    return _table(grid, grid.narrow), (grid.narrowed, *grid.below)


def _table(grid: Grid, shown: Sequence[int]) -> Table:
    title = Rich(grid.caption) if grid.caption else None
    table = Table(
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 0, 0, 1),
    )
    above = "\n" if grid.is_grouped else ""
    for head in grid.leading:
        table.add_column(Rich(f"{above}{head}"), no_wrap=True)
    last, texts = None, grid.texts
    for at in shown:
        group, name = grid.columns[at]
        first = group if name and group != last else ""
        numbers = grid.heads or all(t[at][:1].isdigit() or t[at] in ("", "–") for t in texts)
        justify: JustifyMethod = "right" if numbers else "left"
        table.add_column(Rich(f"{first}{above}{name or group}"), justify=justify, no_wrap=True)
        last = group
    for row in grid.rows:
        lines = list(grid.lines(row))
        for number, (before, cells) in enumerate(lines, start=1):
            shown_cells = (_cell(cells[at]) for at in shown)
            table.add_row(*map(Rich, before), *shown_cells, end_section=number == len(lines) > 1)
    return table


def _cell(cell: Cell) -> Rich:
    style = " ".join(filter(None, ["bold" if cell.best else "", _COLOURS[cell.tone]]))
    notes = "".join(cell.notes).translate(_RAISED)
    # Bold is lost in a pipe.
    return Rich(f"{'*' if cell.best else ''}{cell.text}{notes}", style=style)

"""Page → plain text, or text for a terminal with its colours and width, by rich."""

from __future__ import annotations

import io
from collections.abc import Sequence
from textwrap import wrap
from typing import Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text as Rich

from cdec.render.page import Block, Grid, Listing, Page, Text

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
        _show(console, grid, screen, None)  # its lines are not wrapped, so that they can be copied
        return buffer.getvalue()
    width = min(screen or _READABLE, _READABLE)
    console.print(Rich(page.title, style="bold"))
    for block in map(Text, page.intro):
        console.print()
        _show(console, block, screen, width)
    for section in page.sections:
        if section.folded:
            continue
        if section.title:
            console.print()
            console.print(Rich(section.title, style="bold underline"))
        for part in section.blocks:
            if isinstance(part, Text | Grid):
                console.print()
            _show(console, part, screen, width)
    if folded := [section.title for section in page.sections if section.folded]:
        console.print()
        where = "with --all here, or in a file as -o page.html"
        more = f"Not shown: {'; '.join(folded)}. They are {where}."
        console.print(Rich(more, style="dim"), width=width)
    for line in page.foot:
        console.print()
        console.print(Rich(line, style="dim"), soft_wrap=True)
    text = buffer.getvalue()
    return text if coloured else "\n".join(line.rstrip() for line in text.split("\n"))


def _show(console: Console, block: Block, screen: int | None, width: int | None) -> None:
    """Print a block; ``width`` is where text is wrapped."""
    match block:
        case Text():
            console.print(Rich(block.text), width=width)
        case Listing():
            for line in (f"{block.label}:", *(f"  {line}" for line in block.lines)):
                console.print(Rich(line, style="dim"), soft_wrap=True)
        case Grid():
            table, below, fitted = _table(block, range(len(block.columns))), block.below, None
            if screen and console.measure(table).maximum > screen:
                shown = _fitting(console, block, screen)
                table, fitted = _table(block, shown, folded=True), screen
                below = (*([block.narrowed] if len(shown) < len(block.columns) else []), *below)
            if block.rows or not below:
                console.print(table, width=fitted)
            for text in below:
                console.print(Rich(text, style="dim"), width=width, soft_wrap=width is None)


def _fitting(console: Console, grid: Grid, screen: int) -> Sequence[int]:
    """Return the columns that a narrow screen shows: the declared ones, or as many as fit."""
    if grid.narrow and console.measure(_table(grid, grid.narrow)).maximum <= screen:
        return grid.narrow
    shown: list[int] = []
    for at in grid.narrow or range(len(grid.columns)):
        if console.measure(_table(grid, [*shown, at], folded=True)).minimum <= screen:
            shown.append(at)
    return shown or range(len(grid.columns))


def _table(grid: Grid, shown: Sequence[int], *, folded: bool = False) -> Table:
    """Return a table of rich; ``folded``: text has several lines where a screen is narrow."""
    title = Rich(grid.caption) if grid.caption else None
    table = Table(
        title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1)
    )
    texts = [[row[n] for row in grid.rows] for n in range(len(grid.heads) + len(grid.columns))]
    titles = [(False, _wrapped(*head)) for head in zip(grid.heads, texts, strict=False)]
    last = ""
    for at in shown:
        (group, name), column = grid.columns[at], texts[len(grid.heads) + at]
        numbers = bool(grid.heads) or all(t[:1].isdigit() or t in ("", "–") for t in column)
        above = [group if name and group != last else ""] if grid.groups else []
        titles.append((numbers, above + _wrapped(name or group, column)))
        last = group
    height = max((len(lines) for _, lines in titles), default=0)
    for n, (numbers, lines) in enumerate(titles):
        if grid.groups and n >= len(grid.heads):  # the group stays above, in the first line
            lines[1:1] = [""] * (height - len(lines))
        side: Literal["left", "right"] = "right" if numbers else "left"
        wraps = folded and side == "left"
        table.add_column(Rich("\n".join(lines)), justify=side, no_wrap=not wraps)
    for row in grid.rows:
        cells = (row[len(grid.heads) + at] for at in shown)
        table.add_row(*map(Rich, row[: len(grid.heads)]), *map(Rich, cells))
    return table


def _wrapped(title: str, texts: Sequence[str]) -> list[str]:
    """Return the lines of a title that is no wider than the texts of its column, or its words."""
    return wrap(title, max(map(len, [*texts, *title.split()]), default=1)) or [""]

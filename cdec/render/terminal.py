"""Page → plain text, or text for a terminal with its colours and width, by rich."""

from __future__ import annotations

import io
from collections.abc import Sequence
from textwrap import wrap
from typing import Any, Literal

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
    for text in page.intro:
        console.print()
        console.print(Rich(text), width=width)
    for section in page.sections:
        if section.folded:
            continue
        if section.title:
            console.print()
            console.print(Rich(section.title, style="bold underline"))
        for block in section.blocks:
            if isinstance(block, Text | Grid):
                console.print()
            _show(console, block, screen, width)
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
                if len(shown) < len(block.columns):
                    below = (block.narrowed, *below)
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
    """Return a table of rich; ``folded``: text has several lines where a screen is narrow.

    A title is no wider than the texts of its column, or its words; a group is above it.
    """
    form: dict[str, Any] = {"box": box.SIMPLE_HEAD, "pad_edge": False, "padding": (0, 0, 0, 1)}
    title = Rich(grid.caption) if grid.caption else None
    table = Table(title=title, title_justify="left", **form)
    heads, grouped, last = len(grid.heads), bool(grid.groups), ""
    columns = [*(("", head) for head in grid.heads), *grid.columns]
    chosen = [*range(heads), *(heads + at for at in shown)]
    titles = []
    for at in chosen:
        group, name = columns[at]
        texts = [row[at] for row in grid.rows]
        number = at >= heads > 0 or (
            not heads and all(text[:1].isdigit() or text in ("", "–") for text in texts)
        )
        words = name or group
        lines = wrap(words, max(map(len, [*texts, *words.split()]), default=1)) or [""]
        if grouped and at >= heads:
            lines.insert(0, group if name and group != last else "")
            last = group
        titles.append((at, lines, number))
    height = max((len(lines) for _, lines, _ in titles), default=0)
    for at, lines, number in titles:
        if grouped and at >= heads:  # the group stays above, in the first line
            lines[1:1] = [""] * (height - len(lines))
        side: Literal["left", "right"] = "right" if number else "left"
        wraps = folded and not number
        table.add_column(Rich("\n".join(lines)), justify=side, no_wrap=not wraps)
    for row in grid.rows:
        table.add_row(*(Rich(row[at]) for at in chosen))
    return table

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

from cdec.render.page import Grid, Listing, Page, Text

_READABLE = 100  # columns of running text
# So wide that nothing is cut or wrapped without a terminal.
_UNBOUNDED = 10_000
_NARROWED = "Some columns only: a wider terminal, a pipe or --output FILE shows all."


def to_text(page: Page, screen: int | None = None) -> str:
    """Return the page as plain text.

    ``screen`` is the width of a terminal: the text is then coloured, and a table that does not
    fit is shown in its narrow form. Nothing is ever cut.
    """
    buffer = io.StringIO()
    coloured, alone = screen is not None, page.table is not None
    console = Console(file=buffer, force_terminal=coloured, width=_UNBOUNDED, highlight=False)
    console.is_jupyter = False  # there rich would display what is printed, and not write it
    # The lines of a single table are not wrapped, so that they can be copied.
    width = None if alone else min(screen or _READABLE, _READABLE)
    if not alone:
        console.print(Rich(page.title, style="bold"))
        console.print(Rich("".join(f"\n{text}\n" for text in page.intro)), width=width, end="")
    for section in page.sections:
        if section.title and not section.folded:
            console.print(Rich(f"\n{section.title}", style="bold underline"))
        for block in () if section.folded else section.blocks:
            if isinstance(block, Text | Grid) and not alone:
                console.print()
            match block:
                case Text():
                    console.print(Rich(block.text), width=width)
                case Listing():
                    lines = "\n  ".join((f"{block.label}:", *block.lines))
                    console.print(Rich(lines, style="dim"), soft_wrap=True)
                case Grid():
                    table, below = _table(block, [*range(len(block.columns))]), block.below
                    if screen and console.measure(table).maximum > screen:
                        table, below = _fitted(console, block, screen)
                    if block.rows or not below:
                        console.print(table, width=screen)
                    for text in below:
                        console.print(Rich(text, style="dim"), width=width, soft_wrap=alone)
    if folded := [section.title for section in page.sections if section.folded]:
        where = "with --all here, or in a file as -o page.html"
        more = f"\nNot shown: {'; '.join(folded)}. They are {where}."
        console.print(Rich(more, style="dim"), width=width)
    foot = "".join(f"\n{line}\n" for line in page.foot)
    console.print(Rich(foot, style="dim"), soft_wrap=True, end="")
    text = buffer.getvalue()
    return text if coloured or alone else "\n".join(line.rstrip() for line in text.split("\n"))


def _fitted(console: Console, grid: Grid, screen: int) -> tuple[Table, tuple[str, ...]]:
    """Return the table on a narrow screen, with the columns that fit, and the lines below it."""
    shown = [*range(grid.heads)]
    for at in grid.narrow or range(grid.heads, len(grid.columns)):
        if console.measure(_table(grid, [*shown, at], folded=True)).minimum <= screen:
            shown.append(at)
    if len(shown) == grid.heads:  # even one does not fit
        shown = [*range(len(grid.columns))]
    below = grid.below if len(shown) == len(grid.columns) else (_NARROWED, *grid.below)
    return _table(grid, shown, folded=True), below


def _table(grid: Grid, shown: Sequence[int], *, folded: bool = False) -> Table:
    """Return a table of rich; ``folded``: text has several lines where a screen is narrow.

    A title is no wider than the texts of its column, or its words; a group is above it.
    """
    form: dict[str, Any] = {"box": box.SIMPLE_HEAD, "pad_edge": False, "padding": (0, 0, 0, 1)}
    caption = Rich(grid.caption) if grid.caption else None
    table = Table(title=caption, title_justify="left", **form)
    last, grouped, numbers = "", any(group for group, _ in grid.columns), grid.numbers
    for at in shown:
        group, name = grid.columns[at]
        texts, number = [row[at] for row in grid.rows], numbers[at]
        words = name or group
        lines = wrap(words, max(map(len, [*texts, *words.split()]), default=1)) or [""]
        if grouped and at >= grid.heads:
            lines.insert(0, group if name and group != last else "")
            last = group
        side: Literal["left", "right"] = "right" if number else "left"
        is_plain = number and not any("[" in text for text in texts)  # an interval has two lines
        title, width = Rich("\n".join(lines)), max(map(len, [*texts, *lines])) if is_plain else None
        how: dict[str, Any] = {"no_wrap": is_plain or not folded, "overflow": "fold"}
        table.add_column(title, justify=side, min_width=width, **how)
    for row in grid.rows:
        table.add_row(*(Rich(row[at]) for at in shown))
    return table

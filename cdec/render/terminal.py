"""Page → plain text, or text for a terminal with its colours and width, by rich."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from textwrap import wrap

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text as Rich

from cdec.render.page import Grid, Listing, Page, Text

_READABLE = 100  # columns of running text
# So wide that nothing is cut or wrapped without a terminal.
_UNBOUNDED = 10_000
_SPREAD = re.compile(r" ± [\d.]+")
_SPREAD_NOTE = (
    "Means only: a wider terminal or --output FILE also has the deviation over runs."
)
_NARROW_NOTE = "Some columns only: a wider terminal or --output FILE shows all."


def to_text(page: Page, screen: int | None = None, *, is_piped: bool = False) -> str:
    """Return the page as plain text.

    ``screen`` is the width of a terminal: the text is then coloured, and a table that does not
    fit is shown in its narrow form. ``is_piped``: it is printed, but to no terminal, which a table
    can limit (``Grid.most``). Nothing is ever cut.
    """
    is_coloured = screen is not None
    is_single_table = page.table is not None
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        force_terminal=is_coloured,
        width=_UNBOUNDED,
        highlight=False,
    )
    console.is_jupyter = (
        False  # there rich would display what is printed, and not write it
    )
    # The lines of a single table are not wrapped, so that they can be copied.
    width = None
    if not is_single_table:
        width = min(screen or _READABLE, _READABLE)
        console.print(Rich(page.title, style="bold"))
        intro = "".join(f"\n{text}\n" for text in page.intro)
        console.print(Rich(intro), width=width, end="")
    for section in page.sections:
        if section.folded:
            continue
        if section.title:
            console.print(Rich(f"\n{section.title}", style="bold underline"))
        for block in section.blocks:
            if not is_single_table and isinstance(block, Text | Grid):
                console.print()
            match block:
                case Text():
                    console.print(Rich(block.text), width=width)
                case Listing():
                    lines = "\n  ".join([f"{block.label}:", *block.lines])
                    console.print(Rich(lines, style="dim"), soft_wrap=True)
                case Grid():
                    most = block.most if is_piped else None
                    _print_grid(console, block, screen or most, width)
    folded_titles = [section.title for section in page.sections if section.folded]
    if folded_titles:
        console.print(
            Rich(
                f"\nNot shown: {'; '.join(folded_titles)}. They are with --all here, or in a file "
                "as -o page.html.",
                style="dim",
            ),
            width=width,
        )
    foot = "".join(f"\n{line}\n" for line in page.foot)
    console.print(Rich(foot, style="dim"), soft_wrap=True, end="")
    text = buffer.getvalue()
    if is_coloured or is_single_table:
        return text
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _print_grid(
    console: Console,
    grid: Grid,
    screen: int | None,
    width: int | None,
) -> None:
    table = _table(grid, range(len(grid.columns)))
    below = grid.below
    if screen and console.measure(table).maximum > screen:
        positions = _fitting_columns(console, grid, screen)
        if grid.most and not {*grid.narrow} <= {*positions}:
            grid = _without_spread(grid)
            below = grid.below
            positions = _fitting_columns(console, grid, screen)
        table = _table(grid, positions, folded=True)
        if len(positions) < len(grid.columns):
            below = (_NARROW_NOTE, *below)
    if grid.rows or not below:
        console.print(table, width=screen)
    for text in below:
        console.print(Rich(text, style="dim"), width=width, soft_wrap=width is None)


def _without_spread(grid: Grid) -> Grid:
    """Return a table for a narrow screen: without the deviations of scores, if it has any."""
    rows = tuple(tuple(_SPREAD.sub("", text) for text in row) for row in grid.rows)
    if rows == grid.rows:
        return grid
    return replace(grid, rows=rows, below=(_SPREAD_NOTE, *grid.below))


def _fitting_columns(console: Console, grid: Grid, screen: int) -> list[int]:
    """Return the positions of the columns that fit on a narrow screen; all if only heads fit."""
    positions = [*range(grid.heads), *grid.always]
    for position in grid.narrow or range(grid.heads, len(grid.columns)):
        table = _table(grid, [*positions, position], folded=True)
        if console.measure(table).minimum <= screen:
            positions.append(position)
    if len(positions) == grid.heads:
        return [*range(len(grid.columns))]
    return positions


def _table(grid: Grid, positions: Sequence[int], *, folded: bool = False) -> Table:
    """Return a table of rich with the columns at ``positions``.

    ``folded``: text has several lines where a screen is narrow. A group is above the titles.
    """
    table = Table(
        title=Rich(grid.caption) if grid.caption else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 0, 0, 1),
    )
    numbers = grid.numbers
    has_groups = any(group for group, _ in grid.columns)
    last_group = ""
    for position in positions:
        group, name = grid.columns[position]
        texts = [row[position] for row in grid.rows]
        # A title is no wider than the texts of its column, or its words.
        words = name or group
        # Of a column of numbers, a title may have its lines divided at a hyphen.
        gap = r"\s|(?<=-)" if folded and numbers[position] else r"\s"
        pieces = re.split(gap, words)
        width = max(map(len, [*texts, *pieces]), default=1)
        title = wrap(words, width) or [""]
        if has_groups and position >= grid.heads:
            is_new_group = bool(name) and group != last_group
            title.insert(0, group if is_new_group else "")
            last_group = group
        # An interval has two lines on a narrow screen.
        is_plain = numbers[position] and not any("[" in text for text in texts)
        table.add_column(
            Rich("\n".join(title)),
            justify="right" if numbers[position] else "left",
            min_width=max(map(len, [*texts, *title])) if is_plain else None,
            no_wrap=is_plain or not folded,
            overflow="fold",
        )
    for number, row in enumerate(grid.rows):
        if number in grid.rules:
            table.add_section()
        cells = [Rich(row[position]) for position in positions]
        for place, position in enumerate(positions):
            if (number, position) in grid.bold:
                score, _ = grid.halves(number, position)
                cells[place].stylize("bold", 0, len(score))
        table.add_row(*cells)
    return table

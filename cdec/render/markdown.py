"""Page → Markdown for GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cdec.render.page import Block, Grid, Listing, Page, Text


def to_markdown(page: Page) -> str:
    """Return the page as Markdown, without charts: their numbers are in its tables."""
    grid = page.table
    if grid is not None:
        parts = [*_table(grid, map(_code, grid.below))]
    else:
        parts = [f"# {_escape(page.title)}", *map(_escape, page.intro)]
        for section in page.sections:
            if section.title:
                parts.append(f"## {_escape(section.title)}")
            for block in section.blocks:
                parts += _block(block)
        parts += map(_code, page.foot)
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Text():
            yield re.sub(r"^(?=[#>+-])", r"\\", _escape(block.text))
        case Listing():
            lines = "\n".join(block.lines)
            fence = "`" * max(3, 1 + _longest_run(lines))
            yield f"{_escape(block.label)}:"
            yield "\n".join([fence, *block.lines, fence])
        case Grid():
            yield from _table(block, map(_escape, block.below))


def _table(grid: Grid, below: Iterator[str]) -> Iterator[str]:
    """Yield the caption, the table with its columns aligned in the source, and the lines below."""
    from tabulate import tabulate  # noqa: PLC0415  # a slow import

    if grid.caption:
        yield f"**{_escape(grid.caption)}**"
    titles = [_escape(" ".join(filter(None, column))) for column in grid.columns]
    rows = grid.cells(_escape, "**{}**")
    alignment = None  # tabulate accepts none for a table without rows
    if rows:
        alignment = ["left"] * len(titles)
        if grid.heads:
            alignment[grid.heads :] = ["right"] * (len(titles) - grid.heads)
    yield tabulate(
        rows,
        titles,
        tablefmt="pipe",
        disable_numparse=True,
        colalign=alignment,
    )
    yield from below


def _code(text: str) -> str:
    """Return the text as code, between more backticks than it has in a row."""
    longest = _longest_run(text)
    if longest:
        fence = "`" * (longest + 1)
        return f"{fence} {text} {fence}"
    return f"`{text}`"


def _longest_run(text: str) -> int:
    runs = re.findall("`+", text)
    return max(map(len, runs), default=0)


def _escape(text: str) -> str:
    """Return the text with what Markdown would read as its own escaped."""
    text = re.sub(r"[\\|*`~]|<(?! )", r"\\\g<0>", text)
    # An underscore inside a word has no effect. A link or an image needs a bracket after the
    # closing one, or a colon.
    text = re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", text)
    return re.sub(r"\](?=[(\[:])", r"\\]", text)

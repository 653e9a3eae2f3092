"""Page → Markdown for GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cdec.render.page import Block, Grid, Listing, Page, Text


def to_markdown(page: Page) -> str:
    """Return the page as Markdown, without charts: their numbers are in its tables."""
    if grid := page.table:
        return "\n\n".join(_table(grid, map(_code, grid.below))) + "\n"
    parts = [f"# {_escape(page.title)}", *map(_escape, page.intro)]
    for section in page.sections:
        parts += [f"## {_escape(section.title)}"] if section.title else []
        parts += [part for block in section.blocks for part in _block(block)]
    return "\n\n".join([*parts, *map(_code, page.foot)]) + "\n"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Text():
            yield re.sub(r"^(?=[#>+-])", r"\\", _escape(block.text))
        case Listing():
            fence = "`" * max(3, 1 + _longest("\n".join(block.lines)))
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
    rows = [[*map(_escape, row)] for row in grid.rows]
    align = ["right" if at >= grid.heads > 0 else "left" for at in range(len(titles))]
    known = align if rows else None
    yield tabulate(rows, titles, tablefmt="pipe", disable_numparse=True, colalign=known)
    yield from below


def _code(text: str) -> str:
    """Return the text as code, between more backticks than it has in a row."""
    longest = _longest(text)
    fence, pad = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _longest(text: str) -> int:
    """Return the length of the longest run of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)


def _escape(text: str) -> str:
    """Return the text with what Markdown would read as its own escaped."""
    text = re.sub(r"[\\|*`~]|<(?! )", r"\\\g<0>", text)
    # An underscore inside a word has no effect. A link or an image needs a bracket after the
    # closing one, or a colon.
    text = re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", text)
    return re.sub(r"\](?=[(\[:])", r"\\]", text)

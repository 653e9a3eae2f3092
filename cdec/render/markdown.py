"""Page → Markdown for GitHub."""

from __future__ import annotations

import re
from html import escape

from cdec.render.page import Block, Cell, Chart, Grid, Listing, Page, Section, Text

# Escaped in a bare table: an underscore inside a word has no effect there.
_SIGNS = "\\|*<`~"


def to_markdown(page: Page) -> str:
    """Return the page as Markdown; a chart is a link to its file, if it has one."""
    if page.table is not None:
        return _bare(page.table)
    parts = [f"# {_escape(page.title)}", *map(_escape, page.intro), *map(_section, page.sections)]
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> str:
    return "\n\n".join(filter(None, [_heading(section), *map(_block, section.blocks)]))


def _heading(section: Section) -> str:
    return f"## {_escape(section.title)}" if section.title else ""


def _block(block: Block) -> str:
    match block:
        case Text():
            return re.sub(r"^(?=[#>+-])", r"\\", _escape(block.text))
        case Listing():
            return _listing(block)
        case Chart():
            return f"![{_escape(block.caption)}]({block.file})" if block.file else ""
        case Grid():
            return _grid(block)


def _listing(listing: Listing) -> str:
    longest = max((len(run) for line in listing.lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = "\n".join([fence, *listing.lines, fence])
    if not listing.folded:
        return f"{_escape(listing.label)}:\n\n{lines}"
    summary = f"<summary>{escape(listing.label)}</summary>"
    return f"<details>{summary}\n\n{lines}\n\n</details>"


def _grid(grid: Grid) -> str:
    rule = ["---"] * len(grid.leading) + ["---:"] * len(grid.columns)
    rows = [
        [*map(_escape, before), *map(_cell, cells)]
        for row in grid.rows
        for before, cells in grid.lines(row)
    ]
    table = "\n".join("| " + " | ".join(row) + " |" for row in (_titles(grid), rule, *rows))
    below = [_escape(text) for text in grid.below]
    notes = [f"<sup>{mark}</sup> {_escape(text)}" for mark, text in grid.notes]
    caption = [f"**{_escape(grid.caption)}**"] if grid.caption else []
    return "\n\n".join([*caption, table, *notes, *below])


def _bare(grid: Grid) -> str:
    """Return the table, with its columns aligned in the source."""
    from tabulate import tabulate  # noqa: PLC0415  # a slow import

    rows = [[_escape(text, _SIGNS) for text in line] for line in grid.texts]
    table = tabulate(rows, _titles(grid), tablefmt="pipe", disable_numparse=True)
    caption = f"**{_escape(grid.caption)}**\n\n" if grid.caption else ""
    below = "".join(f"\n{_code(text)}\n" for text in grid.below)
    return f"{caption}{table}\n{below}"


def _titles(grid: Grid) -> list[str]:
    titles = [*grid.leading, *(" ".join(filter(None, column)) for column in grid.columns)]
    return [_escape(title, _SIGNS) for title in titles]


def _cell(cell: Cell) -> str:
    text = _escape(cell.text)
    text = f"**{text}**" if cell.best and text else text
    return text + (f"<sup>{','.join(cell.notes)}</sup>" if cell.notes else "")


def _code(text: str) -> str:
    """Return the text as code, between more backticks than it has in a row."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence, pad = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _escape(text: str, signs: str = "\\|*_<`~") -> str:
    """Return the text with ``signs`` and the brackets of links escaped."""
    escaped = "".join(f"\\{sign}" if sign in signs else sign for sign in text)
    # A link or an image needs a bracket after the closing one, or a colon.
    linkless = re.sub(r"\](?=[(\[:])", r"\\]", escaped.replace("\\< ", "< "))
    # Before the index of a capital letter, as in F_x, it starts no emphasis.
    return re.sub(r"(?<=[A-Z])\\_(?=[a-z]\b)", "_", linkless)

"""Page → Markdown, as GitHub shows it."""

from __future__ import annotations

from itertools import chain

from tabulate import tabulate

from cdec.render.page import Block, Cell, Chart, Grid, Listing, Page, Section, Text


def to_markdown(page: Page) -> str:
    """Return the page as Markdown; a chart is a link to its file, where it has one."""
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
            return _escape(block.text)
        case Listing():
            return _listing(block)
        case Chart():
            return f"![{_escape(block.caption)}]({block.file})" if block.file else ""
        case Grid():
            return _grid(block)


def _listing(listing: Listing) -> str:
    lines = "\n".join(["```", *listing.lines, "```"])
    if not listing.folded:
        return f"{_escape(listing.label)}:\n\n{lines}"
    summary = f"<summary>{_escape(listing.label)}</summary>"
    return f"<details>{summary}\n\n{lines}\n\n</details>"


def _grid(grid: Grid) -> str:
    titles = _titles(grid)
    rule = ["---"] * (len(titles) - len(grid.columns)) + ["---:"] * len(grid.columns)
    table = "\n".join("| " + " | ".join(row) + " |" for row in (titles, rule, *_rows(grid)))
    below = [_escape(text) for text in grid.below]
    notes = [f"<sup>{mark}</sup> {_escape(text)}" for mark, text in grid.notes]
    caption = [f"**{_escape(grid.caption)}**"] if grid.caption else []
    return "\n\n".join([*caption, table, *notes, *below])


def _bare(grid: Grid) -> str:
    """Return the table alone, its columns aligned for those who read the source."""
    rows = [
        [cell.text.replace("|", "\\|") for cell in line.cells]
        for row in grid.rows
        for line in row.lines
    ]
    table = tabulate(rows, _titles(grid), tablefmt="pipe", disable_numparse=True)
    caption = f"**{grid.caption}**\n\n" if grid.caption else ""
    below = "".join(f"\n`{text}`\n" for text in grid.below)
    return f"{caption}{table}\n{below}"


def _titles(grid: Grid) -> list[str]:
    heads = [*grid.heads, *([""] if grid.has_names else [])]
    return [*heads, *(" ".join(filter(None, column)) for column in grid.columns)]


def _rows(grid: Grid) -> chain[list[str]]:
    return chain.from_iterable(
        [
            [
                *(map(_escape, row.heads) if number == 0 else [""] * len(row.heads)),
                *([line.name] if grid.has_names else []),
                *map(_cell, line.cells),
            ]
            for number, line in enumerate(row.lines)
        ]
        for row in grid.rows
    )


def _cell(cell: Cell) -> str:
    text = _escape(cell.text)
    text = f"**{text}**" if cell.best and text else text
    return text + (f"<sup>{','.join(cell.notes)}</sup>" if cell.notes else "")


def _escape(text: str) -> str:
    """Return the text with the signs escaped that would be read as Markdown here."""
    signs = str.maketrans({sign: f"\\{sign}" for sign in "\\|*_<`~"})
    return text.translate(signs).replace("\\_e", "_e").replace("\\_m", "_m")

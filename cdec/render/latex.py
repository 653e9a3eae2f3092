"""Page → LaTeX: its tables, which only need booktabs, with its texts as comments.

A name in another alphabet needs LuaLaTeX or XeLaTeX.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cdec.configs import read_toml
from cdec.render.page import Grid, Listing, Page, Text

_SIGNS = str.maketrans(read_toml("latex.toml")["signs"])
_NARROW = 4  # columns of a table that stands in a column of text


def to_latex(page: Page) -> str:
    """Return each table of a page as a ``tabular``; texts, and lines below it, are comments above.

    A table with a label floats, with its caption: it is complete in a paper. Charts are left out:
    their numbers are in the tables.
    """
    parts = [*_comments([r"in the preamble: \usepackage{booktabs,graphicx}"])]
    texts = [page.title, *page.intro]  # before the next table
    for section in page.sections:
        texts.append(section.title)
        for block in section.blocks:
            match block:
                case Text():
                    texts.append(block.text)
                case Listing():
                    texts += [f"{block.label}:", *block.lines]
                case Grid():
                    texts += [block.caption, *block.below]
                    parts += _comments(texts)
                    table = _tabular(block)
                    if block.label:
                        table = _floating(block, table)
                    parts.append(f"{table}\n")
                    texts = []
    parts += _comments([*texts, *page.foot])
    return "".join(parts)


def _comments(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        if text:
            yield f"% {' '.join(text.split())}\n"


def _tabular(grid: Grid) -> str:
    """Return the table; a column of numbers is aligned right."""
    lines = []
    if grid.groups:
        no_group = [""] * grid.heads
        lines.append(_line([*no_group, *map(_group_cell, grid.groups)]))
    lines.append(_line([escape(name) for _, name in grid.columns]))
    lines.append("\\midrule\n")
    for number, cells in enumerate(grid.cells(escape, "\\textbf{{{}}}")):
        if number in grid.rules:
            lines.append("\\midrule\n")
        lines.append(_line(cells))
    alignment = "".join("r" if is_number else "l" for is_number in grid.numbers)
    body = "".join(lines)
    return f"\\begin{{tabular}}{{{alignment}}}\n\\toprule\n{body}\\bottomrule\n\\end{{tabular}}"


def _floating(grid: Grid, table: str) -> str:
    name = "table*" if len(grid.columns) > _NARROW else "table"
    return (
        f"\\begin{{{name}}}\n\\centering\n"
        "% no wider than the text\n"
        "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
        f"{table}}}\n"
        f"\\caption{{{escape(grid.caption)}}}\n\\label{{{grid.label}}}\n\\end{{{name}}}"
    )


def _group_cell(group: tuple[str, int]) -> str:
    name, columns = group
    if columns == 1:
        return escape(name)
    return f"\\multicolumn{{{columns}}}{{c}}{{{escape(name)}}}"


def _line(cells: Sequence[str]) -> str:
    r"""Return a table line; LaTeX reads [ or * after \\ and after a rule as an option."""
    text = " & ".join(cells)
    if text.startswith(("[", "*")):
        text = f"{{{text[0]}}}{text[1:]}"
    return f"{text} \\\\\n"


def escape(text: str) -> str:
    """Return the text with LaTeX's special characters, and those it lacks, replaced."""
    return text.translate(_SIGNS)

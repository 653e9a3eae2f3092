"""Page → LaTeX: its tables, which only need booktabs, with its texts as comments.

A name in another alphabet needs LuaLaTeX or XeLaTeX.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pandas as pd

from cdec.render.page import Grid, Listing, Page, Text

# pdfLaTeX without packages rejects most of these characters, or sets others.
_SIGNS = str.maketrans({
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"$\sim$",
    "^": r"\textasciicircum{}",
    "³": r"\textsuperscript{3}",
    "δ": r"$\delta$",
    "≈": r"$\approx$",
    "±": r"$\pm$",
    "≤": r"$\le$",
    "×": r"$\times$",
    "→": r"$\to$",
    "−": r"$-$",
    "–": "--",
    "…": r"\ldots{}",
    "’": "'",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
})  # fmt: skip


def to_latex(page: Page) -> str:
    """Return each table of a page as a ``tabular``; texts, and lines below it, are comments above.

    Charts are left out: their numbers are in the tables.
    """
    parts = [*_comments([r"in the preamble: \usepackage{booktabs}"])]
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
                    parts.append(f"{_tabular(block)}\n")
                    texts = []
    parts += _comments([*texts, *page.foot])
    return "".join(parts)


def _comments(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        if text:
            yield f"% {' '.join(text.split())}\n"


def _tabular(grid: Grid) -> str:
    """Return the table; a column of numbers is aligned right."""
    rows = [[*map(escape, row)] for row in grid.rows]
    for row, column in _best(grid):
        rows[row][column] = f"\\textbf{{{rows[row][column]}}}"
    lines = []
    if grid.groups:
        no_group = [""] * grid.heads
        lines.append(_line([*no_group, *map(_group_cell, grid.groups)]))
    lines.append(_line([escape(name) for _, name in grid.columns]))
    lines.append("\\midrule\n")
    lines += map(_line, rows)
    alignment = "".join("r" if is_number else "l" for is_number in grid.numbers)
    body = "".join(lines)
    return f"\\begin{{tabular}}{{{alignment}}}\n\\toprule\n{body}\\bottomrule\n\\end{{tabular}}"


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


def _best(grid: Grid) -> set[tuple[int, int]]:
    """Return row and column of the best cells; a single row has no best.

    Numbers that are shown as equal are all best.

    >>> from dataclasses import replace
    >>> view = pd.DataFrame({"System": ["a", "b"], "F": ["9.5 ± 0.1", "10.0"]})
    >>> _best(replace(Grid.from_frame("", view), best=(1,)))
    {(1, 0)}
    """
    texts = pd.DataFrame(grid.rows, columns=range(len(grid.columns)), dtype=str)
    # The rows that are compared have the same texts at the positions ``within``.
    labels = ["\n".join(row) for row in texts[list(grid.within)].to_numpy()]
    group = pd.Series(labels, index=texts.index, dtype=str)
    cells = set()
    for column in grid.best:
        first_word = texts[column].str.split(" ").str[0]
        number = pd.to_numeric(first_word, errors="coerce")
        groups = number.groupby(group)
        has_rivals = groups.transform("size") > 1
        is_best = number.eq(groups.transform("max")) & has_rivals
        cells |= {(row, column) for row in is_best.index[is_best]}
    return cells


def escape(text: str) -> str:
    """Return the text with LaTeX's special characters, and those it lacks, replaced."""
    return text.translate(_SIGNS)

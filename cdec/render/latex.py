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
    said: list[str] = [page.title, *page.intro]
    parts = list[str]()
    for section in page.sections:
        said.append(section.title)
        for block in section.blocks:
            match block:
                case Text():
                    said.append(block.text)
                case Listing():
                    said += [f"{block.label}:", *block.lines]
                case Grid():
                    said += [block.caption, *block.below]
                    parts += [*_comments(said), f"{_tabular(block)}\n"]
                    said = []
    parts += _comments([*said, *page.foot])
    return "".join([*_comments([r"in the preamble: \usepackage{booktabs}"]), *parts])


def _comments(texts: Iterable[str]) -> Iterator[str]:
    yield from (f"% {' '.join(text.split())}\n" for text in texts if text)


def _tabular(grid: Grid) -> str:
    """Return the table; a column of numbers is aligned right."""
    rows = [[*map(escape, row)] for row in grid.rows]
    for number, at in _best(grid):
        rows[number][at] = f"\\textbf{{{rows[number][at]}}}"
    titles = [escape(name) for _, name in grid.columns]
    lines = [_line(titles), "\\midrule\n", *map(_line, rows)]
    if grid.groups:
        form = "\\multicolumn{{{}}}{{c}}{{{}}}"
        groups = (form.format(n, escape(g)) if n > 1 else escape(g) for g, n in grid.groups)
        lines.insert(0, _line([*[""] * grid.heads, *groups]))
    form = "".join("r" if number else "l" for number in grid.numbers)
    body = "".join(lines)
    return f"\\begin{{tabular}}{{{form}}}\n\\toprule\n{body}\\bottomrule\n\\end{{tabular}}"


def _line(cells: Sequence[str]) -> str:
    r"""Return a table line; LaTeX reads [ or * after \\ and after a rule as an option."""
    text = " & ".join(cells)
    return (f"{{{text[0]}}}{text[1:]}" if text[:1] in ("[", "*") else text) + " \\\\\n"


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
    within = ("\n".join(row) for row in texts[list(grid.within)].to_numpy())
    group = pd.Series(list(within), index=texts.index, dtype=str)
    found = set()
    for at in grid.best:
        number = pd.to_numeric(texts[at].str.split(" ").str[0], errors="coerce")
        groups = number.groupby(group)
        highest = number.eq(groups.transform("max")) & (groups.transform("size") > 1)
        found |= {(row, at) for row in highest.index[highest]}
    return found


def escape(text: str) -> str:
    """Return the text with LaTeX's special characters, and those it lacks, replaced."""
    return text.translate(_SIGNS)

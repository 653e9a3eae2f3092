"""Page → LaTeX: a complete document, or one table; tables only need booktabs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from cdec.render.page import Block, Cell, Chart, Grid, Line, Listing, Page, Row, Section, Text

_LATIN = 0x17F  # the last letter that pdfLaTeX sets without further packages
# pdfLaTeX without packages rejects most of these characters, or sets others.
_SIGNS = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
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
}
_NUMBER = re.compile(r"[+−-]?[\d,]*\.?\d+( ± [\d.]+)?( ?\[.*\])?|\[.*\]")
_MISSING = float("-inf")
_WIDEST = 96  # characters of a comment
_CLASS = r"""\documentclass[10pt,a4paper]{article}
"""
_PREAMBLE = r"""\usepackage[landscape,margin=15mm]{geometry}
\usepackage{booktabs}
\setlength{\parindent}{0pt}\setlength{\parskip}{4pt}
\begin{document}
"""


def to_latex(page: Page) -> str:
    """Return the page as a document without charts: their numbers are in its tables.

    A page of one table becomes a ``tabular``; the lines below it become comments above.
    """
    if page.table is not None:
        return _bare(page.table)
    intro = "".join(f"{escape(text)}\n\n" for text in page.intro)
    title = f"\\section*{{{escape(page.title)}}}\n"
    body = "\n".join(map(_section, page.sections))
    text = f"{title}{intro}{body}\\end{{document}}\n"
    return f"{_CLASS}{_letters(text)}{_PREAMBLE}{text}"


def _section(section: Section) -> str:
    blocks = "\n".join(filter(None, map(_block, section.blocks)))
    title = f"\\subsection*{{{escape(section.title)}}}\n" if section.title else ""
    return f"{title}{blocks}\n"


def _block(block: Block) -> str:
    match block:
        case Text():
            return f"{escape(block.text)}\n"
        case Listing():
            lines = "".join(f"\\texttt{{{_breakable(line)}}}\\par\n" for line in block.lines)
            return f"{{\\tiny\\raggedright {escape(block.label)}:\\par\n{lines}}}\n"
        case Chart():
            return ""
        case Grid():
            return _grid(block)


def _breakable(line: str) -> str:
    """Return the line with line breaks allowed after the separators of its fields."""
    text = escape(line)
    for sign in (r"\textbar{}", ",", "="):
        text = text.replace(sign, rf"{sign}\allowbreak ")
    return text


def _grid(grid: Grid) -> str:
    leading = len(grid.leading)
    form = "l" * leading + "r" * len(grid.columns)
    rows = "\\addlinespace\n".join(_row(grid, row) for row in grid.rows)
    below = [rf"\textsuperscript{{{mark}}} {escape(text)}" for mark, text in grid.notes]
    below += map(escape, grid.below)
    return (
        "{\\footnotesize\\setlength{\\tabcolsep}{3pt}\n"
        + (f"\\textbf{{{escape(grid.caption)}}}\\par\\nopagebreak\n" if grid.caption else "")
        + f"{_tabular(form, _titles(grid), rows)}\\par\n"
        + "".join(f"{text}\\par\n" for text in below)
        + "}\n"
    )


def _bare(grid: Grid) -> str:
    """Return the table; a column of numbers is aligned right."""
    columns = zip(*grid.texts, strict=True) if grid.rows else [()] * len(grid.columns)
    form = "".join("r" if column and all(map(_is_number, column)) else "l" for column in columns)
    rows = "".join(_row(grid, row) for row in marked(grid).rows)
    lines = [line for text in (grid.caption, *grid.below) if text for line in _folded(text)]
    table = f"{_tabular(form, _titles(grid), rows)}\n"
    needed = [r"\usepackage{booktabs}", *_letters(table).splitlines()]
    lines += [f"in the preamble: {line}" for line in needed]
    return "".join(f"% {line}\n" for line in lines) + table


def as_float(table: str, caption: str = "", label: str = "") -> str:
    r"""Return a table as a float with ``caption`` and ``label`` (LaTeX); without both unchanged.

    >>> print(as_float("(the table)\n", "Scores", "tab:mine"), end="")
    \begin{table}[t]
    \centering\small
    (the table)
    \caption{Scores}
    \label{tab:mine}
    \end{table}
    """
    if not (caption or label):
        return table
    below = (
        f"\\{name}{{{text}}}\n" for name, text in (("caption", caption), ("label", label)) if text
    )
    return f"\\begin{{table}}[t]\n\\centering\\small\n{table}{''.join(below)}\\end{{table}}\n"


def _folded(text: str) -> Iterator[str]:
    """Yield the lines of a comment, broken behind blanks and the separators of a signature."""
    line = ""
    for part in re.findall(r"[^ |]+[ |]?|[ |]", " ".join(text.split())):
        if line and len(line) + len(part) > _WIDEST:
            yield line.rstrip()
            line = ""
        line += part
    yield line


def _is_number(text: str) -> bool:
    return text == "–" or bool(_NUMBER.fullmatch(text))


def _tabular(form: str, titles: str, rows: str) -> str:
    lines = f"\\toprule\n{titles}\\midrule\n{rows}\\bottomrule\n"
    return f"\\begin{{tabular}}{{{form}}}\n{lines}\\end{{tabular}}"


def _titles(grid: Grid) -> str:
    names = _line([escape(name) for name in (*grid.leading, *(n for _, n in grid.columns))])
    if not grid.is_grouped:
        return names
    before = [""] * len(grid.leading)
    groups = [
        f"\\multicolumn{{{span}}}{{c}}{{{escape(group)}}}" if span > 1 or before else escape(group)
        for group, span in grid.groups
    ]
    return _line(before + groups) + names


def _row(grid: Grid, row: Row) -> str:
    lines = ([*map(escape, before), *map(_cell, cells)] for before, cells in grid.lines(row))
    return "".join(_line(line) for line in lines)


def _line(cells: Sequence[str]) -> str:
    r"""Return a table line; LaTeX reads [ or * after \\ and after a rule as an option."""
    text = " & ".join(cells)
    return (f"{{{text[0]}}}{text[1:]}" if text[:1] in ("[", "*") else text) + " \\\\\n"


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    text = f"\\textbf{{{text}}}" if cell.best and text else text
    return text + (f"\\textsuperscript{{{','.join(cell.notes)}}}" if cell.notes else "")


def _letters(text: str) -> str:
    """Return preamble lines that make pdfLaTeX print the codes of letters that it cannot set.

    LuaLaTeX and XeLaTeX set the letters. Returns '' if there are none.
    """
    unknown = sorted({sign for sign in text if ord(sign) > _LATIN})
    if not unknown:
        return ""
    codes = (rf"\DeclareUnicodeCharacter{{{ord(s):04X}}}{{[U+{ord(s):04X}]}}" for s in unknown)
    return "\n".join([r"\usepackage{iftex}", r"\ifpdftex", *codes, r"\fi", ""])


def escape(text: str) -> str:
    """Return the text with LaTeX's special characters, and those it lacks, replaced."""
    return "".join(_SIGNS.get(sign, sign) for sign in text)


def marked(grid: Grid) -> Grid:
    """Return the grid with its best cells marked; a single row has no best.

    Numbers that are shown as equal are all marked.

    >>> import pandas as pd
    >>> view = pd.DataFrame({"System": ["a", "b"], "F": ["9.5 ± 0.1", "10.0"]})
    >>> grid = replace(Grid.from_frame("", view), best=(0,))
    >>> [row.lines[0].cells[0].best for row in marked(grid).rows]
    [False, True]
    """
    if not grid.best:
        return grid
    lines = [row.lines[0].cells for row in grid.rows]
    # An unranked row is compared with no other.
    keys = [
        (str(number) if number in grid.unranked else "", *(cells[at].text for at in grid.within))
        for number, cells in enumerate(lines)
    ]
    highest: dict[tuple[tuple[str, ...], int], float] = {}
    for key, cells in zip(keys, lines, strict=True):
        for at in grid.best:
            highest[key, at] = max(_number(cells[at]), highest.get((key, at), _MISSING))
    sizes = Counter(keys)
    rows = []
    for row, key, cells in zip(grid.rows, keys, lines, strict=True):
        found = {
            at
            for at in grid.best
            if sizes[key] > 1 and _MISSING < _number(cells[at]) == highest[key, at]
        }
        shown = tuple(replace(cell, best=at in found) for at, cell in enumerate(cells))
        rows.append(replace(row, lines=(Line("", shown),)))
    return replace(grid, rows=tuple(rows))


def _number(cell: Cell) -> float:
    """Return the number that a cell begins with; −∞ if there is none."""
    try:
        return float(cell.text.partition(" ")[0])
    except ValueError:
        return _MISSING

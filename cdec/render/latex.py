"""Page → LaTeX: a complete document, or one table; tables only need booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pandas as pd

from cdec.render.page import Block, Grid, Listing, Page, Text

_LATIN = 0x17F  # the last letter that pdfLaTeX sets without further packages
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
_DOCUMENT = r"""\documentclass[10pt,a4paper]{article}
%s\usepackage[landscape,margin=15mm]{geometry}
\usepackage{booktabs}
\setlength{\parindent}{0pt}\setlength{\parskip}{4pt}
\begin{document}
%s\end{document}
"""


def to_latex(page: Page) -> str:
    """Return the page as a document without charts: their numbers are in its tables.

    A page of one table becomes a ``tabular``; the lines below it become comments above.
    """
    if grid := page.table:
        table = f"{_tabular(grid)}\n"
        needed = [r"\usepackage{booktabs}", *_letters(table).splitlines()]
        lines = [" ".join(text.split()) for text in (grid.caption, *grid.below) if text]
        lines += [f"in the preamble: {line}" for line in needed]
        return "".join(f"% {line}\n" for line in lines) + table
    parts = [f"\\section*{{{escape(page.title)}}}\n"]
    parts += [f"{escape(text)}\n\n" for text in page.intro]
    for section in page.sections:
        parts += [f"\\subsection*{{{escape(section.title)}}}\n"] if section.title else []
        parts += [f"{text}\n" for block in section.blocks for text in _block(block)]
    text = "".join([*parts, *(f"\\texttt{{{_breakable(line)}}}\n" for line in page.foot)])
    return _DOCUMENT % (_letters(text), text)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Text():
            yield f"{escape(block.text)}\n"
        case Listing():
            lines = "".join(f"\\texttt{{{_breakable(line)}}}\\par\n" for line in block.lines)
            yield f"{{\\tiny\\raggedright {escape(block.label)}:\\par\n{lines}}}\n"
        case Grid():
            title = f"\\textbf{{{escape(block.caption)}}}\\par\\nopagebreak\n"
            lines = "".join(f"{escape(line)}\\par\n" for line in block.below)
            yield (
                "{\\footnotesize\\setlength{\\tabcolsep}{3pt}\n"
                f"{title if block.caption else ''}{_tabular(block)}\\par\n{lines}}}\n"
            )


def _breakable(line: str) -> str:
    """Return the line with line breaks allowed after the separators of its fields."""
    return re.sub(r"\\textbar\{\}|[,=]", r"\g<0>\\allowbreak ", escape(line))


def _tabular(grid: Grid) -> str:
    """Return the table; a column of numbers is aligned right."""
    best, rows = _best(grid), []
    form = "l" * len(grid.heads) + "".join("r" if number else "l" for number in grid.numbers)
    if grid.groups:
        spans = (
            f"\\multicolumn{{{span}}}{{c}}{{{escape(group)}}}"
            if span > 1 or grid.heads
            else escape(group)
            for group, span in grid.groups
        )
        rows.append(_line([*("" for _ in grid.heads), *spans]))
    rows.append(_line([*map(escape, grid.heads), *(escape(name) for _, name in grid.columns)]))
    rows.append("\\midrule\n")
    for number, row in enumerate(grid.rows):
        if grid.heads and number:
            rows.append("\\addlinespace\n")
        texts = [escape(text) for text in row]
        for at, text in enumerate(texts[len(grid.heads) :], start=len(grid.heads)):
            if text and (number, at - len(grid.heads)) in best:
                texts[at] = f"\\textbf{{{text}}}"
        rows.append(_line(texts))
    lines = "".join(rows)
    return f"\\begin{{tabular}}{{{form}}}\n\\toprule\n{lines}\\bottomrule\n\\end{{tabular}}"


def _line(cells: Sequence[str]) -> str:
    r"""Return a table line; LaTeX reads [ or * after \\ and after a rule as an option."""
    text = " & ".join(cells)
    return (f"{{{text[0]}}}{text[1:]}" if text[:1] in ("[", "*") else text) + " \\\\\n"


def _best(grid: Grid) -> set[tuple[int, int]]:
    """Return row and column of the best cells; a single row has no best.

    Numbers that are shown as equal are all best.

    >>> from dataclasses import replace
    >>> view = pd.DataFrame({"System": ["a", "b"], "F": ["9.5 ± 0.1", "10.0"]})
    >>> _best(replace(Grid.from_frame("", view), best=(0,)))
    {(1, 0)}
    """
    texts = pd.DataFrame(grid.texts, columns=range(len(grid.columns)), dtype=str)
    texts = texts.drop(index=list(grid.unranked))
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


def _letters(text: str) -> str:
    """Return preamble lines that make pdfLaTeX print the codes of letters that it cannot set.

    LuaLaTeX and XeLaTeX set the letters. Returns '' if there are none.
    """
    codes = sorted(
        {f"{ord(sign):04X}" for sign in text if ord(sign) > _LATIN}, key=lambda c: int(c, 16)
    )
    lines = (rf"\DeclareUnicodeCharacter{{{code}}}{{[U+{code}]}}" for code in codes)
    return "\n".join([r"\usepackage{iftex}", r"\ifpdftex", *lines, r"\fi", ""]) if codes else ""


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
    table += f"\\caption{{{caption}}}\n" if caption else ""
    table += f"\\label{{{label}}}\n" if label else ""
    return f"\\begin{{table}}[t]\n\\centering\\small\n{table}\\end{{table}}\n"


def escape(text: str) -> str:
    """Return the text with LaTeX's special characters, and those it lacks, replaced."""
    return text.translate(_SIGNS)

"""Page → a LaTeX document that compiles as it is; its tables need booktabs only."""

from __future__ import annotations

from cdec.render.latex import escape
from cdec.render.page.blocks import Block, Cell, Chart, Grid, Listing, Page, Row, Section, Text

_PREAMBLE = r"""\documentclass[10pt,a4paper]{article}
\usepackage[landscape,margin=15mm]{geometry}
\usepackage{booktabs}
\setlength{\parindent}{0pt}\setlength{\parskip}{4pt}
\begin{document}
"""


def to_latex(page: Page) -> str:
    """Return the page as a document; a chart stands in it as its numbers, which are a table."""
    intro = "".join(f"{escape(text)}\n\n" for text in page.intro)
    title = f"\\section*{{{escape(page.title)}}}\n"
    body = "\n".join(map(_section, page.sections))
    return f"{_PREAMBLE}{title}{intro}{body}\\end{{document}}\n"


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
    """Return the line so that it may be broken after the signs between its fields."""
    text = escape(line)
    for sign in (r"\textbar{}", ",", "="):
        text = text.replace(sign, rf"{sign}\allowbreak ")
    return text


def _grid(grid: Grid) -> str:
    leading = len(grid.heads) + grid.has_names
    rows = "\\addlinespace\n".join(_row(grid, row) for row in grid.rows)
    below = [rf"\textsuperscript{{{mark}}} {escape(text)}" for mark, text in grid.notes]
    below += map(escape, grid.below)
    return (
        "{\\footnotesize\\setlength{\\tabcolsep}{3pt}\n"
        + (f"\\textbf{{{escape(grid.caption)}}}\\par\\nopagebreak\n" if grid.caption else "")
        + f"\\begin{{tabular}}{{{'l' * leading}{'r' * len(grid.columns)}}}\n\\toprule\n"
        + _titles(grid, leading)
        + f"\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\\par\n"
        + "".join(f"{text}\\par\n" for text in below)
        + "}\n"
    )


def _titles(grid: Grid, leading: int) -> str:
    heads = [*map(escape, grid.heads), *([""] if grid.has_names else [])]
    names = " & ".join([*heads, *(escape(name) for _, name in grid.columns)]) + " \\\\\n"
    if not any(group for group, _ in grid.columns):
        return names
    spans = [f"\\multicolumn{{{span}}}{{c}}{{{escape(group)}}}" for group, span in grid.groups]
    return " & ".join([""] * leading + spans) + " \\\\\n" + names


def _row(grid: Grid, row: Row) -> str:
    lines = []
    for number, line in enumerate(row.lines):
        heads = [escape(head) if number == 0 else "" for head in row.heads]
        names = [escape(line.name)] if grid.has_names else []
        lines.append(" & ".join([*heads, *names, *map(_cell, line.cells)]) + " \\\\\n")
    return "".join(lines)


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    text = f"\\textbf{{{text}}}" if cell.best and text else text
    return text + (f"\\textsuperscript{{{','.join(cell.notes)}}}" if cell.notes else "")

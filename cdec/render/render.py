"""Report → text in each format. Rounding and escaping happen here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import pandas as pd

from cdec.errors import UnknownNameError
from cdec.render import latex
from cdec.render.raw import csv_text, json_text
from cdec.render.report import Report
from cdec.render.terminal import to_text


def to_csv(report: Report) -> str:
    """Return the tidy data as CSV with raw values."""
    return csv_text(report.data)


def to_json(report: Report) -> str:
    """Return the tidy data as records under ``rows``, and what it is about."""
    return json_text(report.data, report.about)


def to_markdown(report: Report) -> str:
    """Return the view as a Markdown table, with the notes as code."""
    flat = report.view.set_axis([_flat(column) for column in report.view.columns], axis=1)
    escaped = flat.map(lambda cell: str(cell).replace("|", "\\|"))
    table = escaped.to_markdown(index=False, disable_numparse=True)
    title = f"**{report.title}**\n\n" if report.title else ""
    notes = "".join(f"\n`{note}`\n" for note in report.notes)
    return f"{title}{table}\n{notes}"


def to_latex(report: Report) -> str:
    """Return the view as a LaTeX table for booktabs, with the notes as comments."""
    view = report.view.map(lambda cell: latex.escape(str(cell)))
    view.columns = view.columns.map(_latex_column)
    text_columns = "l" * _leading_text_columns(report.view)
    form = text_columns + "r" * (view.shape[1] - len(text_columns))
    # pandas cuts a large table at a limit that is meant for web pages.
    with pd.option_context("styler.render.max_elements", view.size):
        table = view.style.hide(axis="index").to_latex(
            hrules=True, column_format=form, multicol_align="c"
        )
    comments = (" ".join(note.split()) for note in (report.title, *report.notes) if note)
    return "".join(f"% {comment}\n" for comment in comments) + table


def to_html(report: Report) -> str:
    """Return the view as an HTML table with a caption, the notes below in small print."""
    body = report.view.to_html(index=False, border=0, escape=True, justify="center")
    caption = f"<caption>{escape(report.title)}</caption>" if report.title else ""
    body = body.replace("<thead>", f"{caption}<thead>", 1)
    notes = "".join(f"<p><small><code>{escape(note)}</code></small></p>\n" for note in report.notes)
    return f"{body}\n{notes}"


FORMATS: dict[str, Callable[[Report], str]] = {
    "table": to_text,
    "markdown": to_markdown,
    "latex": to_latex,
    "csv": to_csv,
    "json": to_json,
    "html": to_html,
}


def render(report: Report, format: str) -> str:
    """Return ``report`` in ``format`` (a key of FORMATS). Raises UnknownNameError.

    >>> data = pd.DataFrame({"x": [0.5]})
    >>> print(render(Report(view=data.astype(str), data=data), "csv"), end="")
    x
    0.5
    """
    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    return FORMATS[format](report)


def _flat(column: object) -> str:
    return " ".join(part for part in column if part) if isinstance(column, tuple) else str(column)


def _latex_column(column: object) -> object:
    if isinstance(column, tuple):
        return tuple(latex.escape(part) for part in column)
    return latex.escape(str(column))


def _leading_text_columns(view: pd.DataFrame) -> int:
    """Return how many columns stand before the first one of numbers."""
    numeric = [_is_number(view.iloc[0, i]) for i in range(view.shape[1])] if len(view) else []
    return numeric.index(True) if True in numeric else view.shape[1]


def _is_number(cell: object) -> bool:
    return str(cell).replace(".", "", 1).replace("–", "0").replace(",", "").isdecimal()

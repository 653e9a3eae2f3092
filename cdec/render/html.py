"""Page → HTML: without network access, readable on small screens and in print.

The only script is that of a search box; without it the page shows the same.
"""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

import pandas as pd

from cdec.render.page import Chart, Grid, Page

if TYPE_CHECKING:
    from jinja2 import Environment


def to_html(page: Page) -> str:
    """Return the page as one file with style and charts; a single table as an element."""
    if page.table is not None:
        return _element(page.table)
    parts = {"style": stylesheet(), "script": _text("search.js")}
    return _environment().get_template("page.html").render(page=page, **parts)


def sections_html(page: Page) -> str:
    """Return the sections of a page without its head and style, for a page of several files."""
    return _environment().get_template("sections.html").render(page=page)


def stylesheet() -> str:
    """Return the style of pages."""
    return _text("page.css")


def _element(grid: Grid) -> str:
    """Return a table with its caption, and the lines below it in small print."""
    names = [name for _, name in grid.columns]
    columns = pd.MultiIndex.from_tuples(grid.columns) if grid.is_grouped else names
    frame = pd.DataFrame(grid.texts, columns=columns, dtype=object)
    frame.columns.name = grid.corner or None
    table = frame.to_html(index=False, border=0, escape=True, justify="center")
    caption = f"<caption>{escape(grid.caption)}</caption>" if grid.caption else ""
    table = table.replace("<thead>", f"{caption}<thead>", 1)
    below = "".join(f"<p><small><code>{escape(text)}</code></small></p>\n" for text in grid.below)
    return f'<div style="overflow-x: auto">\n{table}\n</div>\n{below}'


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader  # noqa: PLC0415  few results are HTML

    loader = FunctionLoader(_text)
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["kind"] = lambda block: type(block).__name__
    environment.globals["picture"] = _picture
    return environment


def _text(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")


def _picture(chart: Chart) -> str:
    """Return the SVG to embed in the document: labelled, without XML declaration."""
    named = f'<svg role="img" aria-label="{escape(chart.caption)}"'
    svg = chart.svg if isinstance(chart.svg, str) else chart.svg()
    return svg[svg.index("<svg") :].replace("<svg", named, 1)

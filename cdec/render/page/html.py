"""Page → one HTML file: no script, nothing from the network, readable small and when printed."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files

from jinja2 import Environment, Template

from cdec.render.page.blocks import Chart, Page


def to_html(page: Page) -> str:
    """Return the page as a whole document, style and charts inside."""
    return _template().render(page=page, style=_text("page.css"), picture=_picture)


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["kind"] = lambda block: type(block).__name__
    return environment.from_string(_text("page.html"))


def _text(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")


def _picture(chart: Chart) -> str:
    """Return the SVG to stand inside the document: named, without the declarations of a file."""
    named = f'<svg role="img" aria-label="{escape(chart.caption)}"'
    return chart.svg[chart.svg.index("<svg") :].replace("<svg", named, 1)

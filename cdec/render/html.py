"""Page → HTML: without network access or script, readable on small screens and in print."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from cdec.render.page import Page

if TYPE_CHECKING:
    from jinja2 import Environment


def to_html(page: Page) -> str:
    """Return the page as one file with style and charts; the title of a table is its title."""
    title = page.title
    if page.table:
        title = page.table.caption or "cdec"
    template = _environment().get_template("page.html")
    return template.render(page=page, title=title, style=stylesheet())


def sections_html(page: Page) -> str:
    """Return the sections of a page without its head and style, for a page of several files."""
    return _environment().get_template("sections.html").render(page=page)


def stylesheet() -> str:
    """Return the style of pages."""
    return _text("page.css")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader  # noqa: PLC0415  few results are HTML

    loader = FunctionLoader(_text)
    environment = Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["kind"] = lambda block: type(block).__name__
    return environment


def _text(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")

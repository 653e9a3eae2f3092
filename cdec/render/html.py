"""Page → HTML: without network access, readable on small screens and in print.

The policy of a page names its style, and its script if it has an app, by digest: no other can run.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
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


def framed(page: Page) -> str:
    """Return the page in a frame, for a notebook: its style, script and keys stay inside."""
    return (
        f'<iframe srcdoc="{escape(to_html(page))}" width="100%" height="800" '
        'sandbox="allow-scripts allow-downloads"></iframe>'
    )


def digest_source(text: str) -> str:
    """Return the source in a content security policy that allows this style or script only."""
    digest = sha256(text.encode()).digest()
    return f"'sha256-{b64encode(digest).decode()}'"


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
    environment.filters["source"] = digest_source
    environment.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "separators": (",", ":"),
    }
    return environment


def _text(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")

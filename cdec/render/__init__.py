"""A page in six formats: terminal, Markdown, LaTeX, HTML, CSV, JSON.

``cdec.render.page`` is what a page is made of. Each format has one renderer; none knows a feature.
"""

from collections.abc import Callable

from cdec.errors import UnknownNameError
from cdec.render.data import to_csv, to_json
from cdec.render.html import to_html
from cdec.render.latex import to_latex
from cdec.render.markdown import to_markdown
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.render.terminal import to_text

__all__ = ["FORMATS", "Page", "percent", "render"]

FORMATS: dict[str, Callable[[Page], str]] = {
    "table": to_text,
    "markdown": to_markdown,
    "latex": to_latex,
    "csv": to_csv,
    "json": to_json,
    "html": to_html,
}


def render(page: Page, format: str) -> str:
    """Return ``page`` in ``format`` (a key of FORMATS). Raises UnknownNameError.

    >>> import pandas as pd
    >>> data = pd.DataFrame({"x": [0.5]})
    >>> print(render(Page.from_table(data.map(percent), data), "csv"), end="")
    x
    0.5
    """
    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    return FORMATS[format](page)

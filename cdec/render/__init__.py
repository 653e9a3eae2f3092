"""Render a page in six formats: terminal, Markdown, LaTeX, HTML, CSV, JSON.

``cdec.render.page`` defines the parts of a page. Each format has one renderer; those of CSV and
JSON are in this module. No renderer depends on the content of a page.
"""

import json
from collections.abc import Callable

from cdec.errors import one_of
from cdec.render.html import to_html
from cdec.render.latex import to_latex
from cdec.render.markdown import to_markdown
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.render.terminal import to_text

__all__ = ["FORMATS", "Page", "percent", "render"]


def to_csv(page: Page) -> str:
    """Return the data as CSV, one row a record, not rounded."""
    return page.data.to_csv(index=False, lineterminator="\n")


def to_json(page: Page) -> str:
    """Return the data as records under ``rows``, with the metadata; a missing value is null.

    Raises ValueError for an infinite number, which JSON cannot represent.
    """
    data = page.data
    records = data.astype(object).where(data.notna(), None).to_dict("records")
    content = {**page.about, "rows": records}
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False, default=str) + "\n"


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
    one_of("format", format, FORMATS)
    return FORMATS[format](page)

"""Page → text in each format."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from cdec.errors import UnknownNameError
from cdec.render.page.blocks import Page
from cdec.render.page.html import to_html
from cdec.render.page.latex import to_latex
from cdec.render.page.markdown import to_markdown
from cdec.render.page.terminal import to_text
from cdec.render.raw import csv_text, json_text


def to_csv(page: Page) -> str:
    """Return the tidy data of all sections as one CSV with raw values."""
    return csv_text(_data(page))


def to_json(page: Page) -> str:
    """Return the tidy data as records under ``rows``, and what they are about."""
    return json_text(_data(page), page.about)


def _data(page: Page) -> pd.DataFrame:
    parts = [s.data.assign(section=s.id) for s in page.sections if not s.data.empty]
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"section": []})
    first = [name for name in ("section", "corpus", "split") if name in table]
    return table[[*first, *(column for column in table if column not in first)]]


FORMATS: dict[str, Callable[[Page], str]] = {
    "table": to_text,
    "markdown": to_markdown,
    "latex": to_latex,
    "csv": to_csv,
    "json": to_json,
    "html": to_html,
}


def render(page: Page, format: str) -> str:
    """Return ``page`` in ``format`` (a key of FORMATS). Raises UnknownNameError."""
    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    return FORMATS[format](page)

"""Render a page in six formats: terminal, Markdown, LaTeX, HTML, CSV, JSON.

``cdec.render.page`` defines the parts of a page. Each format has one renderer; those of CSV and
JSON are in this module. No renderer depends on the content of a page.
"""

import json

import numpy as np

from cdec.catalogue import entries, imported
from cdec.errors import one_of
from cdec.render.page import Page, percent

# The beginning of a formula, also after a tab or a line break.
_FORMULA = ("=", "+", "-", "@", "\t", "\n")
__all__ = ["FORMATS", "Page", "percent", "render"]


def to_csv(page: Page) -> str:
    """Return the data as CSV, one row a record, not rounded.

    A string that a spreadsheet would run as a formula is prefixed by an apostrophe (OWASP, *CSV
    Injection*).
    """
    data = page.data.copy()
    for name in data.select_dtypes(exclude="number"):
        data[name] = data[name].map(_plain_text)
    return data.to_csv(index=False, lineterminator="\n")


def _plain_text(value: object) -> object:
    if not isinstance(value, str):
        return value
    # A line feed is quoted, a lone carriage return is not.
    lines = value.replace("\r\n", "\n").replace("\r", "\n")
    if lines.startswith(_FORMULA):
        return f"'{lines}"
    return lines


def to_json(page: Page) -> str:
    """Return the data under ``rows``, one record a line, with the metadata; missing is null.

    Raises ValueError for an infinite number, which JSON cannot represent.
    """
    data = page.data.astype(object).where(page.data.notna(), None)
    # With an indent, Python's encoder is slow: each row is a line.
    encode_row = json.JSONEncoder(
        ensure_ascii=False, allow_nan=False, default=_native
    ).encode
    rows = ",\n".join(f"    {encode_row(row)}" for row in data.to_dict("records"))
    about = json.dumps(
        {**page.about, "rows": []},
        indent=2,
        ensure_ascii=False,
        allow_nan=False,
        default=_native,
    )
    start = about.removesuffix("]\n}")
    if not rows:
        return f"{start}]\n}}\n"
    return f"{start}\n{rows}\n  ]\n}}\n"


def _native(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    return str(value)


FORMATS = entries("page")
ENDINGS = {
    "table": (),
    "markdown": (".md",),
    "latex": (".tex",),
    "csv": (".csv",),
    "json": (".json",),
    "html": (".html",),
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
    rendered: str = imported(FORMATS[format])(page)
    return rendered

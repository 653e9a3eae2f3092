"""Render a page in six formats: terminal, Markdown, LaTeX, HTML, CSV, JSON.

``cdec.render.page`` defines the parts of a page. Each format has one renderer; those of CSV and
JSON are in this module. No renderer depends on the content of a page.
"""

import json
from typing import Any

import numpy as np

from cdec.errors import one_of
from cdec.render.page import Page, percent
from cdec.rooms import imported

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
    return f"'{lines}" if lines.startswith(_FORMULA) else lines


def to_json(page: Page) -> str:
    """Return the data under ``rows``, one record a line, with the metadata; missing is null.

    Raises ValueError for an infinite number, which JSON cannot represent.
    """
    data = page.data.astype(object).where(page.data.notna(), None)
    # With an indent, Python's encoder is slow.
    fast = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_native)
    rows = ",\n".join(f"    {fast.encode(row)}" for row in data.to_dict("records"))
    form: Any = {"ensure_ascii": False, "allow_nan": False, "default": _native}
    about = json.dumps({**page.about, "rows": []}, indent=2, **form).removesuffix("]\n}")
    return f"{about}\n{rows}\n  ]\n}}\n" if rows else f"{about}]\n}}\n"


def _native(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else str(value)


# Each renderer is imported when it is used.
FORMATS = {
    "table": "cdec.render.terminal:to_text",
    "markdown": "cdec.render.markdown:to_markdown",
    "latex": "cdec.render.latex:to_latex",
    "csv": "cdec.render:to_csv",
    "json": "cdec.render:to_json",
    "html": "cdec.render.html:to_html",
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

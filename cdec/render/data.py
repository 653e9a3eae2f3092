"""Page → CSV and JSON: tidy data for machines, raw values, nothing rounded."""

from __future__ import annotations

import json

from cdec.render.page import Page


def to_csv(page: Page) -> str:
    """Return the data as CSV, one row a record."""
    return page.data.to_csv(index=False, lineterminator="\n")


def to_json(page: Page) -> str:
    """Return the data as records under ``rows``, and what they are about; a missing value is null.

    Raises ValueError for an infinite number, which JSON cannot hold.
    """
    data = page.data
    records = data.astype(object).where(data.notna(), None).to_dict("records")
    content = {**page.about, "rows": records}
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False, default=str) + "\n"

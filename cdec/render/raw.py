"""Tidy data for machines: raw values, nothing rounded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd


def csv_text(data: pd.DataFrame) -> str:
    """Return the table as CSV, one row a record."""
    return data.to_csv(index=False, lineterminator="\n")


def json_text(data: pd.DataFrame, about: Mapping[str, Any]) -> str:
    """Return the table as records under ``rows`` beside ``about``; a missing value is null.

    Raises ValueError for an infinite number, which JSON cannot hold.
    """
    records = data.astype(object).where(data.notna(), None).to_dict("records")
    content = {**about, "rows": records}
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False, default=str) + "\n"

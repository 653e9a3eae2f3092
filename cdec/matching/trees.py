"""What a room adds for files with trees (CoNLL-U), found by name.

It matches two such files, places a text that a model changed, knows the rules of alignment that
need heads, and counts words.
"""

from __future__ import annotations

from typing import Any, cast

import pandas as pd

from cdec.catalogue import added, imported
from cdec.errors import UsageError, spelled


def word_counts(key: pd.DataFrame, response: pd.DataFrame) -> pd.DataFrame:
    """Return the counts of words of the mentions of both, tables with the columns SPAN."""
    if "words" not in added("trees"):
        return pd.DataFrame()
    return cast("pd.DataFrame", of_trees("words")(key, response))


def of_trees(name: str) -> Any:
    """Return what the rooms add for trees: matched, placed, aligned or words.

    Raises UsageError if no room adds it.
    """
    text = added("trees").get(name)
    if text is None:
        raise UsageError(
            "argument-invalid",
            "the room cdec.corefud is not installed: mentions match by the same tokens only",
            hint=f"use {spelled('alignment', 'exact')}, or reinstall",
        )
    return imported(text)

"""Mentions that Python values give by their place: ``(doc, start, end)`` or ``doc/start-end``."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from cdec.errors import UsageError
from cdec.formats import Annotation, mention_table
from cdec.formats.records import MAX_TOKEN
from cdec.labels import label_text
from cdec.matching.mention_names import place_of


def has_places(labels: pd.Series[Any], known: pd.Index[str] | frozenset[str]) -> bool:
    """Return whether a mention is given by its place, and not as an id that is ``known``."""
    return any(isinstance(m, tuple) or (m not in known and place_of(str(m))) for m in labels.index)


def from_chains(labels: pd.Series[Any], name: str) -> Annotation:
    """Return chains as an Annotation.

    A mention is ``(doc, start, end)``, ``"doc/start-end"`` or an id; ``labels`` maps it to a chain
    label. Raises UsageError for another tuple.

    >>> from_chains(pd.Series({("d", 3, 4): "x", "d/9-9": "x"}), "mine").mentions["end"].tolist()
    [4, -1]
    """
    docs, starts, ends, ids = (
        zip(*map(_row, labels.index), strict=True) if len(labels) else [()] * 4
    )
    chains = [label_text(label) for label in labels]
    table = mention_table(docs, starts, ends, chains, mention=ids)
    return Annotation(name, "python", table, dict.fromkeys(docs))


def documents_of(mentions: pd.Index[Any]) -> pd.Series[str] | None:
    """Return mention → document if all mentions name theirs, else None.

    A mention names its document as ``(doc, start, end)`` or ``doc/…``.

    >>> documents_of(pd.Index(["d1/a", "d2/b"])).tolist(), documents_of(pd.Index(["a", "d/b"]))
    (['d1', 'd2'], None)
    """
    names = [key[0] if isinstance(key, tuple) else str(key).rpartition("/")[0] for key in mentions]
    return pd.Series(names, index=mentions, dtype=object) if names and all(names) else None


def _row(key: Hashable) -> tuple[str, int, int, str]:
    """Return document, first and last token, and id of a mention."""
    if not isinstance(key, tuple):
        text = str(key)
        return text.rpartition("/")[0], -1, -1, text
    is_place = len(key) == 3 and isinstance(key[0], str) and bool not in map(type, key)
    if not is_place or not all(
        isinstance(n, int | np.integer) and 0 <= n <= MAX_TOKEN for n in key[1:]
    ):
        message = f"expected a mention (doc, start, end), got {key!r:.60}"
        raise UsageError("argument-type", message, hint="count tokens from 0, the end included")
    doc, start, end = key
    if end < start:
        message = f"the mention {key!r:.60} ends before its start"
        raise UsageError("argument-type", message, hint="give the index of the last token as end")
    return str(doc), int(start), int(end), ""

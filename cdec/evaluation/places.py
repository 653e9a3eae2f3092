"""Mentions that Python values give by their place: ``(doc, start, end)`` or ``doc/start-end``."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from cdec.corpus.model import Corpus
from cdec.errors import UsageError
from cdec.formats import Annotation, mention_table
from cdec.labels import label_text

_PLACE = re.compile(r"(.+)/(\d{1,8})-(\d{1,8})", re.DOTALL)


def from_chains(
    corpus: Corpus, labels: pd.Series[Any], name: str, *, ids: bool = False
) -> Annotation | None:
    """Return chains whose mentions are given by tokens as an Annotation.

    If all are given by ids, the result is None, unless ``ids``.

    A mention is ``(doc, start, end)``, ``"doc/start-end"`` or the id of an event mention of
    ``corpus``; ``labels`` maps it to a chain label. Raises UsageError for another tuple.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> doc = next(iter(corpus.documents))
    >>> labels = pd.Series({(doc, 3, 4): "x", f"{doc}/9-9": "x"})
    >>> from_chains(corpus, labels, "mine").mentions[["start", "end"]].to_numpy().tolist()
    [[3, 4], [9, 9]]
    """
    known = corpus.mentions.index
    keys = list(labels.index)
    if not keys or not (ids or any(isinstance(key, tuple) for key in keys)):
        foreign = [key for key in keys if key not in known]
        if not any(_PLACE.fullmatch(str(key)) for key in foreign):
            return None
    rows = [_row(key, key in known) for key in keys]
    docs, starts, ends, names = zip(*rows, strict=True)
    chains = [label_text(label) for label in labels]
    table = mention_table(docs, starts, ends, chains, mention=names)
    return Annotation(name, "python", table, dict.fromkeys(docs))


def documents_of(mentions: pd.Index[Any]) -> pd.Series[str] | None:
    """Return mention → document if all mentions name theirs, else None.

    A mention names its document as ``(doc, start, end)`` or ``doc/…``.

    >>> documents_of(pd.Index(["d1/a", "d2/b"])).tolist(), documents_of(pd.Index(["a", "d/b"]))
    (['d1', 'd2'], None)
    """
    names = [key[0] if isinstance(key, tuple) else str(key).rpartition("/")[0] for key in mentions]
    return pd.Series(names, index=mentions, dtype=object) if names and all(names) else None


def _row(key: Hashable, is_known: bool) -> tuple[str, int, int, str]:
    """Return document, first and last token, and id of a mention."""
    if not isinstance(key, tuple):
        text = str(key)
        match = None if is_known else _PLACE.fullmatch(text)
        if match is None:
            return text.rpartition("/")[0], -1, -1, text
        key = (match[1], int(match[2]), int(match[3]))
    integers = (int, np.integer)
    is_place = len(key) == 3 and isinstance(key[0], str)
    if not is_place or not all(isinstance(n, integers) and n >= 0 for n in key[1:]):
        message = f"expected a mention (doc, start, end), got {key!r:.60}"
        raise UsageError("argument-type", message, hint="count tokens from 0, the end included")
    doc, start, end = key
    if end < start:
        message = f"the mention {key!r:.60} ends before its start"
        raise UsageError("argument-type", message, hint="give the index of the last token as end")
    return str(doc), int(start), int(end), ""

"""A corpus from documents and columns of mentions, which are checked, placed and ordered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import accumulate
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.corpus.model import (
    ATTRIBUTES,
    CORE,
    ENTITY,
    EVENT,
    Corpus,
    Document,
    natural_key,
)
from cdec.files.input import Fail

Values = Sequence[Any]


def corpus_of(
    name: str,
    digest: str,
    documents: Mapping[str, Document],
    columns: Mapping[str, Values],
    fail: Fail,
    *,
    reviewed: Set[tuple[str, int]] = frozenset(),
    **facts: Any,
) -> Corpus:
    """Return the corpus of these documents and mentions; its entities if it has no events.

    ``columns`` has a value for each mention under ``id`` (``"<doc>/<name>"``), ``doc``, ``tokens``
    (ascending tuples), ``chain``, ``kind``, ``state`` and any attributes; None means that the
    mention lacks the attribute; ``reviewed`` has the fully reviewed sentences as (document id,
    sentence number). Raises the error that ``fail`` builds for a mention of an unknown
    document, with a token outside of it, of an unknown kind, or with a duplicate id.
    """
    ordered = dict(sorted(documents.items(), key=lambda item: text_order(item[1])))
    rank = {id_: place for place, id_ in enumerate(ordered)}
    at = np.fromiter((rank.get(id_, -1) for id_ in columns["doc"]), np.int64, len(columns["doc"]))
    listed = list(ordered.values())
    _check(columns, at, listed, fail)
    table = _table(columns, at, listed)
    if reviewed:
        sentences = zip(table["doc"], table["sentence"], strict=True)
        table["reviewed"] = [sentence in reviewed for sentence in sentences]
    corpus = Corpus(name, digest, ordered, table, reviewed=frozenset(reviewed), **facts)
    return corpus.select(ENTITY) if corpus.kinds == (ENTITY,) else corpus


def text_order(document: Document) -> tuple[object, ...]:
    """Return the sort key of a document: topic, sub-topic, id."""
    return natural_key(document.topic), document.subtopic, natural_key(document.id)


def column(values: Values, index: pd.Index[str]) -> pd.Series[Any]:
    """Return a column of these values; with None or mixed types they stay as they are.

    pandas would turn the integers of a column with None into floats.
    """
    types = set(map(type, values))
    if len(types) == 1 and types <= {str, int, float, bool}:
        return pd.Series(values, index=index)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return pd.Series(array, index=index, dtype=object)


def _check(columns: Mapping[str, Values], at: Ints, documents: list[Document], fail: Fail) -> None:
    for row in np.flatnonzero(at < 0)[:1].tolist():
        message = f"document '{columns['doc'][row]}' of the mention is not in the corpus"
        raise fail("corpus-record-invalid", row, message, "add the document, or correct its id")
    tokens = columns["tokens"]
    sizes = np.array([sum(map(len, document.sentences)) for document in documents], np.int64)
    first = np.fromiter((numbers[0] if numbers else -1 for numbers in tokens), np.int64, len(at))
    last = np.fromiter((numbers[-1] if numbers else -1 for numbers in tokens), np.int64, len(at))
    for row in np.flatnonzero((first < 0) | (last >= sizes[at]))[:1].tolist():
        message = f"tokens {list(tokens[row])} are not in document '{columns['doc'][row]}'"
        hint = f"number its {sizes[at[row]]} tokens from 0"
        raise fail("corpus-record-invalid", row, message, hint)
    if set(columns["kind"]) - {EVENT, ENTITY}:
        row = next(k for k, kind in enumerate(columns["kind"]) if kind not in (EVENT, ENTITY))
        message, hint = f"the kind is '{columns['kind'][row]}'", f"use {EVENT} or {ENTITY}"
        raise fail("corpus-record-invalid", row, message, hint)
    ids = pd.Index(columns["id"], dtype=object)
    for row in np.flatnonzero(ids.duplicated())[:1].tolist():
        message = f"duplicate mention id '{ids[row]}' ({ids.duplicated().sum():,} in all)"
        hint = "give each mention of a document a unique id"
        raise fail("corpus-record-invalid", row, message, hint)


def _table(columns: Mapping[str, Values], at: Ints, documents: list[Document]) -> pd.DataFrame:
    """Return the mention table in text order."""
    order = _order(columns, at)
    rows, at = order.tolist(), at[order]
    values: dict[str, Values] = {
        name: [column_[row] for row in rows] for name, column_ in columns.items()
    }
    index = pd.Index(values.pop("id"), name="mention", dtype=str)
    tokens = values["tokens"]
    start = np.fromiter((numbers[0] for numbers in tokens), np.int64, len(rows))
    values |= {
        "topic": [documents[k].topic for k in at.tolist()],
        "subtopic": [documents[k].subtopic for k in at.tolist()],
        "sentence": _sentences(start, at, documents).tolist(),
        "start": start.tolist(),
        "end": [numbers[-1] for numbers in tokens],
        "text": _texts(tokens, at, documents),
    }
    for name, default in ATTRIBUTES.items():
        given = values.get(name)
        values[name] = (
            [default] * len(rows)
            if given is None
            else [default if value is None else value for value in given]
        )
    others = [name for name in values if name not in CORE and name not in ATTRIBUTES]
    names = [*CORE, *ATTRIBUTES, *others]
    return pd.DataFrame({name: column(values[name], index) for name in names}, index)


def _order(columns: Mapping[str, Values], at: Ints) -> Ints:
    """Return the rows by document, first token, last token and, where these are equal, id."""
    size = len(at)
    start = np.fromiter((numbers[0] for numbers in columns["tokens"]), np.int64, size)
    end = np.fromiter((numbers[-1] for numbers in columns["tokens"]), np.int64, size)
    order: Ints = np.lexsort((end, start, at))
    keys = np.stack([at, start, end])[:, order]
    same = (keys[:, 1:] == keys[:, :-1]).all(axis=0)
    # Natural order is slow: only runs of mentions with the same span are sorted by it.
    first = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(np.int8)))
    for begin, stop in first.reshape(-1, 2).tolist():
        run = order[begin : stop + 1].tolist()
        order[begin : stop + 1] = sorted(run, key=lambda row: natural_key(columns["id"][row]))
    return order


def _sentences(start: Ints, at: Ints, documents: list[Document]) -> Ints:
    """Return the number of the sentence of each first token."""
    lengths = [len(sentence) for document in documents for sentence in document.sentences]
    starts = np.array([0, *accumulate(lengths)], np.int64)[:-1]
    first = np.array([0, *accumulate(len(d.sentences) for d in documents)], np.int64)[:-1]
    sizes = np.array([sum(map(len, document.sentences)) for document in documents], np.int64)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])[:-1]
    found: Ints = np.searchsorted(starts, offsets[at] + start, side="right") - 1 - first[at]
    return found


def _texts(tokens: Values, at: Ints, documents: list[Document]) -> list[str]:
    """Return the text of each mention; the mentions of a document are adjacent."""
    texts, current, words = [], -1, []
    for place, numbers in zip(at.tolist(), tokens, strict=True):
        if place != current:
            current = place
            words = [word for sentence in documents[place].sentences for word in sentence]
        texts.append(" ".join([words[number] for number in numbers]))
    return texts

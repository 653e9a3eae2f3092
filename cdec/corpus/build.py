"""A corpus from documents and mentions, which are checked, placed and put in text order.

``build`` is the one door: readers of files, the interchange format, and tables in memory use it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.corpus.model import (
    ANNOTATED,
    ATTRIBUTES,
    CORE,
    ENTITY,
    EVENT,
    Corpus,
    Document,
    natural_key,
)
from cdec.errors import CorpusError
from cdec.files.input import Fail

Mentions = pd.DataFrame | Iterable[Mapping[str, Any]] | Mapping[str, Sequence[Any]]


def build(
    documents: Iterable[Document],
    mentions: Mentions,
    *,
    name: str = "",
    digest: str = "",
    fail: Fail | None = None,
    reviewed: Set[tuple[str, int]] = frozenset(),
    **facts: Any,
) -> Corpus:
    """Return the corpus of these documents and mentions; its entities if it has no events.

    ``mentions`` is a table, a list of dicts or a dict of columns: ``id`` (``"<doc>/<name>"`` or the
    name alone, unique in the document), ``doc``, ``tokens`` (indices in the document, from 0) or
    ``start`` and ``end`` (inclusive), and optionally ``chain`` (by default one of its own),
    ``kind`` (event), ``state`` and any attributes; None means that the mention lacks the attribute.
    ``reviewed`` has the fully reviewed sentences as (document id, sentence number); ``facts`` are
    further fields of ``Corpus``. Raises CorpusError (or what ``fail`` builds for a row) for a
    duplicate document or mention, and for a mention of an unknown document, without tokens or with
    a token outside of the document, or of an unknown kind.

    >>> corpus = build([Document("a", "1", "1x", (("A", "fire"),))], [{"doc": "a", "tokens": [1]}])
    >>> corpus.mentions[["text", "chain", "kind"]].to_dict("index")
    {'a/1': {'text': 'fire', 'chain': 'a/1', 'kind': 'event'}}
    """
    ordered: dict[str, Document] = {}
    for document in sorted(documents, key=text_order):
        if ordered.setdefault(document.id, document) is not document:
            message, hint = f"duplicate document '{document.id}'", "keep one of them"
            raise CorpusError("corpus-invalid", message, place=document.id, hint=hint)
    columns = _columns(mentions)
    listed = list(ordered.values())
    rank = {id_: place for place, id_ in enumerate(ordered)}
    at = np.fromiter((rank.get(id_, -1) for id_ in columns["doc"]), np.int64, len(columns["doc"]))

    def refuse(code: str, row: int, message: str, hint: str) -> CorpusError:
        return CorpusError(code, message, place=columns["id"][row], hint=hint)

    _check(columns, at, listed, fail or refuse)
    table = _table(columns, at, listed)
    if reviewed:
        sentences = zip(table["doc"], table["sentence"], strict=True)
        table["reviewed"] = [sentence in reviewed for sentence in sentences]
    corpus = Corpus(name, digest, ordered, table, reviewed=frozenset(reviewed), **facts)
    return corpus.select(ENTITY) if corpus.kinds == (ENTITY,) else corpus


def text_order(document: Document) -> tuple[object, ...]:
    """Return the sort key of a document: topic, sub-topic, id."""
    return natural_key(document.topic), document.subtopic, natural_key(document.id)


def column(values: Sequence[Any], index: pd.Index[str]) -> pd.Series[Any]:
    """Return a column of these values; with None or mixed types they stay as they are.

    pandas would turn the integers of a column with None into floats.
    """
    types = set(map(type, values))
    if len(types) == 1 and types <= {str, int, float, bool}:
        return pd.Series(values, index=index)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return pd.Series(array, index=index, dtype=object)


def _columns(mentions: Mentions) -> dict[str, list[Any]]:
    """Return the columns of the mentions, with the ones that may be missing."""
    columns: dict[str, list[Any]]
    if isinstance(mentions, Mapping):
        columns = {str(name): list(values) for name, values in mentions.items()}
    elif isinstance(mentions, pd.DataFrame):
        columns = {str(name): mentions[name].tolist() for name in mentions}
    else:
        rows = list(mentions)
        fields = dict.fromkeys(name for row in rows for name in row)
        columns = {name: [row.get(name) for row in rows] for name in fields}
    size = max(map(len, columns.values()), default=0)
    columns.setdefault("doc", [None] * size)
    if "tokens" not in columns:
        ends = zip(columns.pop("start", [0] * size), columns.pop("end", [-1] * size), strict=True)
        columns["tokens"] = [range(int(start), int(end) + 1) for start, end in ends]
    columns["tokens"] = [
        tokens if type(tokens) is tuple else tuple(sorted(set(tokens or ())))
        for tokens in columns["tokens"]
    ]
    counts: Counter[str] = Counter()
    names = columns.get("id", [None] * size)
    for row, (doc, name) in enumerate(zip(columns["doc"], names, strict=True)):
        counts[doc] += 1
        if name is None or not str(name).startswith(f"{doc}/"):
            names[row] = f"{doc}/{counts[doc] if name is None else name}"
    chains = columns.get("chain", names)
    chains = [name if chain is None else chain for chain, name in zip(chains, names, strict=True)]
    kinds, states = (
        [default if value is None else value for value in columns.get(field, [None] * size)]
        for field, default in (("kind", EVENT), ("state", ANNOTATED))
    )
    own = {"id": names, "doc": columns["doc"], "tokens": columns["tokens"], "chain": chains}
    return {**own, "kind": kinds, "state": states} | {
        name: values for name, values in columns.items() if name not in (*CORE, "id")
    }


def _check(
    columns: Mapping[str, list[Any]], at: Ints, documents: list[Document], fail: Fail
) -> None:
    for row in np.flatnonzero(at < 0)[:1].tolist():
        message = f"document '{columns['doc'][row]}' of the mention is not in the corpus"
        raise fail("corpus-invalid", row, message, "add the document, or correct its id")
    tokens, size = columns["tokens"], len(at)
    sizes = np.array([sum(map(len, document.sentences)) for document in documents], np.int64)
    first = np.fromiter((numbers[0] if numbers else -1 for numbers in tokens), np.int64, size)
    last = np.fromiter((numbers[-1] if numbers else -1 for numbers in tokens), np.int64, size)
    for row in np.flatnonzero((first < 0) | (last >= sizes[at]))[:1].tolist():
        message = f"tokens {list(tokens[row])} are not in document '{columns['doc'][row]}'"
        hint = f"number its {sizes[at[row]]} tokens from 0"
        raise fail("corpus-invalid", row, message, hint)
    if set(columns["kind"]).difference((EVENT, ENTITY)):
        row = next(k for k, kind in enumerate(columns["kind"]) if kind not in (EVENT, ENTITY))
        message, hint = f"the kind is '{columns['kind'][row]}'", f"use {EVENT} or {ENTITY}"
        raise fail("corpus-invalid", row, message, hint)
    ids = pd.Index(columns["id"], dtype=object)
    for row in np.flatnonzero(ids.duplicated())[:1].tolist():
        message = f"duplicate mention id '{ids[row]}' ({ids.duplicated().sum():,} in all)"
        hint = "give each mention of a document a unique id"
        raise fail("corpus-invalid", row, message, hint)


def _table(columns: Mapping[str, list[Any]], at: Ints, documents: list[Document]) -> pd.DataFrame:
    """Return the mention table in text order."""
    tokens, size = columns["tokens"], len(at)
    start = np.fromiter((numbers[0] for numbers in tokens), np.int64, size)
    end = np.fromiter((numbers[-1] for numbers in tokens), np.int64, size)
    order = _order(columns["id"], at, start, end)
    rows, at, start = order.tolist(), at[order], start[order]
    values = {name: [column_[row] for row in rows] for name, column_ in columns.items()}
    index = pd.Index(values.pop("id"), name="mention", dtype=str)
    values |= {
        "topic": [documents[k].topic for k in at.tolist()],
        "subtopic": [documents[k].subtopic for k in at.tolist()],
        "sentence": _sentences(start, at, documents),
        "start": start.tolist(),
        "end": end[order].tolist(),
        "text": list(_texts(at.tolist(), values["tokens"], documents)),
    }
    for name, default in ATTRIBUTES.items():
        given = values.get(name, [None] * size)
        values[name] = [default if value is None else value for value in given]
    others = [name for name in values if name not in CORE and name not in ATTRIBUTES]
    names = [*CORE, *ATTRIBUTES, *others]
    return pd.DataFrame({name: column(values[name], index) for name in names}, index)


def _texts(
    at: Iterable[int], tokens: Iterable[tuple[int, ...]], documents: list[Document]
) -> Iterator[str]:
    """Yield the text of each mention; the mentions of a document are adjacent."""
    for place, mentions in groupby(zip(at, tokens, strict=True), itemgetter(0)):
        words = [word for sentence in documents[place].sentences for word in sentence]
        for _, numbers in mentions:
            yield " ".join([words[number] for number in numbers])


def _order(ids: Sequence[str], at: Ints, start: Ints, end: Ints) -> Ints:
    """Return the rows by document, first token, last token and, where these are equal, id."""
    order: Ints = np.lexsort((end, start, at))
    keys = np.stack([at, start, end])[:, order]
    same = (keys[:, 1:] == keys[:, :-1]).all(axis=0)
    # Natural order is slow: only runs of mentions with the same span are sorted by it.
    first = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(np.int8)))
    for begin, stop in first.reshape(-1, 2).tolist():
        run = order[begin : stop + 1].tolist()
        order[begin : stop + 1] = sorted(run, key=lambda row: natural_key(ids[row]))
    return order


def _sentences(start: Ints, at: Ints, documents: list[Document]) -> list[int]:
    """Return the number of the sentence of each first token."""
    sentences = [len(document.sentences) for document in documents]
    lengths = [len(sentence) for document in documents for sentence in document.sentences]
    starts, first = np.cumsum([0, *lengths]), np.cumsum([0, *sentences])[at]
    found = np.searchsorted(starts[:-1], starts[first] + start, side="right") - 1 - first
    return [int(number) for number in found]

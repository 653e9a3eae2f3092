"""A corpus from documents and mentions, which are checked, placed and put in text order.

``build`` is the one door: readers of files, the interchange format, and tables in memory use it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from sys import intern
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd

from cdec.corpus.model import (
    ANNOTATED,
    ATTRIBUTES,
    CORE,
    ENTITY,
    EVENT,
    LEVELS,
    Corpus,
    Document,
    natural_key,
)
from cdec.errors import CorpusError
from cdec.files.input import Fail

Mentions = pd.DataFrame | Iterable[Mapping[str, Any]] | Mapping[str, Sequence[Any]]
Columns = dict[str, list[Any]]
_PLACED = {*CORE} - {"doc", "tokens", "kind", "chain", "state"}  # columns that follow from others
_PLAIN = {str, int, float, bool, tuple, type(None)}


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
    ``kind`` (event), ``state`` and any attributes: strings, numbers, or lists of these. None means
    that the mention lacks the attribute. ``reviewed`` has the fully reviewed sentences as (document
    id, sentence number); ``facts`` are further fields of ``Corpus``, as ``levels``, ``variants``
    and ``linked_within``, which has no effect on a corpus without this level. Raises CorpusError
    (or what ``fail`` builds for a row) for a duplicate document or mention, for a mention of an
    unknown document, without tokens or with a token outside of the document, and for another kind
    of value.

    >>> corpus = build([Document("a", "1", "1x", (("A", "fire"),))], [{"doc": "a", "tokens": [1]}])
    >>> corpus.mentions[["text", "chain", "kind"]].to_dict("index")
    {'a/1': {'text': 'fire', 'chain': 'a/1', 'kind': 'event'}}
    """

    def place(document: Document) -> tuple[object, ...]:
        return natural_key(document.topic), document.subtopic, natural_key(document.id)

    ordered: dict[str, Document] = {}
    for document in sorted(documents, key=place):
        if ordered.setdefault(document.id, document) is not document:
            message, hint = f"duplicate document '{document.id}'", "keep one of them"
            raise CorpusError("corpus-invalid", message, place=document.id, hint=hint)
    columns = _columns(mentions)

    def refuse(code: str, row: int, message: str, hint: str) -> CorpusError:
        return CorpusError(code, message, place=columns["id"][row], hint=hint)

    _check(columns, ordered, fail or refuse)
    table = _table(columns, ordered)
    if reviewed:
        sentences = zip(table["doc"], table["sentence"], strict=True)
        table["reviewed"] = [sentence in reviewed for sentence in sentences]
    facts.setdefault("variant", next(iter(facts.get("variants", ())), ""))
    if facts.get("linked_within") not in facts.get("levels", LEVELS):
        facts["linked_within"] = ""
    corpus = Corpus(name, digest, ordered, table, reviewed=frozenset(reviewed), **facts)
    return corpus.select(ENTITY) if corpus.kinds == (ENTITY,) else corpus


def column(values: Sequence[Any], index: pd.Index[str]) -> pd.Series[Any]:
    """Return a column of these values; with None or mixed types they stay as they are.

    pandas would turn the integers of a column with None into floats.
    """
    types = set(map(type, values))
    is_plain = len(types) == 1 and types <= {str, int, float, bool}
    return pd.Series(values, index=index, dtype=None if is_plain else object)


def _columns(mentions: Mentions) -> Columns:
    """Return the columns of the mentions, with the ones that may be missing; None is missing."""
    given = mentions if isinstance(mentions, Mapping | pd.DataFrame) else list(mentions)
    table = pd.DataFrame(given, dtype=object)
    table = table.where(table.notna(), None)
    columns: Columns = {
        str(name): [*values] if {*map(type, values)} <= _PLAIN else [*map(plain, values)]
        for name, values in table.items()
    }
    places = ("doc", "id", "chain", "tokens", "start", "end")
    defaults = {**dict.fromkeys(places), "kind": EVENT, "state": ANNOTATED, **ATTRIBUTES}
    for name, default in defaults.items():
        values = columns.get(name, [None] * len(table))
        columns[name] = [default if value is None else value for value in values]
    counts = Counter[str]()
    for row, (doc, own) in enumerate(zip(columns["doc"], columns["id"], strict=True)):
        counts[str(doc)] += 1
        id_ = str(counts[str(doc)] if own is None else own)
        columns["id"][row] = id_ if not id_.strip() or id_.startswith(f"{doc}/") else f"{doc}/{id_}"
    ids, ends = columns["id"], zip(columns.pop("start"), columns.pop("end"), strict=True)
    columns["chain"] = [i if c is None else c for i, c in zip(ids, columns["chain"], strict=True)]
    columns["tokens"] = [
        (tuple(tokens) if np.iterable(tokens) else ())
        if tokens is not None or not type(start) is type(end) is int
        else range(start, end + 1)
        for tokens, (start, end) in zip(columns["tokens"], ends, strict=True)
    ]
    return {name: values for name, values in columns.items() if name not in _PLACED}


def plain(value: Any) -> Any:
    """Return a value of Python for one of numpy."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return list(map(plain, value)) if type(value) is list else value


def _check(columns: Columns, documents: Mapping[str, Document], fail: Fail) -> None:
    """Raise what ``fail`` builds for the first value of a column that is not valid."""
    # Late: two files are scored without it.
    from pydantic import FailFast, Field, TypeAdapter, ValidationError  # noqa: PLC0415

    from cdec.files.models import Filled  # noqa: PLC0415

    # A value of an attribute, or one in a list of these.
    own: Any = str | bool | int | Annotated[float, Field(allow_inf_nan=False)] | None
    types: dict[str, Any] = {
        **dict.fromkeys((name for name, value in ATTRIBUTES.items() if value == ""), str),
        **dict.fromkeys(("id", "chain", "state"), Filled),
        "doc": str,
        "kind": Literal["event", "entity"],
        "head": Annotated[int, Field(ge=0)] | None,
    }
    for name in filter(lambda name: name != "tokens", columns):
        value_type: Any = types.get(name, own | list[own])
        column_type: Any = Annotated[list[value_type], FailFast()]
        try:
            TypeAdapter[Any](column_type).validate_python(columns[name], strict=True)
        except ValidationError as problem:
            first = problem.errors(include_url=False)[0]
            row, wanted = int(first["loc"][0]), first["msg"].removeprefix("Input ")
            message = f"'{name}' is {columns[name][row]!r:.40}, but {wanted}"
            raise fail("corpus-invalid", row, message, "correct or remove it") from None
    twice = pd.Series(columns["id"], dtype=object).duplicated().to_numpy()
    sizes = {id_: sum(map(len, document.sentences)) for id_, document in documents.items()}
    for row, (doc, tokens) in enumerate(zip(columns["doc"], columns["tokens"], strict=True)):
        if doc not in sizes:
            message, hint = f"the corpus has no document {doc!r:.40}", "add it, or correct the name"
            raise fail("corpus-invalid", row, message, hint)
        ends = tokens if isinstance(tokens, tuple) else (tokens[0], tokens[-1]) if tokens else ()
        whole = all(type(token) is int for token in ends)
        if not ends or not whole or min(ends) < 0 or max(ends) >= sizes[doc]:
            message = f"tokens {tokens!r:.60} are not in document '{doc}'"
            raise fail("corpus-invalid", row, message, f"number its {sizes[doc]:,} tokens from 0")
        if isinstance(tokens, tuple) and len({*tokens}) < len(tokens):
            message, hint = f"tokens {tokens!r:.60} have a duplicate", "name each token once"
            raise fail("corpus-invalid", row, message, hint)
        if twice[row]:
            message = f"duplicate mention id '{columns['id'][row]}' ({twice.sum():,} in all)"
            hint = "give each mention of a document a unique id"
            raise fail("corpus-invalid", row, message, hint)


def _table(columns: Columns, documents: Mapping[str, Document]) -> pd.DataFrame:
    """Return the mention table in text order."""
    rank = {id_: place for place, id_ in enumerate(documents)}
    homes = [documents[doc] for doc in columns["doc"]]
    tokens = [tuple(sorted(tokens)) for tokens in columns["tokens"]]
    columns |= {
        "tokens": tokens,
        "topic": [home.topic for home in homes],
        "subtopic": [home.subtopic for home in homes],
        "start": [at[0] for at in tokens],
        "end": [at[-1] for at in tokens],
    }
    placed = list(zip(homes, tokens, strict=True))
    columns["sentence"] = [bisect_right(home.sentence_starts, at[0]) - 1 for home, at in placed]
    columns["text"] = [" ".join([home.tokens[token] for token in at]) for home, at in placed]
    for name in ("doc", "chain", "kind", "state", "tag"):
        columns[name] = list(map(intern, columns[name]))
    spans = list(zip(columns["doc"], columns["start"], columns["end"], strict=True))
    times = Counter(spans)  # ids order what has the same span
    order = [
        (rank[span[0]], *span[1:], natural_key(id_) if times[span] > 1 else ())
        for span, id_ in zip(spans, columns["id"], strict=True)
    ]
    rows = sorted(range(len(order)), key=order.__getitem__)
    columns = {name: [values[row] for row in rows] for name, values in columns.items()}
    index = pd.Index(columns.pop("id"), name="mention", dtype=str)
    names = dict.fromkeys([*CORE, *ATTRIBUTES, *columns])
    return pd.DataFrame({name: column(columns[name], index) for name in names}, index)

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

from cdec.arrays import AnySeries, StrIndex
from cdec.corpus.model import (
    ANNOTATED,
    ATTRIBUTES,
    CORE,
    ENTITY,
    EVENT,
    LEVELS,
    Corpus,
    Document,
    Documents,
    natural_key,
)
from cdec.errors import CorpusError
from cdec.files.input import Fail
from cdec.records import Fields, Row

Mentions = pd.DataFrame | Iterable[Fields] | Mapping[str, Sequence[Any]]
Columns = dict[str, list[Any]]
_PLACED = {*CORE} - {
    "doc",
    "tokens",
    "kind",
    "chain",
    "state",
}  # columns that follow from others


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
    id, sentence number); ``facts`` are further fields of ``Corpus``, as ``variants``, ``levels``
    (by default those that the documents have) and ``linked_within``, which has no effect on a
    corpus without this level. Raises CorpusError
    (or what ``fail`` builds for a row) for a duplicate document or mention, for a mention of an
    unknown document, without tokens or with a token outside of the document, and for another kind
    of value.

    >>> corpus = build([Document("a", "1", "1x", (("A", "fire"),))], [{"doc": "a", "tokens": [1]}])
    >>> corpus.mentions[["text", "chain", "kind"]].to_dict("index")
    {'a/1': {'text': 'fire', 'chain': 'a/1', 'kind': 'event'}}
    """

    def order(document: Document) -> tuple[object, ...]:
        return natural_key(document.topic), document.subtopic, natural_key(document.id)

    ordered = {}
    for document in sorted(documents, key=order):
        if document.id in ordered:
            raise CorpusError(
                "corpus-invalid",
                f"duplicate document '{document.id}'",
                place=document.id,
                hint="keep one of them",
            )
        ordered[document.id] = document
    columns = _columns(mentions)

    def refuse(code: str, row: int, message: str, hint: str) -> CorpusError:
        return CorpusError(code, message, place=columns["id"][row], hint=hint)

    _check_values(columns, fail or refuse)
    _check_places(columns, ordered, fail or refuse)
    table = _table(columns, ordered)
    if reviewed:
        sentences = zip(table["doc"], table["sentence"], strict=True)
        table["reviewed"] = [sentence in reviewed for sentence in sentences]
    facts.setdefault("variant", next(iter(facts.get("variants", ())), ""))
    if facts.get("levels") is None:
        facts["levels"] = {
            level: name
            for level, name in LEVELS.items()
            if any(getattr(document, level) for document in ordered.values())
        }
    if facts.get("linked_within") not in facts["levels"]:
        facts["linked_within"] = ""
    corpus = Corpus(name, digest, ordered, table, reviewed=frozenset(reviewed), **facts)
    return corpus.select(ENTITY) if corpus.kinds == (ENTITY,) else corpus


def column(values: Sequence[Any], index: StrIndex) -> AnySeries:
    """Return a column of these values; with None or mixed types they stay as they are.

    pandas would turn the integers of a column with None into floats.
    """
    types = set(map(type, values))
    is_plain = len(types) == 1 and types <= {str, int, float, bool}
    return pd.Series(values, index=index, dtype=None if is_plain else object)


def _columns(mentions: Mentions) -> Columns:
    """Return the columns of the mentions, with the ones that may be missing; None is missing."""
    rows = mentions if isinstance(mentions, Mapping | pd.DataFrame) else list(mentions)
    table = pd.DataFrame(rows, dtype=object)
    table = table.where(table.notna(), None)
    columns: Columns = {str(name): list(map(plain, table[name])) for name in table}
    missing = [None] * len(table)
    defaults = dict.fromkeys(("doc", "id", "chain", "tokens", "start", "end"))
    defaults |= {"kind": EVENT, "state": ANNOTATED, **ATTRIBUTES}
    for name, default in defaults.items():
        values = columns.get(name, missing)
        columns[name] = [default if value is None else value for value in values]
    columns["id"] = _ids(columns["doc"], columns["id"])
    columns["chain"] = [
        id_ if chain is None else chain
        for id_, chain in zip(columns["id"], columns["chain"], strict=True)
    ]
    columns["tokens"] = list(
        map(_tokens, columns["tokens"], columns["start"], columns["end"])
    )
    return {name: values for name, values in columns.items() if name not in _PLACED}


def _ids(docs: Sequence[object], names: Sequence[object]) -> list[str]:
    """Return the ids of mentions with these names; None is the number in the document."""
    counts = Counter[str]()
    ids = []
    for doc, name in zip(docs, names, strict=True):
        counts[str(doc)] += 1
        id_ = str(counts[str(doc)] if name is None else name)
        if id_.strip() and not id_.startswith(f"{doc}/"):
            id_ = f"{doc}/{id_}"
        ids.append(id_)
    return ids


def _tokens(tokens: Any, start: Any, end: Any) -> Sequence[Any]:
    if tokens is None and type(start) is type(end) is int:
        return range(start, end + 1)
    return tuple(tokens) if np.iterable(tokens) else ()


def plain(value: Any) -> Any:
    """Return a value of Python for one of numpy."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return list(map(plain, value)) if type(value) is list else value


def _check_values(columns: Columns, fail: Fail) -> None:
    """Raise what ``fail`` builds for the first value of a column that is not valid."""
    # Late: two files are scored without it.
    from pydantic import FailFast, Field, TypeAdapter, ValidationError  # noqa: PLC0415

    from cdec.files.models import Filled  # noqa: PLC0415

    # A value of an attribute, or one in a list of these.
    simple: Any = str | bool | int | Annotated[float, Field(allow_inf_nan=False)] | None
    types: Row = {
        **dict.fromkeys(("doc", "tag", "relation", "descriptor"), str),
        **dict.fromkeys(("id", "chain", "state"), Filled),
        "kind": Literal["event", "entity"],
        "head": Annotated[int, Field(ge=0)] | None,
    }
    for name, values in columns.items():
        if name == "tokens":
            continue
        value_type: Any = types.get(name, simple | list[simple])
        column_type: Any = Annotated[list[value_type], FailFast()]
        try:
            TypeAdapter[Any](column_type).validate_python(values, strict=True)
        except ValidationError as problem:
            first = problem.errors(include_url=False)[0]
            row = int(first["loc"][0])
            expected = first["msg"].removeprefix("Input ")
            raise fail(
                "corpus-invalid",
                row,
                f"'{name}' is {values[row]!r:.40}, but {expected}",
                "correct or remove it",
            ) from None


def _check_places(columns: Columns, documents: Documents, fail: Fail) -> None:
    """Raise what ``fail`` builds for the first mention that is not in its document, or repeated."""
    is_duplicate = pd.Series(columns["id"], dtype=object).duplicated().to_numpy()
    sizes = {
        id_: sum(map(len, document.sentences)) for id_, document in documents.items()
    }
    for row, (doc, tokens) in enumerate(
        zip(columns["doc"], columns["tokens"], strict=True)
    ):
        if doc not in sizes:
            raise fail(
                "corpus-invalid",
                row,
                f"the corpus has no document {doc!r:.40}",
                "add it, or correct the name",
            )
        # A range may be very long.
        ends = (*tokens[:1], *tokens[-1:]) if isinstance(tokens, range) else tokens
        if not ends or not all(
            type(token) is int and 0 <= token < sizes[doc] for token in ends
        ):
            raise fail(
                "corpus-invalid",
                row,
                f"tokens {tokens!r:.60} are not in document '{doc}'",
                f"number its {sizes[doc]:,} tokens from 0",
            )
        if len({*tokens}) < len(tokens):
            raise fail(
                "corpus-invalid",
                row,
                f"tokens {tokens!r:.60} have a duplicate",
                "name each token once",
            )
        if is_duplicate[row]:
            count = is_duplicate.sum()
            raise fail(
                "corpus-invalid",
                row,
                f"duplicate mention id '{columns['id'][row]}' ({count:,} in all)",
                "give each mention of a document a unique id",
            )


def _table(columns: Columns, documents: Documents) -> pd.DataFrame:
    """Return the mention table in text order."""
    homes = [documents[doc] for doc in columns["doc"]]
    tokens = [tuple(sorted(tokens)) for tokens in columns["tokens"]]
    columns["tokens"] = tokens
    columns["topic"] = [document.topic for document in homes]
    columns["subtopic"] = [document.subtopic for document in homes]
    columns["start"] = [numbers[0] for numbers in tokens]
    columns["end"] = [numbers[-1] for numbers in tokens]
    columns["sentence"] = [
        bisect_right(document.sentence_starts, start) - 1
        for document, start in zip(homes, columns["start"], strict=True)
    ]
    columns["text"] = [
        " ".join([document.tokens[number] for number in numbers])
        for document, numbers in zip(homes, tokens, strict=True)
    ]
    for name in ("doc", "chain", "kind", "state", "tag"):
        columns[name] = list(map(intern, columns[name]))
    index = pd.Index(columns.pop("id"), name="mention", dtype=str)
    names = dict.fromkeys([*CORE, *ATTRIBUTES, *columns])
    table = pd.DataFrame({name: column(columns[name], index) for name in names}, index)
    return table.iloc[_text_order(table, list(documents))]


def _text_order(table: pd.DataFrame, documents: Sequence[str]) -> list[int]:
    """Return the rows in the order of their places; ids order mentions of the same span."""
    rank = {id_: number for number, id_ in enumerate(documents)}
    docs = table["doc"].map(rank).tolist()
    spans = list(zip(docs, table["start"], table["end"], strict=True))
    counts = Counter(spans)
    keys = [
        (span, natural_key(id_) if counts[span] > 1 else ())
        for span, id_ in zip(spans, table.index, strict=True)
    ]
    return sorted(range(len(keys)), key=keys.__getitem__)

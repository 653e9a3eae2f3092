"""A corpus from tables or records in memory, or from texts and mentions in files.

They become the records of the interchange format, so that all have the same fields and checks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from cdec.clustering import is_no_chain
from cdec.corpus.interchange import VERSION, DocumentRecord, MentionRecord, of_records
from cdec.corpus.model import LEVELS, Corpus, Variants
from cdec.corpus.readers.texts import TextDocument, text_document, with_tokens
from cdec.errors import CorpusError, Notice, warn_of
from cdec.files.input import FileKind, collection_paused
from cdec.files.models import shown

Table = pd.DataFrame | Mapping[str, Any] | Sequence[Mapping[str, Any]]
Row = dict[str, Any]
_HINT = "see help(cdec.build_corpus) or docs/your-own-articles.md"
_KIND = FileKind("a corpus", CorpusError, "corpus-invalid", _HINT)
_NAMES = ("id", "doc", "chain", *LEVELS)  # fields that are text


def _place(number: int) -> str:
    if not number:
        return "the corpus"
    return f"mentions, row {number}" if number > 0 else f"documents, row {-number}"


def corpus_from(
    mentions: Table,
    documents: Table | None = None,
    *,
    name: str,
    levels: Mapping[str, str] | None = None,
    variants: Variants | None = None,
    texts: Mapping[str, TextDocument] | None = None,
    place: Callable[[int], str] = _place,
) -> Corpus:
    """Return the corpus of these mentions and documents; see ``cdec.build_corpus``.

    ``texts`` are documents that are known as ``TextDocument``. ``place`` returns the place of a
    mention by its row from 1, that of a document by −row.
    """
    with collection_paused():
        rows = list(_mentions(mentions, place))
        warn_of(_chain_notices(rows, place))
        plain = dict(texts or {})
        given = [] if documents is None else list(_documents(documents, plain))
        known = {str(document.get("id")): document for document in given}
        if documents is None or plain:
            for number, row in enumerate(rows, start=1):
                _add_levels(known, row, place(number), infer=documents is None)
        if plain:
            rows, notices = with_tokens(rows, plain, place)
            warn_of(notices)
        about: Row = {"name": name, "variants": dict(variants or {})}
        about |= {"levels": None if levels is None else dict(levels)}
        records: list[tuple[int, Row]] = [(0, {"record": "corpus", "format": VERSION, **about})]
        fields = DocumentRecord.model_fields.keys() - {"attributes"}
        for number, row in enumerate(given if documents is not None else known.values(), start=1):
            records.append((-number, _grouped({"record": "document", **row}, fields)))
        fields = MentionRecord.model_fields.keys() - {"attributes"}
        for number, row in enumerate(rows, start=1):
            records.append((number, _grouped({"record": "mention", **row}, fields)))
        return of_records(records, lambda row: place(row) if row else _place(0), _KIND)


def _records(table: Table, what: str) -> Iterator[tuple[str | None, Row]]:
    """Yield the key (of a mapping key → record) and the fields of each row without missing ones."""
    rows: Iterable[tuple[Any, Any]]
    keyed = isinstance(table, Mapping) and all(isinstance(v, Mapping) for v in table.values())
    if keyed or (isinstance(table, Sequence) and all(isinstance(row, Mapping) for row in table)):
        rows = table.items() if isinstance(table, Mapping) else ((None, row) for row in table)
    else:
        try:
            frame = pd.DataFrame(table)
        except (ValueError, TypeError) as error:
            message = f"the {what} are not a table: {error}"
            hint = "give a DataFrame, a list of dicts, or a dict id → dict"
            raise CorpusError("corpus-invalid", message, hint=hint) from None
        named = frame.index.name in ("id", "mention")
        keys = frame.index.tolist() if named else [None] * len(frame)
        columns = [frame[column].tolist() for column in frame]
        values = zip(*columns, strict=True) if columns else ()
        fields_of = (dict(zip(frame.columns, row, strict=True)) for row in values)
        rows = zip(keys, fields_of, strict=True)
    for key, row in rows:
        fields = {str(name): _plain(value) for name, value in row.items()}
        present = {name: value for name, value in fields.items() if value is not None}
        yield None if key is None else str(key), present


def _plain(value: Any) -> Any:
    """Return a value of JSON; None if it is missing."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return None if value is pd.NA or value is pd.NaT or value != value else value  # noqa: PLR0124


def _whole(value: Any) -> Any:
    """Return an integer that pandas turned into a float, in a column with missing values."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _named(row: Row, fields: Iterable[str]) -> None:
    """Make text of the numbers in these fields."""
    for field in fields:
        value = _whole(row.get(field))
        if type(value) is int:
            row[field] = str(value)


def _mentions(table: Table, place: Callable[[int], str]) -> Iterator[Row]:
    """Yield the fields of each mention; ids and tokens are completed."""
    counts: Counter[str] = Counter()
    for number, (key, row) in enumerate(_records(table, "mentions"), start=1):
        counts[doc := str(row.get("doc", ""))] += 1
        row.setdefault("id", row.pop("mention", key or str(counts[doc])))
        start, end = (_whole(row.pop(name, None)) for name in ("start", "end"))
        if "head" in row:
            row["head"] = _whole(row["head"])
        if "tokens" not in row and start is not None:
            end = start if end is None else end
            if type(start) is not int or type(end) is not int:
                raise _KIND.refuse(place(number), "'start' and 'end' must be integers")
            row["tokens"] = list(range(start, end + 1))
        _named(row, _NAMES)
        yield row


def _chain_notices(rows: list[Row], place: Callable[[int], str]) -> list[Notice]:
    """Return a warning if no mention has a chain.

    Raises CorpusError if mentions share a label that means no chain, such as ``nan`` or ``-1``.
    """
    shared: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        label = row.get("chain")
        if not (isinstance(label, str) and label.strip() and is_no_chain(label)):
            continue
        if (first := shared.setdefault(label, number)) < number:
            message = f"the label '{label}' of {place(first)} again: it usually means no chain"
            hint = "leave the chain of a singleton empty, or give the chain another name"
            raise CorpusError("label-ambiguous", message, place=place(number), hint=hint)
    if not rows or any(row.get("chain") not in (None, "") for row in rows):
        return []
    message = f"no mention has a chain: each of {len(rows):,} is a singleton"
    return [Notice("label-ambiguous", len(rows), message)]


def _documents(table: Table, texts: dict[str, TextDocument]) -> Iterator[Row]:
    """Yield the fields of each document; those of plain text are added to ``texts``."""
    if isinstance(table, Mapping) and not any(isinstance(v, Mapping) for v in table.values()):
        table = {
            key: {"text" if isinstance(value, str) else "sentences": value}
            for key, value in table.items()
        }
    for number, (key, row) in enumerate(_records(table, "documents"), start=1):
        row.setdefault("id", row.pop("doc", key))
        _named(row, ("id", *LEVELS))
        fields = {name: value for name, value in row.items() if value is not None}
        if "text" in fields:
            document = text_document(_place(-number), fields, _KIND)
            texts[document.id], fields = document, document.record
        yield fields


def _add_levels(known: dict[str, Row], mention: Row, place: str, *, infer: bool) -> None:
    """Give the document of a mention its topics; raise CorpusError if it has others.

    With ``infer``, a document without text is as long as its mentions need.
    """
    doc, tokens = mention.get("doc"), mention.get("tokens")
    if infer and type(doc) is str and type(tokens) is list:  # others are refused later
        document = known.setdefault(doc, {"id": doc, "lengths": [0]})
        last = max((token for token in tokens if type(token) is int), default=0)
        document["lengths"] = [max(document["lengths"][0], last + 1)]
    document = known.get(str(doc), {})
    for level in LEVELS:
        value = mention.pop(level, "")
        if value != "" and document.setdefault(level, value) != value:
            message = f"the {LEVELS[level]} is {shown(value)}, but {shown(document[level])} for "
            message += f"document '{doc}'"
            hint = "give a document and all of its mentions one topic and sub-topic"
            raise CorpusError("corpus-invalid", message, place=place, hint=hint)


def _grouped(row: Row, fields: Any) -> Row:
    """Return the fields of a record; all others are its attributes."""
    own = {name: value for name, value in row.items() if name in fields}
    others = {name: value for name, value in row.items() if name not in fields}
    nested = others.pop("attributes", {})
    others |= nested if isinstance(nested, Mapping) else {"attributes": nested}
    return {**own, "attributes": others} if others else own

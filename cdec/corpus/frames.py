"""A corpus from tables or records in memory, or from texts and mentions in files.

They become the records of the interchange format, so that all have the same fields and checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from cdec.corpus.interchange.reader import Reading
from cdec.corpus.interchange.records import CorpusRecord, DocumentRecord, MentionRecord
from cdec.corpus.model import LEVELS, Corpus, Variants
from cdec.corpus.offsets import with_tokens
from cdec.corpus.texts import TextDocument, text_document
from cdec.errors import CorpusError
from cdec.errors.notices import Notice, warn_user
from cdec.files.input import FileKind, collection_paused
from cdec.files.models import shown, validated
from cdec.labels import is_no_chain

Table = pd.DataFrame | Mapping[str, Any] | Sequence[Mapping[str, Any]]
_HINT = "see help(cdec.build_corpus) or docs/guides/your-own-articles.md"
_KIND = FileKind("a corpus", CorpusError, "corpus-record-invalid", _HINT)
_FIELDS = MentionRecord.model_fields.keys() - {"record", "attributes"}
_DOCUMENT_FIELDS = DocumentRecord.model_fields.keys() - {"record", "attributes"}


def _place(number: int) -> str:
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
    notify: Callable[[Iterable[Notice]], None] = warn_user,
) -> Corpus:
    """Return the corpus of these mentions and documents; see ``cdec.build_corpus``.

    ``texts`` are documents that are known as ``TextDocument``. ``place`` returns the place of a
    mention by its row from 1, that of a document by −row.
    """
    content = {
        "record": "corpus",
        "name": name,
        "variants": dict(variants or {}),
        "levels": None if levels is None else dict(levels),
    }
    reading = Reading(validated(CorpusRecord, content, "the corpus", _KIND), place, _KIND)
    with collection_paused():
        listed = list(_mentions(mentions, place))
        notify(_chain_notices(listed, place))
        plain = dict(texts or {})
        known = _inferred(listed) if documents is None else list(_documents(documents, plain))
        if plain:
            _add_levels(known, listed, place)
            listed, notices = with_tokens(listed, plain, place)
            notify(notices)
        for row, document in enumerate(known, start=1):
            reading.add(-row, {"record": "document", **document})
        for row, mention in enumerate(listed, start=1):
            dropped = LEVELS if plain or documents is None else ()
            fields = {name: value for name, value in mention.items() if name not in dropped}
            reading.add(row, {"record": "mention", **_grouped(fields, _FIELDS)})
        return reading.corpus(name)


def _records(table: Table, what: str) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Yield the key (of a mapping key → record) and the fields of each row without missing ones."""
    if isinstance(table, Mapping) and all(isinstance(row, Mapping) for row in table.values()):
        for key, row in table.items():
            yield str(key), _present(row)
        return
    if isinstance(table, Sequence) and all(isinstance(row, Mapping) for row in table):
        for row in table:
            yield None, _present(row)
        return
    try:
        frame = pd.DataFrame(table)
    except (ValueError, TypeError) as error:
        message = f"the {what} are not a table: {error}"
        hint = "give a DataFrame, a list of dicts, or a dict id → dict"
        raise CorpusError("corpus-record-invalid", message, hint=hint) from None
    keyed = frame.index.tolist() if frame.index.name in ("id", "mention") else [None] * len(frame)
    columns = [frame[column].tolist() for column in frame]
    for key, *values in zip(keyed, *columns, strict=True):
        row = dict(zip(map(str, frame.columns), values, strict=True))
        yield None if key is None else str(key), _present(row)


def _present(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the fields of a row that are not None or NaN, as values of JSON."""
    plain = {str(name): _plain(value) for name, value in row.items()}
    return {name: value for name, value in plain.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, tuple):
        value = list(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if value is pd.NA or value is pd.NaT or value != value else value  # noqa: PLR0124


def _mentions(table: Table, place: Callable[[int], str]) -> Iterator[dict[str, Any]]:
    """Yield the fields of each mention; ids and tokens are completed."""
    counts: dict[str, int] = {}
    for number, (key, row) in enumerate(_records(table, "mentions"), start=1):
        doc = str(row.get("doc", ""))
        counts[doc] = counts.get(doc, 0) + 1
        row.setdefault("id", row.pop("mention", key or str(counts[doc])))
        # pandas turns integers into floats in a column with missing values.
        start, end = (_whole(row.pop(name, None)) for name in ("start", "end"))
        if "head" in row:
            row["head"] = _whole(row["head"])
        if "tokens" not in row and start is not None:
            end = start if end is None else end
            if type(start) is not int or type(end) is not int:
                raise _KIND.refuse(place(number), "'start' and 'end' must be integers")
            row["tokens"] = list(range(start, end + 1))
        _name(row, ("id", "doc", "chain", *LEVELS))
        yield row


def _chain_notices(rows: list[dict[str, Any]], place: Callable[[int], str]) -> list[Notice]:
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
    return [Notice("missing-label", len(rows), message)]


def _name(row: dict[str, Any], fields: Iterable[str]) -> None:
    """Make text of the numbers in these fields, also of those that pandas made floats."""
    for field in fields:
        value = _whole(row.get(field))
        if type(value) is int:
            row[field] = str(value)


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _documents(table: Table, texts: dict[str, TextDocument]) -> Iterator[dict[str, Any]]:
    """Yield the fields of each document; those of plain text are added to ``texts``."""
    if isinstance(table, Mapping) and not any(isinstance(v, Mapping) for v in table.values()):
        table = {
            key: {"text" if isinstance(value, str) else "sentences": value}
            for key, value in table.items()
        }
    for number, (key, row) in enumerate(_records(table, "documents"), start=1):
        row.setdefault("id", row.pop("doc", key))
        _name(row, ("id", *LEVELS))
        fields = {name: value for name, value in row.items() if value is not None}
        if "text" in fields:
            document = text_document(_place(-number), fields, _KIND)
            texts[document.id], fields = document, document.record
        yield _grouped(fields, _DOCUMENT_FIELDS)


def _add_levels(
    documents: list[dict[str, Any]], mentions: list[dict[str, Any]], place: Callable[[int], str]
) -> None:
    """Give documents the topics that their mentions state."""
    known = {str(document.get("id")): document for document in documents}
    for row, mention in enumerate(mentions, start=1):
        _agree(known.get(str(mention.get("doc")), {}), mention, place(row))


def _agree(document: dict[str, Any], mention: Mapping[str, Any], place: str) -> None:
    """Add the levels of a mention to its document; raise CorpusError if it has others."""
    for level in LEVELS:
        value = mention.get(level, "")
        if value != "" and document.setdefault(level, value) != value:
            message = f"the {LEVELS[level]} is {shown(value)}, but {shown(document[level])} for "
            message += f"document '{mention['doc']}'"
            hint = "give a document and all of its mentions one topic and sub-topic"
            raise CorpusError("corpus-record-invalid", message, place=place, hint=hint)


def _inferred(mentions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a document without text for each that a mention names, as long as mentions need."""
    found: dict[str, dict[str, Any]] = {}
    for row, mention in enumerate(mentions, start=1):
        doc, tokens = mention.get("doc"), mention.get("tokens")
        if type(doc) is not str or type(tokens) is not list:
            continue  # refused when the mention is added
        known = found.setdefault(doc, {"id": doc, "lengths": [0]})
        _agree(known, mention, _place(row))
        last = max((token for token in tokens if type(token) is int), default=0)
        known["lengths"] = [max(known["lengths"][0], last + 1)]
    return list(found.values())


def _grouped(row: Mapping[str, Any], fields: Any) -> dict[str, Any]:
    """Return the fields of a record; all others are its attributes."""
    own = {name: value for name, value in row.items() if name in fields}
    others = {name: value for name, value in row.items() if name not in fields}
    nested = others.pop("attributes", {})
    others |= nested if isinstance(nested, Mapping) else {"attributes": nested}
    return {**own, "attributes": others} if others else own

"""A corpus from tables or records in memory, or from texts and mentions in files.

They become records of the interchange format, so that all have the same fields and checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from cdec.clustering import is_no_chain
from cdec.corpus.build import plain
from cdec.corpus.interchange import CorpusRecord, DocumentRecord, Row, add_document, assemble
from cdec.corpus.model import LEVELS, Corpus, Variants
from cdec.corpus.readers.texts import TextDocument, text_document, with_tokens
from cdec.errors import CorpusError, Notice, warn_of
from cdec.files.input import FileKind, collection_paused
from cdec.files.models import shown, validated

Table = pd.DataFrame | Mapping[str, Any] | Sequence[Mapping[str, Any]]
_HINT = "see help(cdec.build_corpus) or docs/your-own-articles.md"
_KIND = FileKind("a corpus", CorpusError, "corpus-invalid", _HINT)
_NAMES = ("id", "doc", "chain", *LEVELS)  # fields that are text
_NUMBERS = ("start", "end", "head")
_LONGEST = 10**6  # tokens of a mention


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
) -> Corpus:
    """Return the corpus of these mentions and documents; see ``cdec.build_corpus``.

    ``texts`` are documents that are known as ``TextDocument``. ``place`` returns the place of a
    mention by its row from 1, that of a document by −row.
    """
    about: Row = {"name": name, "variants": dict(variants or {})}
    about |= {"levels": None if levels is None else dict(levels)}
    with collection_paused():
        rows, plain_texts = _rows(mentions, "mentions"), dict(texts or {})
        for number, row in enumerate(rows, start=1):
            start, end = row.get("start"), row.get("end", row.get("start"))
            if "tokens" not in row and type(start) is int and type(end) is int:
                if end - start > _LONGEST:
                    raise _KIND.refuse(place(number), f"a mention from token {start} to {end}")
                row["tokens"] = [*range(start, end + 1)]
        _check_labels(rows, place)
        given = [] if documents is None else _documents(documents, plain_texts)
        known = {str(document.get("id")): document for document in given}
        if documents is None or plain_texts:
            for number, row in enumerate(rows, start=1):
                _add_levels(known, row, place(number), infer=documents is None)
        if plain_texts:
            rows, notices = with_tokens(rows, plain_texts, place)
            warn_of(notices)
        records: dict[str, DocumentRecord] = {}
        for number, row in enumerate(given or known.values(), start=1):
            own = {field: row[field] for field in row if field in DocumentRecord.model_fields}
            more = {field: row[field] for field in row if field not in own}
            if isinstance(nested := own.get("attributes", {}), dict):
                own["attributes"] = more | nested
            add_document(records, own, place(-number), _KIND)
        for row in rows:
            if isinstance(row.get("attributes"), dict):
                row.update(row.pop("attributes"))
        head = validated(CorpusRecord, about, "the corpus", _KIND)
        return assemble(head, records, rows, lambda row: place(row + 1), _KIND)


def _rows(table: Table, what: str) -> list[Row]:
    """Return the rows of a table without missing values; the key of a dict of dicts is the id."""
    if isinstance(table, Mapping) and all(isinstance(v, Mapping) for v in table.values()):
        table = [{"id": str(key), **row} for key, row in table.items()]
    try:
        # As objects: pandas would turn the integers of a column with missing values into floats.
        own = table if isinstance(table, pd.DataFrame) else pd.DataFrame(table, dtype=object)
        frame = own.reset_index() if own.index.name in ("id", "mention") else own
    except (ValueError, TypeError) as error:
        message = f"the {what} are not a table: {error}"
        hint = "give a DataFrame, a list of dicts, or a dict id → dict"
        raise CorpusError("corpus-invalid", message, hint=hint) from None
    rows = []
    for values in zip(*(frame[name].tolist() for name in frame), strict=True):
        row: Row = {}
        for name, value in zip(map(str, frame), values, strict=True):
            if not (pd.api.types.is_scalar(value) and pd.isna(value)):
                row[name] = plain(list(value) if isinstance(value, tuple) else value)
        if alias := row.pop("mention" if what == "mentions" else "doc", None):
            row.setdefault("id", alias)
        for name in (*_NAMES, *_NUMBERS):
            if isinstance(row.get(name), float) and row[name].is_integer():
                row[name] = int(row[name])
            if name in _NAMES and type(row.get(name)) is int:
                row[name] = str(row[name])
        rows.append(row)
    return rows


def _check_labels(rows: list[Row], place: Callable[[int], str]) -> None:
    """Warn if no mention has a chain.

    Raises CorpusError if mentions share a label that means no chain, such as ``nan`` or ``-1``.
    """
    labels = pd.Series([row.get("chain") for row in rows], dtype=object)
    odd = labels[[isinstance(x, str) and bool(x.strip()) and is_no_chain(x) for x in labels]]
    for row in odd.index[odd.duplicated()][:1]:
        first = odd.index[odd == odd[row]][0]
        message = f"the label '{odd[row]}' of {place(first + 1)} again: it usually means no chain"
        hint = "leave the chain of a singleton empty, or give the chain another name"
        raise CorpusError("label-ambiguous", message, place=place(row + 1), hint=hint)
    if rows and not any(labels):
        message = f"no mention has a chain: each of {len(rows):,} is a singleton"
        warn_of([Notice("label-ambiguous", len(rows), message)])


def _documents(table: Table, texts: dict[str, TextDocument]) -> list[Row]:
    """Return the fields of each document; those of plain text are added to ``texts``."""
    if isinstance(table, Mapping) and not any(isinstance(v, Mapping) for v in table.values()):
        table = {
            key: {"text" if isinstance(value, str) else "sentences": value}
            for key, value in table.items()
        }
    rows = _rows(table, "documents")
    for at, row in enumerate(rows):
        if "text" in row:
            document = text_document(_place(-at - 1), row, _KIND)
            texts[document.id], rows[at] = document, document.record
    return rows


def _add_levels(known: dict[str, Row], mention: Row, place: str, *, infer: bool) -> None:
    """Give the document of a mention its topics; raise CorpusError if it has others.

    With ``infer``, a document without text is as long as its mentions need.
    """
    doc, tokens = str(mention.get("doc")), mention.get("tokens")
    if infer and "doc" in mention and isinstance(tokens, list):  # others are refused later
        document = known.setdefault(doc, {"id": doc, "lengths": [0]})
        numbers = (token + 1 for token in tokens if type(token) is int)
        document["lengths"] = [max(document["lengths"][0], *numbers)]
    document = known.get(doc, {})
    for level in LEVELS:
        value = mention.pop(level, "")
        if value != "" and document.setdefault(level, value) != value:
            message = f"the {LEVELS[level]} is {shown(value)}, but {shown(document[level])} for "
            message += f"document '{doc}'"
            hint = "give a document and all of its mentions one topic and sub-topic"
            raise CorpusError("corpus-invalid", message, place=place, hint=hint)

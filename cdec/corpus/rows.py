"""Mentions as a reader returns them, one at a time, and the corpus of all of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Set
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from cdec.corpus.assembly import corpus_of, text_order
from cdec.corpus.model import ANNOTATED, ENTITY, EVENT, Corpus, Document
from cdec.corpus.source import Source
from cdec.errors import CorpusError

_GIVEN = ("id", "tokens", "chain", "kind", "state")  # all else follows from the document


class Row(NamedTuple):
    """One mention: the core columns that come from one file, and attributes by name.

    ``attributes`` may have any names; those of ``cdec.corpus.model.ATTRIBUTES`` are used by
    commands of cdec.
    """

    id: str
    sentence: int
    start: int
    end: int
    tokens: tuple[int, ...]
    text: str
    kind: str
    chain: str
    state: str
    attributes: Mapping[str, Any]

    @classmethod
    def from_tokens(
        cls,
        document: Document,
        name: str,
        tokens: Iterable[int],
        chain: str,
        *,
        kind: str = EVENT,
        state: str = ANNOTATED,
        **attributes: Any,
    ) -> Row:
        """Return the mention of these tokens (indices in ``document``, from 0).

        ``name`` is unique among the mentions of the document. Raises CorpusError for a mention
        without tokens or with a token outside the document, or of an unknown kind.

        >>> document = Document("a", "1", "1x", (("Fire", "spread"), ("It", "rained")))
        >>> row = Row.from_tokens(document, "m1", [3], "RAIN")
        >>> row.id, row.sentence, row.start, row.text
        ('a/m1', 1, 3, 'rained')
        """
        id_, numbers = f"{document.id}/{name}", tuple(sorted(set(tokens)))
        if not numbers or numbers[0] < 0 or numbers[-1] >= len(document.tokens):
            message = f"tokens {list(numbers)} are not in the document"
            hint = f"number its {len(document.tokens)} tokens from 0"
            raise CorpusError("corpus-record-invalid", message, place=id_, hint=hint)
        if kind not in (EVENT, ENTITY):
            message, hint = f"the kind of the mention is '{kind}'", f"use {EVENT} or {ENTITY}"
            raise CorpusError("corpus-record-invalid", message, place=id_, hint=hint)
        return cls(
            id=id_,
            sentence=bisect_right(document.sentence_starts, numbers[0]) - 1,
            start=numbers[0],
            end=numbers[-1],
            tokens=numbers,
            text=" ".join(document.tokens[number] for number in numbers),
            kind=kind,
            chain=chain,
            state=state,
            attributes=attributes,
        )


def assemble(
    source: Source,
    name: str,
    parsed: Iterable[tuple[Document, Iterable[Row]]],
    reviewed: Set[tuple[str, int]] = frozenset(),
) -> Corpus:
    """Return the corpus of these documents and their mentions, read from ``source``.

    Its events are selected; its entities, if it has no events. ``reviewed`` has the fully reviewed
    sentences as (document id, sentence number). Raises CorpusError for a duplicate document or
    mention.
    """
    documents: dict[str, Document] = {}
    rows: list[tuple[str, Row]] = []
    for document, mentions in sorted(parsed, key=lambda pair: text_order(pair[0])):
        if document.id in documents:
            raise _duplicate(source, document.id)
        documents[document.id] = document
        rows += ((document.id, row) for row in mentions)
    columns: dict[str, list[Any]] = {
        "doc": [doc for doc, _ in rows],
        **{field: [getattr(row, field) for _, row in rows] for field in _GIVEN},
    }
    for attribute in dict.fromkeys(name for _, row in rows for name in row.attributes):
        columns[attribute] = [row.attributes.get(attribute) for _, row in rows]

    def fail(code: str, row: int, message: str, hint: str) -> CorpusError:
        return CorpusError(code, message, place=source.path, hint=hint)

    return corpus_of(name, source.digest, documents, columns, fail, reviewed=reviewed)


def _duplicate(source: Source, id_: str) -> CorpusError:
    files = [name for name in source.files if PurePosixPath(name).stem == id_]
    message = f"duplicate document '{id_}'" + (f": {', '.join(files)}" if files else "")
    hint = "keep one of them"
    return CorpusError("corpus-file-invalid", message, place=source.path, hint=hint)

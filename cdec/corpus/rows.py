"""Mentions as a reader returns them, and a corpus assembled from documents and mentions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Set
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import pandas as pd

from cdec.corpus.bulk import column, text_order
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
from cdec.corpus.source import Source
from cdec.errors import CorpusError


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
            raise CorpusError("mention-outside-document", message, place=id_, hint=hint)
        if kind not in (EVENT, ENTITY):
            message, hint = f"the kind of the mention is '{kind}'", f"use {EVENT} or {ENTITY}"
            raise CorpusError("mention-kind-invalid", message, place=id_, hint=hint)
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
    ordered = sorted(parsed, key=lambda pair: text_order(pair[0]))
    corpus = Corpus(
        name=name,
        digest=source.digest,
        documents=_documents((document for document, _ in ordered), source),
        mentions=_mentions(ordered, reviewed, source),
        reviewed=frozenset(reviewed),
    )
    return corpus.select(ENTITY) if corpus.kinds == (ENTITY,) else corpus


def _documents(ordered: Iterable[Document], source: Source) -> dict[str, Document]:
    documents: dict[str, Document] = {}
    for document in ordered:
        if document.id in documents:
            files = [name for name in source.files if PurePosixPath(name).stem == document.id]
            raise CorpusError(
                "document-duplicate",
                f"duplicate document '{document.id}'" + (f": {', '.join(files)}" if files else ""),
                place=source.path,
                hint="keep one of them",
            )
        documents[document.id] = document
    return documents


def _mentions(
    ordered: Iterable[tuple[Document, Iterable[Row]]],
    reviewed: Set[tuple[str, int]],
    source: Source,
) -> pd.DataFrame:
    rows = [
        (document, row)
        for document, mentions in ordered
        for row in sorted(mentions, key=lambda row: (row.start, row.end, natural_key(row.id)))
    ]
    documents = [document for document, _ in rows]
    fields = [name for name in Row._fields if name != "attributes"]
    table = pd.DataFrame([row[: len(fields)] for _, row in rows], columns=fields).set_index("id")
    if not table.index.is_unique:
        message = f"duplicate mention id '{table.index[table.index.duplicated()][0]}'"
        hint = "give each mention of a document a unique name"
        raise CorpusError("mention-id-duplicate", message, place=source.path, hint=hint)
    table.index.name = "mention"
    table["doc"] = [document.id for document in documents]
    table["topic"] = [document.topic for document in documents]
    table["subtopic"] = [document.subtopic for document in documents]
    attributes = [row.attributes for _, row in rows]
    names = dict.fromkeys(ATTRIBUTES) | dict.fromkeys(n for row in attributes for n in row)
    for name in names:
        default = ATTRIBUTES.get(name)
        table[name] = column([row.get(name, default) for row in attributes], table.index)
    if reviewed:
        sentences = zip(table["doc"], table["sentence"], strict=True)
        table["reviewed"] = [sentence in reviewed for sentence in sentences]
    return table[[*CORE, *names]]

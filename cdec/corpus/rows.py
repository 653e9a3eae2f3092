"""Mentions as a reader returns them, and a corpus assembled from documents and mentions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Set
from pathlib import PurePosixPath
from typing import NamedTuple

import pandas as pd

from cdec.corpus.model import COLUMNS, Corpus, Document, natural_key
from cdec.corpus.source import Source
from cdec.errors import CorpusError


class Row(NamedTuple):
    """One mention: the columns of ``cdec.corpus.model.COLUMNS`` that come from one file."""

    id: str
    sentence: int
    start: int
    end: int
    tokens: tuple[int, ...]
    text: str
    tag: str
    is_event: bool
    chain: str
    relation: str
    descriptor: str

    @classmethod
    def from_tokens(
        cls,
        document: Document,
        name: str,
        tokens: Iterable[int],
        chain: str,
        *,
        tag: str = "",
        is_event: bool = True,
        relation: str = "cross_doc",
        descriptor: str = "",
    ) -> Row:
        """Return the mention of these tokens (indices in ``document``, from 0).

        ``name`` is unique among the mentions of the document. Raises CorpusError for a mention
        without tokens or with a token outside the document.

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
        return cls(
            id=id_,
            sentence=bisect_right(document.sentence_starts, numbers[0]) - 1,
            start=numbers[0],
            end=numbers[-1],
            tokens=numbers,
            text=" ".join(document.tokens[number] for number in numbers),
            tag=tag,
            is_event=is_event,
            chain=chain,
            relation=relation,
            descriptor=descriptor,
        )


def assemble(
    source: Source,
    name: str,
    parsed: Iterable[tuple[Document, Iterable[Row]]],
    reviewed: Set[tuple[str, int]] = frozenset(),
) -> Corpus:
    """Return the corpus of these documents and their mentions, read from ``source``.

    ``reviewed`` has the fully reviewed sentences as (document id, sentence number). Raises
    CorpusError for a duplicate document or mention.
    """
    ordered = sorted(parsed, key=lambda pair: _text_order(pair[0]))
    return Corpus(
        name=name,
        digest=source.digest,
        documents=_documents((document for document, _ in ordered), source),
        mentions=_mentions(ordered, reviewed, source),
        reviewed=frozenset(reviewed),
    )


def _text_order(document: Document) -> tuple[object, ...]:
    return natural_key(document.topic), document.subtopic, natural_key(document.id)


def _documents(ordered: Iterable[Document], source: Source) -> dict[str, Document]:
    documents: dict[str, Document] = {}
    for document in ordered:
        if document.id in documents:
            files = [name for name in source.files if PurePosixPath(name).stem == document.id]
            raise CorpusError(
                "document-duplicate",
                f"duplicate document '{document.id}': {', '.join(files)}",
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
    table = pd.DataFrame([row for _, row in rows], columns=list(Row._fields)).set_index("id")
    if not table.index.is_unique:
        message = f"duplicate mention id '{table.index[table.index.duplicated()][0]}'"
        hint = "give each mention of a document a unique name"
        raise CorpusError("mention-id-duplicate", message, place=source.path, hint=hint)
    table.index.name = "mention"
    table["doc"] = [document.id for document in documents]
    table["topic"] = [document.topic for document in documents]
    table["subtopic"] = [document.subtopic for document in documents]
    sentences = zip(table["doc"], table["sentence"], strict=True)
    table["reviewed"] = [sentence in reviewed for sentence in sentences]
    return table[list(COLUMNS)]

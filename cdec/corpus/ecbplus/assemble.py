"""The files of a corpus (ECB+, or another format of ``readers``) → Corpus."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd

from cdec.corpus.model import COLUMNS, Corpus, Document, natural_key
from cdec.corpus.parsed import ParsedFile, Row
from cdec.corpus.readers import parse_file
from cdec.corpus.source import LIST, REVIEWED, Source, open_source
from cdec.errors import CorpusError

Tick = Callable[[], object]

_DIGITS = 9  # of a sentence's number: Python refuses to read thousands of them
_LAST_TITLE = "Sentence Number"


def read(path: Path | str, name: str | None = None) -> Corpus:
    """Read the ECB+ corpus at ``path`` (folder or zip) in full, without the cache.

    Raises CorpusError with file and line for anything that is not sound ECB+.
    """
    return build(open_source(path), name)


def build(source: Source, name: str | None = None, tick: Tick = lambda: None) -> Corpus:
    """Parse all files of ``source`` into a Corpus; ``tick`` is called after each file."""
    parsed = []
    for file, data in source.files.items():
        parsed.append(parse_file(file, data))
        tick()
    return assemble(source, parsed, name)


def assemble(source: Source, parsed: Iterable[ParsedFile], name: str | None = None) -> Corpus:
    """Put the parsed files of ``source`` together.

    Raises CorpusError for a document that stands twice and for a bad reviewed-sentence list.
    """
    ordered = sorted(parsed, key=lambda file: _text_order(file.document))
    return Corpus(
        name=name or source.path.name,
        digest=source.digest,
        documents=_documents(ordered, source),
        mentions=_mentions(ordered, reviewed_sentences(source)),
    )


def reviewed_sentences(source: Source) -> set[tuple[str, int]]:
    """Return (document id, sentence number) of the fully reviewed sentences; empty without list.

    Raises CorpusError with the line of a row that is not topic, file, sentence number, or where
    the first line does not say so.
    """
    if source.reviewed is None:
        return set()
    text = LIST.decode(source.reviewed, REVIEWED)
    try:
        rows = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error as error:
        raise LIST.refuse(REVIEWED, f"not CSV: {error}") from None
    if not rows or rows[0][-1:] != [_LAST_TITLE]:
        message = f"the last column is not '{_LAST_TITLE}'"
        raise LIST.refuse(f"{REVIEWED}:1", message)
    return {_sentence(row, line) for line, row in enumerate(rows[1:], start=2) if row}


def _sentence(row: list[str], line: int) -> tuple[str, int]:
    number = row[2].strip() if len(row) == 3 else ""
    if not number.isdecimal() or len(number) > _DIGITS:
        message = f"expected topic, file, sentence number, not {row}"
        raise LIST.refuse(f"{REVIEWED}:{line}", message)
    return f"{row[0].strip()}_{row[1].strip()}", int(number)


def _text_order(document: Document) -> tuple[object, ...]:
    return natural_key(document.topic), document.subtopic, natural_key(document.id)


def _documents(parsed: Iterable[ParsedFile], source: Source) -> dict[str, Document]:
    documents: dict[str, Document] = {}
    for file in parsed:
        if file.document.id in documents:
            folders = [name for name in source.files if name.endswith(f"/{file.document.id}.xml")]
            raise CorpusError(
                f"document {file.document.id} stands twice: {', '.join(folders)}",
                place=source.path,
                cure="keep one of them",
            )
        documents[file.document.id] = file.document
    return documents


def _mentions(parsed: Iterable[ParsedFile], reviewed: set[tuple[str, int]]) -> pd.DataFrame:
    rows = [
        (file.document, row)
        for file in parsed
        for row in sorted(file.rows, key=lambda row: (row.start, row.end, natural_key(row.id)))
    ]
    documents = [document for document, _ in rows]
    table = pd.DataFrame([row for _, row in rows], columns=list(Row._fields)).set_index("id")
    table.index.name = "mention"
    table["doc"] = [document.id for document in documents]
    table["topic"] = [document.topic for document in documents]
    table["subtopic"] = [document.subtopic for document in documents]
    sentences = zip(table["doc"], table["sentence"], strict=True)
    table["reviewed"] = [sentence in reviewed for sentence in sentences]
    return table[list(COLUMNS)]

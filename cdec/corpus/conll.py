"""Reader for any cross-document key in CoNLL columns.

* The eight columns of Cattan et al. (2021): topics and sub-topics are in the file. A level is
  ignored if every unit above it contains one unit of it.
* CoNLL-2012: documents between ``#begin document (name)`` and ``#end document``, sentences between
  blank lines. The token is the fourth column; the third of four, where it is not a number; else
  there is no text. There are no levels.

Mentions are events, because such files do not say what they are. Escaped characters are decoded
(``cdec.columns.escape``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cdec.columns.escape import unescape
from cdec.corpus.columns import (
    MASKED,
    NO_LEVEL,
    Block,
    Columns,
    blocks_of,
    eight_columns,
    error,
    first_token,
    head_of,
    is_masked,
)
from cdec.corpus.layouts import LAYOUTS
from cdec.corpus.model import LEVELS, Document
from cdec.corpus.reading import Content, reader
from cdec.corpus.source import Source
from cdec.files.input import integer

_LEAST = 3  # columns: document, token number, chains


def is_conll(source: Source) -> bool:
    """Return whether any file is in CoNLL columns."""
    return any(
        first_token(source, file)
        or "".join(head_of(source, file)[:1]).startswith("#begin document")
        for file in source.files
    )


def read(source: Source, tick: Any) -> Content:
    """Return documents and mentions."""
    content = Content()
    for file in source.files:
        if first_token(source, file):
            columns: Iterable[Columns] = eight_columns(source, file)
        else:
            columns = map(_columns, blocks_of(source, file))
        for document in columns:
            topic, subtopic = _level(document.topic), _level(document.subtopic)
            text = tuple(tuple(map(unescape, sentence)) for sentence in document.text)
            content.add(Document(document.id, topic, subtopic, text), document.spans())
        tick()
    documents = [document for document, _ in content.documents]
    content.levels = _levels(documents)
    content.text = "none" if is_masked([d.sentences for d in documents]) else "full"
    return content


def _level(name: str) -> str:
    return "" if name == NO_LEVEL else unescape(name)


def _levels(documents: Iterable[Document]) -> dict[str, str]:
    topics = {document.topic for document in documents}
    subtopics = {(document.topic, document.subtopic) for document in documents}
    named = {"topic": topics != {""}, "subtopic": len(subtopics) > len(topics)}
    return {level: LEVELS[level] for level, is_there in named.items() if is_there}


def _columns(block: Block) -> Columns:
    columns, sentence, token, last = Columns(block.file, block.id), 0, -2, block.line
    for line, text in block.lines:
        fields = text.split("\t") if "\t" in text else text.split()
        if line > last + 1:
            sentence = len(columns.sentences)
        last = line
        if len(fields) < _LEAST:
            message = f"expected {_LEAST} columns or more, got {len(fields)}"
            raise error("corpus-file-invalid", block.file, line, message)
        if token == -2:
            token = _token_column(fields)
        if token >= len(fields) - 1:
            message = f"the line has {len(fields)} columns, others have more"
            raise error("corpus-file-invalid", block.file, line, message)
        columns.add(line, sentence, MASKED if token < 0 else fields[token], fields[-1])
    return columns


def _token_column(fields: list[str]) -> int:
    """Return the index of the column with the token, -1 if there is none."""
    if len(fields) > 4:
        return 3
    return 2 if len(fields) == 4 and integer(fields[2]) < 0 else -1


ADAPTER = reader(LAYOUTS["conll"], is_conll, read, schema="2")

"""A table of the topics and sub-topics of documents, and a corpus with these.

The table is CSV, TSV or JSON with a column of documents and one of topics, sub-topics or both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cdec.corpus.build import build
from cdec.corpus.model import Corpus
from cdec.errors import CorpusError, FormatError, counted
from cdec.files.input import FileKind, TextFile
from cdec.formats.fields import DOCUMENT, LEVEL_NAMES, named_rows

_EVENT = (*LEVEL_NAMES["subtopic"], "event", "event_id")
_NAMES = {"document": DOCUMENT, **LEVEL_NAMES, "subtopic": _EVENT}
_ROW = "name the columns: document,topic or document,topic,subtopic"
_KIND = FileKind("a table of topics", FormatError, "file-invalid", _ROW)
Topics = Mapping[str, Mapping[str, Any]]


def read_topics(path: Path) -> Topics:
    """Return document → (topic and subtopic, as far as the table has them).

    Raises FormatError with the line of an invalid row, and of a second topic of a document.
    """
    table: dict[str, dict[str, str]] = {}
    columns = None
    for place, row in named_rows(TextFile(str(path), _KIND.read_text(path)), _NAMES):
        fields = {name: str(row[name]).strip() for name in _NAMES if name in row}
        document = fields.pop("document", None)
        columns = columns or fields.keys()
        if document is None or not fields or fields.keys() != columns:
            raise _KIND.refuse(place, "the row lacks a document, topic or sub-topic")
        if table.setdefault(document, fields) != fields:
            raise _KIND.refuse(place, f"another topic of the document '{document}'")
    if not table:
        raise _KIND.refuse(f"{path}:1", "no row has a document and its topic")
    return table


def with_topics(corpus: Corpus, topics: Topics, place: object) -> Corpus:
    """Return the corpus with these topics; those of documents it lacks are ignored.

    A level that the table does not have stays as it is. ``place`` is the table, for the error:
    raises CorpusError if a document of the corpus is not in it.
    """
    missing = [id_ for id_ in corpus.documents if id_ not in topics]
    if missing:
        absent = counted(len(missing), "document is missing", "documents are missing")
        raise CorpusError(
            "corpus-invalid",
            f"{absent} from the table: {', '.join(missing[:3])}",
            place=place,
            hint="add a row for each document of the corpus",
        )
    documents = [
        replace(document, **topics[id_]) for id_, document in corpus.documents.items()
    ]
    mentions = corpus.mentions.rename_axis("id").reset_index()
    placed = build(documents, mentions, reviewed=corpus.reviewed)
    return replace(
        corpus,
        documents=placed.documents,
        mentions=placed.mentions,
        levels={
            level: corpus.levels.get(level, name)
            for level, name in placed.levels.items()
        },
        linked_within="",  # the annotators knew other topics
    )

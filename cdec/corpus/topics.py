"""A table document → topic, sub-topic, and a corpus with the topics of such a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from cdec.columns.tables import named_rows, renamed
from cdec.corpus.assembly import text_order
from cdec.corpus.model import LEVELS, Corpus, Document
from cdec.errors import UsageError, counted
from cdec.io.inputfile import FileKind
from cdec.io.source import Source

# The names of the columns, as they occur in published tables.
_NAMES = {
    "document": ("documentid", "doc", "docid"),
    "topic": ("topicid",),
    "subtopic": ("subtopicid", "event", "eventid"),
}
_KIND = FileKind(
    "a table of topics",
    UsageError,
    "table-invalid",
    "begin with the header document,topic or document,topic,subtopic",
)
Topics = Mapping[str, Mapping[str, str]]


def read_topics(path: Path) -> Topics:
    """Return document → (topic and subtopic, as far as the table has them) of a CSV or TSV file.

    Raises UsageError with the line of an invalid row, FormatError if it is no table.
    """
    table: dict[str, dict[str, str]] = {}
    for place, row in named_rows(Source(str(path), _KIND.read_text(path))):
        named = renamed(row, _NAMES, place)
        fields = {name: str(named[name]).strip() for name in _NAMES if name in named}
        document = fields.pop("document", None)
        first = next(iter(table.values()), fields)
        if document is None or not fields or fields.keys() != first.keys():
            raise _KIND.refuse(place, "the row lacks a document, topic or sub-topic")
        if table.setdefault(document, fields) is not fields:
            raise _KIND.refuse(place, f"a second row of the document '{document}'")
    return table


def with_topics(corpus: Corpus, topics: Topics, place: object) -> Corpus:
    """Return the corpus with these topics; those of documents it lacks are ignored.

    A level that the table does not have stays as it is. ``place`` is the table, for the error:
    raises UsageError if a document of the corpus is not in it.
    """
    missing = [id_ for id_ in corpus.documents if id_ not in topics]
    if missing:
        absent = counted(len(missing), "document is missing", "documents are missing")
        message = f"{absent} from the table: {', '.join(missing[:3])}"
        hint = "add a row for each document of the corpus"
        raise UsageError("document-unassigned", message, place=place, hint=hint)
    changed = (_placed(document, topics[id_]) for id_, document in corpus.documents.items())
    documents = {document.id: document for document in sorted(changed, key=text_order)}
    rank = {id_: number for number, id_ in enumerate(documents)}
    mentions = corpus.mentions.iloc[corpus.mentions["doc"].map(rank).argsort(kind="stable")]
    present = [level for level in LEVELS if any(getattr(d, level) for d in documents.values())]
    return replace(
        corpus,
        documents=documents,
        mentions=mentions.assign(
            **{
                level: [getattr(documents[doc], level) for doc in mentions["doc"]]
                for level in LEVELS
            }
        ),
        levels={level: corpus.levels.get(level, LEVELS[level]) for level in present},
    )


def _placed(document: Document, topics: Mapping[str, str]) -> Document:
    topic, subtopic = (topics.get(level, getattr(document, level)) for level in LEVELS)
    return replace(document, topic=topic, subtopic=subtopic)

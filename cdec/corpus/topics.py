"""A table document → topic, sub-topic, and a corpus with the topics of such a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from cdec.columns.tables import table_rows
from cdec.corpus.assembly import text_order
from cdec.corpus.model import LEVELS, Corpus, Document
from cdec.errors import UsageError, counted
from cdec.io.inputfile import FileKind

# The names of the columns, as they occur in published tables.
_NAMES = {
    "document": ("document", "documentid", "doc", "docid"),
    "topic": ("topic", "topicid"),
    "subtopic": ("subtopic", "subtopicid", "event", "eventid"),
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

    Raises UsageError with the line of an invalid row.
    """
    text = _KIND.read_text(path)
    separator = "\t" if "\t" in text.partition("\n")[0] else ","
    table: dict[str, dict[str, str]] = {}
    header: list[str] = []
    for line, row in table_rows(text, separator, lambda n, why: _KIND.refuse(f"{path}:{n}", why)):
        place = f"{path}:{line}"
        if not header:
            header = _header(row, place)
        elif "".join(row).strip():
            fields = _fields(header, row, place)
            if table.setdefault(fields.pop("document"), fields) is not fields:
                raise _KIND.refuse(place, f"a second row of the document '{row[0]}'")
    return table


def _header(row: list[str], place: str) -> list[str]:
    plain = ["".join(filter(str.isalpha, name.lower())) for name in row]
    header = [next((n for n, known in _NAMES.items() if p in known), "") for p in plain]
    named = [name for name in header if name]
    if len(set(named)) < len(named) or "document" not in named or len(named) < 2:
        raise _KIND.refuse(place, f"the header is '{', '.join(row)[:80]}'")
    return header


def _fields(header: list[str], row: list[str], place: str) -> dict[str, str]:
    if len(row) != len(header):
        raise _KIND.refuse(place, f"expected {len(header)} fields as in the header, got {len(row)}")
    fields = {name: value.strip() for name, value in zip(header, row, strict=True) if name}
    blank = next((name for name, value in fields.items() if not value), None)
    if blank:
        raise _KIND.refuse(place, f"the {blank} is blank")
    return fields


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

"""A table of the topics and sub-topics of documents, and a corpus with these.

The table is CSV, TSV or JSON with a column of documents, or has no header: document, topic and, if
it has three columns, sub-topic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from cdec.corpus.build import build
from cdec.corpus.model import LEVELS, Corpus
from cdec.errors import CorpusError, FormatError, counted
from cdec.files.input import FileKind, TextFile
from cdec.formats.fields import DOCUMENT, LEVEL_NAMES, guessed_rows, named_rows, plain_name

_EVENT = (*LEVEL_NAMES["subtopic"], "event", "event_id")
_NAMES = {"document": DOCUMENT, **LEVEL_NAMES, "subtopic": _EVENT}
_ROW = "one row per document: document,topic or document,topic,subtopic"
_KIND = FileKind("a table of topics", FormatError, "file-invalid", _ROW)
Topics = Mapping[str, Mapping[str, str]]


def read_topics(path: Path) -> Topics:
    """Return document → (topic and subtopic, as far as the table has them).

    Raises FormatError with the line of an invalid row, and of a second topic of a document.
    """
    source = TextFile(str(path), _KIND.read_text(path))
    _, first = next(guessed_rows(source), (1, [""]))
    has_header = not {*map(plain_name, DOCUMENT)}.isdisjoint(map(plain_name, first))
    named = source.text.lstrip()[:1] in ("[", "{") or has_header
    table: dict[str, dict[str, str]] = {}
    for place, row in named_rows(source, _NAMES) if named else _bare_rows(source):
        fields = {name: str(row[name]).strip() for name in _NAMES if name in row}
        document = fields.pop("document", None)
        others = next(iter(table.values()), fields)
        if document is None or not fields or (named and fields.keys() != others.keys()):
            raise _KIND.refuse(place, "the row lacks a document, topic or sub-topic")
        if table.setdefault(document, fields) != fields:
            raise _KIND.refuse(place, f"another topic of the document '{document}'")
    if not table:
        raise _KIND.refuse(f"{path}:1", "no row has a document and its topic")
    return table


def _bare_rows(source: TextFile) -> Iterator[tuple[str, dict[str, str]]]:
    for line, row in guessed_rows(source):
        if not 2 <= len(row) <= len(_NAMES):
            raise _KIND.refuse(source.place(line), f"{len(row)} columns instead of 2 or 3")
        if any(map(str.strip, row)):
            yield source.place(line), dict(zip(_NAMES, row, strict=False))


def with_topics(corpus: Corpus, topics: Topics, place: object) -> Corpus:
    """Return the corpus with these topics; those of documents it lacks are ignored.

    A level that the table does not have stays as it is. ``place`` is the table, for the error:
    raises CorpusError if a document of the corpus is not in it.
    """
    missing = [id_ for id_ in corpus.documents if id_ not in topics]
    if missing:
        absent = counted(len(missing), "document is missing", "documents are missing")
        message = f"{absent} from the table: {', '.join(missing[:3])}"
        hint = "add a row for each document of the corpus"
        raise CorpusError("corpus-invalid", message, place=place, hint=hint)
    documents = []
    for id_, document in corpus.documents.items():
        topic, subtopic = (topics[id_].get(level, getattr(document, level)) for level in LEVELS)
        documents.append(replace(document, topic=topic, subtopic=subtopic))
    mentions = corpus.mentions.rename_axis("id").reset_index()
    placed = build(documents, mentions, reviewed=corpus.reviewed)
    present = [level for level in LEVELS if any(getattr(d, level) for d in documents)]
    return replace(
        corpus,
        documents=placed.documents,
        mentions=placed.mentions,
        levels={level: corpus.levels.get(level, LEVELS[level]) for level in present},
        linked_within="",  # the annotators knew other topics
    )

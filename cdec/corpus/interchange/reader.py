"""Read a corpus in the interchange format, line by line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from sys import intern
from typing import Any

from cdec.corpus.adapter import Adapter, Tick
from cdec.corpus.assembly import corpus_of
from cdec.corpus.columns import error_at
from cdec.corpus.interchange.records import (
    FORMAT,
    HEAD,
    LARGEST_INDEX,
    CorpusRecord,
    DocumentRecord,
    MentionRecord,
)
from cdec.corpus.interchange.writer import RELEASE, content_digest
from cdec.corpus.layouts import LAYOUTS
from cdec.corpus.model import LEVELS, Corpus, Document
from cdec.corpus.source import Source
from cdec.errors import CdecError, CorpusError
from cdec.files.input import FileKind, collection_paused, text_lines
from cdec.files.models import Schema, shown, validated
from cdec.files.strict_json import parse, parse_at

LAYOUT = LAYOUTS["jsonl"]
MASKED = "_"  # the text of a token of a document without text
_HINT = "see docs/interchange.md"
KIND = FileKind(
    "a corpus in JSON Lines", CorpusError, "corpus-record-invalid", _HINT, LAYOUT.largest
)
_CORPUS = Schema(KIND, CorpusRecord, FORMAT)
_CORE = ("id", "doc", "tokens", "chain", "kind", "state", "tag")


def is_interchange(source: Source) -> bool:
    """Return whether the first line of a file is the record of a corpus."""
    return any(_begins_corpus(data) for data in source.files.values())


def _begins_corpus(data: bytes) -> bool:
    try:
        return any(
            isinstance(value := parse(line), dict) and value.get("record") == "corpus"
            for _, line in islice(text_lines(data, KIND, ""), 1)
        )
    except (CdecError, ValueError):
        return False


def build(source: Source, name: str, tick: Tick) -> Corpus:
    """Return the corpus in the file of ``source``; ``tick`` is called after each document.

    Its digest is that of its content. Raises CorpusError with the line of an invalid record.
    """
    if len(source.files) > 1:
        message = f"expected one file, got {len(source.files)}: {', '.join(source.files)[:200]}"
        raise CorpusError("corpus-empty", message, place=source.path, hint="name one file")
    ((file, data),) = source.files.items()
    with collection_paused():
        lines = text_lines(data, KIND, file)
        reading = Reading(_corpus_record(file, *next(lines)), lambda number: f"{file}:{number}")
        for number, line in lines:
            reading.add(number, parse_at(line, number, partial(error_at, file)), tick)
        return reading.corpus(name)


def _corpus_record(file: str, number: int, line: str) -> CorpusRecord:
    place = f"{file}:{number}"
    value = parse_at(line, number, partial(error_at, file))
    if not isinstance(value, dict) or value.get("record") != "corpus":
        hint = 'begin the file with {"record": "corpus", …}; for texts with mentions see '
        hint += "docs/guides/your-own-articles.md"
        raise KIND.refuse(place, "the first record is not a corpus record", hint)
    return _CORPUS.check(value, place)


class Reading:
    """The records of one corpus so far: documents, and mentions as columns.

    ``place`` returns the place of a record by its number, and ``kind`` its description, for errors.
    """

    def __init__(
        self, about: CorpusRecord, place: Callable[[int], str], kind: FileKind = KIND
    ) -> None:
        self.about, self.place, self.kind = about, place, kind
        self.documents: dict[str, Document] = {}
        self.core: list[tuple[Any, ...]] = []  # the values of _CORE of each mention
        self.attributes: dict[str, list[Any]] = {}  # by name; may lack the last mentions
        self.reviewed: set[tuple[str, int]] = set()  # document and sentence
        self.numbers: list[int] = []  # of the mentions
        self.masked: set[bool] = set()  # whether documents have lengths of sentences only

    def add(self, number: int, value: object, tick: Tick = lambda: None) -> None:
        """Add a record; raises CorpusError with its place."""
        place = self.place(number)
        match value.get("record") if isinstance(value, dict) else None:
            case "mention":
                self._add_mention(number, place, validated(MentionRecord, value, place, self.kind))
            case "document":
                self._add_document(place, validated(DocumentRecord, value, place, self.kind))
                tick()
            case "corpus":
                why, hint = "a second corpus record", "remove it"
                raise self.kind.refuse(place, why, hint)
            case record:
                raise self.kind.refuse(
                    place, f"'record' is {shown(record)}, not document or mention"
                )

    def corpus(self, name: str) -> Corpus:
        """Return the corpus of all records; raises CorpusError for mentions that do not fit."""
        about, levels = self.about, self._levels()
        if about.linked_within not in ("", *levels):
            why = f"'linked_within' is {about.linked_within}, which the corpus does not have"
            raise self.kind.refuse(self.place(1), why)
        for values in self.attributes.values():
            values.extend([None] * (len(self.numbers) - len(values)))
        columns = dict(zip(_CORE, zip(*self.core, strict=True), strict=True)) if self.core else {}
        corpus = corpus_of(
            name,
            "",
            self.documents,
            {**dict.fromkeys(_CORE, ()), **columns, **self.attributes},
            self._failing,
            reviewed=frozenset(self.reviewed),
            levels=levels,
            linked_within=about.linked_within,
            variants=about.variants,
            variant=next(iter(about.variants), ""),
            splits=about.splits,
            text="none" if True in self.masked else about.text,
            argument_kinds=about.argument_kinds,
            release={n: getattr(about, n) for n in RELEASE if getattr(about, n)},
        )
        return replace(corpus, digest=content_digest(corpus))

    def _levels(self) -> dict[str, str]:
        if self.about.levels is not None:
            return self.about.levels
        documents = self.documents.values()
        return {n: t for n, t in LEVELS.items() if any(getattr(d, n) for d in documents)}

    def _add_document(self, place: str, record: DocumentRecord) -> None:
        if record.id in self.documents:
            message, hint = f"duplicate document '{record.id}'", "keep one of them"
            raise CorpusError("corpus-file-invalid", message, place=place, hint=hint)
        self.masked.add(record.lengths is not None)
        if len(self.masked) > 1:
            why = "some documents have 'sentences', others 'lengths'"
            raise self.kind.refuse(place, why, "give the same for all documents")
        if sum(record.lengths or ()) > LARGEST_INDEX:
            why = f"'lengths' has more than {LARGEST_INDEX:,} tokens"
            raise self.kind.refuse(place, why)
        self.reviewed.update((record.id, sentence) for sentence in record.reviewed)
        sentences = (
            # Equal tokens are one object: a corpus has far fewer words than tokens.
            tuple(tuple(map(intern, sentence)) for sentence in record.sentences)
            if record.sentences is not None
            else tuple((MASKED,) * length for length in record.lengths or ())
        )
        self.documents[record.id] = Document(
            record.id,
            intern(record.topic),
            intern(record.subtopic),
            sentences,
            record.text_start,
            record.facts,
        )

    def _add_mention(self, number: int, place: str, record: MentionRecord) -> None:
        doc, tokens = intern(record.doc), tuple(sorted(record.tokens))
        if len(set(tokens)) < len(tokens):
            why, hint = f"'tokens' has a duplicate: {shown(list(tokens))}", "give each token once"
            raise self.kind.refuse(place, why, hint)
        own = record.id.startswith(f"{doc}/")
        id_ = record.id if own else f"{doc}/{record.id}"
        chain = intern(record.chain or id_)
        kind, state, tag = intern(record.kind), intern(record.state), intern(record.tag)
        self.core.append((id_, doc, tokens, chain, kind, state, tag))
        for name, value in record.attributes.items():
            self._add_attribute(name, intern(value) if type(value) is str else value)
        if record.head is not None:
            self._add_attribute(HEAD, record.head)
        self.numbers.append(number)

    def _add_attribute(self, name: str, value: object) -> None:
        values = self.attributes.setdefault(name, [])
        if len(values) < len(self.numbers):
            values += [None] * (len(self.numbers) - len(values))
        values.append(value)

    def _failing(self, code: str, row: int, message: str, hint: str) -> CorpusError:
        return CorpusError(code, message, place=self.place(self.numbers[row]), hint=hint)


ADAPTER = Adapter(LAYOUT, sniff=is_interchange, build=build)

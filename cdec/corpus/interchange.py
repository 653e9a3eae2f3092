"""The interchange format: a corpus as JSON Lines, one object in each (docs/interchange.md).

The lines that are written are canonical: the same documents and mentions give the same lines,
whatever format they were read from, and so the same content digest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import islice
from json.encoder import encode_basestring
from sys import intern
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from cdec.corpus.build import build
from cdec.corpus.formats import CorpusFormat
from cdec.corpus.model import (
    ANNOTATED,
    ATTRIBUTES,
    CORE,
    LEVELS,
    PART,
    Corpus,
    Document,
    Text,
    Treatment,
)
from cdec.corpus.source import Source, error
from cdec.errors import CdecError, CorpusError
from cdec.files.input import FileKind, collection_paused, text_lines
from cdec.files.models import FileModel, Filled, Schema, Texts, complaint, one_of, shown, validated
from cdec.files.strict_json import parse, parse_at

VERSION = "cdec-corpus/1"
LARGEST_INDEX = 10**9  # of a token; larger numbers are probably not indices
LARGEST = 2**32  # bytes, unpacked: a corpus a hundred times as large as ECB+ has about 2 GB
RELEASE = ("version", "licence", "citation", "address")
# Attributes of a document, and of a mention, with a field of their own in the record.
DOCUMENT_FIELDS = ("date", "language", "url", PART)
MENTION_FIELDS = ("tag", "head")
# Columns that no attribute may have: whether a mention is reviewed follows from its document.
_OWN = (*CORE, *MENTION_FIELDS, "reviewed")
_TAKEN = {*_OWN, "mention", "id"}
_TEXTS = {name for name in ATTRIBUTES if name not in _TAKEN}
_SCALARS = (str, int, float, bool)
_MASKED = "_"  # the text of a token of a document without text
KIND = FileKind(
    "a corpus in JSON Lines",
    CorpusError,
    "corpus-invalid",
    "see docs/interchange.md",
    LARGEST,
)

Index = Annotated[int, Field(ge=0, le=LARGEST_INDEX)]
Indices = Annotated[tuple[Index, ...], Field(strict=False)]
Sentence = Annotated[tuple[str, ...], Field(strict=False)]


def _mention_attributes(values: dict[str, Any]) -> dict[str, Any]:
    for name, value in values.items():
        if not name.strip() or name in _TAKEN:
            raise complaint(f"has the name '{name}', which is not available for an attribute")
        if name in _TEXTS and type(value) is not str:
            raise complaint(f"has {name} {shown(value)}, not a string")
        items = value if type(value) is list else [value]
        if not all(item is None or type(item) in _SCALARS for item in items):
            raise complaint(f"has {name} {shown(value)}, not a string, number or list of these")
    return values


def _document_attributes(values: dict[str, str]) -> dict[str, str]:
    taken = next((name for name in values if not name.strip() or name in DOCUMENT_FIELDS), None)
    if taken is not None:
        raise complaint(f"has the name '{taken}', which is not available for an attribute")
    return values


def _once(tokens: tuple[int, ...]) -> tuple[int, ...]:
    ordered = tuple(sorted(tokens))
    if len(set(ordered)) < len(ordered):
        raise complaint(f"has a duplicate: {shown(list(ordered))}")
    return ordered


class CorpusRecord(FileModel):
    """The first record: what is true of the whole corpus (docs/interchange.md)."""

    record: Literal["corpus"]
    name: Filled
    version: str = ""
    licence: str = ""
    citation: str = ""
    address: str = ""
    levels: dict[Annotated[str, one_of(LEVELS)], Filled] | None = None
    linked_within: Annotated[str, one_of(("", *LEVELS))] = ""
    variants: dict[Filled, dict[Filled, Treatment]] = Field({})
    splits: Texts = ()
    text: Text = "full"
    argument_kinds: dict[str, Filled] = Field({})


class DocumentRecord(FileModel):
    """A document: its tokens by sentence, or the lengths of its sentences."""

    record: Literal["document"]
    id: Filled
    topic: str = ""
    subtopic: str = ""
    sentences: Annotated[tuple[Sentence, ...], Field(strict=False)] | None = None
    lengths: Indices | None = None
    text_start: Index = 0
    reviewed: Indices = ()
    date: str = ""
    language: str = ""
    url: str = ""
    part: str = ""
    attributes: Annotated[dict[str, str], AfterValidator(_document_attributes)] = Field({})

    @model_validator(mode="after")
    def _one_text(self) -> DocumentRecord:
        if (self.sentences is None) == (self.lengths is None):
            raise complaint("must have either 'sentences' or 'lengths'")
        if sum(self.lengths or ()) > LARGEST_INDEX:
            raise complaint(f"has more than {LARGEST_INDEX:,} tokens in 'lengths'")
        return self


class MentionRecord(FileModel):
    """A mention of a document that has a record in the same file.

    Its id is unique in the document; 'a/7' and '7' are one id in document a. Without a chain it is
    a chain of its own.
    """

    record: Literal["mention"]
    id: Filled
    doc: Filled
    tokens: Annotated[tuple[Index, ...], Field(strict=False, min_length=1), AfterValidator(_once)]
    chain: Filled | None = None
    kind: Literal["event", "entity"] = "event"
    tag: str = ""
    head: Index | None = None
    state: Filled = ANNOTATED
    attributes: Annotated[dict[str, Any], AfterValidator(_mention_attributes)] = Field({})


def is_interchange(source: Source) -> bool:
    """Return whether the first line of a file is the record of a corpus."""

    def begins(data: bytes) -> bool:
        try:
            values = [parse(line) for _, line in islice(text_lines(data, KIND, ""), 1)]
        except (CdecError, ValueError):
            return False
        return any(isinstance(one, dict) and one.get("record") == "corpus" for one in values)

    return any(map(begins, source.files.values()))


def read(source: Source) -> Corpus:
    """Return the corpus in a file; its digest is that of its content.

    Raises CorpusError with the line of an invalid record.
    """
    if len(source.files) > 1:
        message = f"expected one file, got {len(source.files)}: {', '.join(source.files)[:200]}"
        raise CorpusError("corpus-invalid", message, place=source.path, hint="name one file")
    ((file, data),) = source.files.items()
    values = (
        (number, parse_at(line, number, partial(error, file)))
        for number, line in text_lines(data, KIND, file)
    )
    return of_records(values, lambda number: f"{file}:{number}", tick=source.tick)


def of_records(
    records: Iterable[tuple[int, Any]],
    place: Callable[[int], str],
    kind: FileKind = KIND,
    tick: Callable[[], object] = lambda: None,
) -> Corpus:
    """Return the corpus of records, each with its number, in any order after the first.

    ``place`` returns the place of a record, and ``kind`` describes them, for errors. Raises
    CorpusError with the place of an invalid record.
    """
    documents: dict[str, DocumentRecord] = {}
    mentions: list[MentionRecord] = []
    numbers: list[int] = []
    with collection_paused():
        pairs = iter(records)
        first, value = next(pairs)
        if not isinstance(value, dict) or value.get("record") != "corpus":
            hint = 'begin the file with {"record": "corpus", …}; for texts with mentions see '
            hint += "docs/your-own-articles.md"
            raise kind.refuse(place(first), "the first record is not a corpus record", hint)
        about = Schema(kind, CorpusRecord, VERSION).check(value, place(first))
        for number, value in pairs:
            what = value.get("record") if isinstance(value, dict) else None
            if what == "mention":
                mentions.append(validated(MentionRecord, value, place(number), kind))
                numbers.append(number)
            elif what == "document":
                one = validated(DocumentRecord, value, place(number), kind)
                other = next(iter(documents.values()), one)
                if (one.lengths is None) != (other.lengths is None):
                    why, hint = "some documents have 'sentences', others 'lengths'", "choose one"
                    raise kind.refuse(place(number), why, hint)
                if documents.setdefault(one.id, one) is not one:
                    message, hint = f"duplicate document '{one.id}'", "keep one of them"
                    where = place(number)
                    raise CorpusError("corpus-invalid", message, place=where, hint=hint)
                tick()
            elif what == "corpus":
                raise kind.refuse(place(number), "a second corpus record", "remove it")
            else:
                why = f"'record' is {shown(what)}, not document or mention"
                raise kind.refuse(place(number), why)

        def fail(code: str, row: int, message: str, hint: str) -> CorpusError:
            return CorpusError(code, message, place=place(numbers[row]), hint=hint)

        given = documents.values()
        levels = about.levels
        if levels is None:
            levels = {n: t for n, t in LEVELS.items() if any(getattr(d, n) for d in given)}
        if about.linked_within not in ("", *levels):
            why = f"'linked_within' is {about.linked_within}, which the corpus does not have"
            raise kind.refuse(place(first), why)
        corpus = build(
            map(_document, given),
            map(_mention, mentions),
            fail=fail,
            reviewed=frozenset((d.id, number) for d in given for number in d.reviewed),
            levels=levels,
            linked_within=about.linked_within,
            variants=about.variants,
            variant=next(iter(about.variants), ""),
            splits=about.splits,
            text="none" if any(d.lengths is not None for d in given) else about.text,
            argument_kinds=about.argument_kinds,
            release={name: getattr(about, name) for name in RELEASE if getattr(about, name)},
        )
        return replace(corpus, name=about.name, digest=content_digest(corpus))


def _document(record: DocumentRecord) -> Document:
    # Equal tokens are one object: a corpus has far fewer words than tokens.
    sentences = (
        tuple((_MASKED,) * length for length in record.lengths or ())
        if record.sentences is None
        else tuple(tuple(map(intern, sentence)) for sentence in record.sentences)
    )
    named = {name: getattr(record, name) for name in DOCUMENT_FIELDS}
    facts = {name: value for name, value in named.items() if value} | record.attributes
    levels = intern(record.topic), intern(record.subtopic)
    return Document(record.id, *levels, sentences, record.text_start, facts)


def _mention(record: MentionRecord) -> dict[str, Any]:
    row = {
        "id": record.id,
        "doc": intern(record.doc),
        "tokens": record.tokens,
        "chain": record.chain and intern(record.chain),
        "kind": record.kind,
        "state": intern(record.state),
        "tag": intern(record.tag),
        **record.attributes,
    }
    return row if record.head is None else {**row, "head": record.head}


_encode = json.JSONEncoder(ensure_ascii=False).encode


def lines(corpus: Corpus) -> Iterator[str]:
    """Yield the lines of a corpus: its record, then each document with its mentions."""
    release = {name: corpus.release[name] for name in RELEASE if corpus.release.get(name)}
    levels = {level: corpus.levels[level] for level in LEVELS if level in corpus.levels}
    record: dict[str, Any] = {"record": "corpus", "format": VERSION, "name": corpus.name, **release}
    optional = {
        "linked_within": corpus.linked_within,
        "variants": {name: dict(states) for name, states in corpus.variants.items()},
        "splits": list(corpus.splits),
        "argument_kinds": dict(corpus.argument_kinds),
    }
    record |= {"levels": levels, "text": corpus.text}
    yield _encode(record | {name: value for name, value in optional.items() if value}) + "\n"
    yield from _content(corpus)


def content_digest(corpus: Corpus) -> str:
    """Return the SHA-256 of documents and mentions: of all lines but the first.

    It does not depend on the format of the files, nor on the name of the corpus.
    """
    digest = sha256()
    for line in _content(corpus):
        digest.update(line.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _content(corpus: Corpus) -> Iterator[str]:
    """Yield the lines of the documents in order, each followed by those of its mentions."""
    reviewed: dict[str, list[int]] = {}
    for id_, sentence in sorted(corpus.reviewed):
        reviewed.setdefault(id_, []).append(sentence)
    mentions = zip(corpus.mentions["doc"].tolist(), _mention_lines(corpus), strict=True)
    doc, line = next(mentions, ("", ""))
    for id_, document in corpus.documents.items():
        facts = document.attributes
        record: dict[str, Any] = {"record": "document", "id": id_}
        record |= {name: getattr(document, name) for name in LEVELS if getattr(document, name)}
        record |= {name: facts[name] for name in DOCUMENT_FIELDS if facts.get(name)}
        record |= {"text_start": document.text_start} if document.text_start else {}
        record |= {"reviewed": reviewed[id_]} if id_ in reviewed else {}
        others = {name: facts[name] for name in sorted(facts) if name not in DOCUMENT_FIELDS}
        record |= {"attributes": others} if others else {}
        if corpus.text == "none":  # placeholders of masked tokens are no content
            record |= {"lengths": [len(sentence) for sentence in document.sentences]}
        else:
            record |= {"sentences": document.sentences}
        yield _encode(record) + "\n"
        while line and doc == id_:
            yield line
            doc, line = next(mentions, ("", ""))


def _mention_lines(corpus: Corpus) -> Iterator[str]:
    """Yield the line of each mention in corpus order; default values are left out.

    Fields are encoded column by column: an encoder for each line takes three times as long.
    """
    table = corpus.mentions
    defaults = {"state": ANNOTATED, **ATTRIBUTES}
    core = ["doc", "tokens", "chain", "kind", "state", *(n for n in MENTION_FIELDS if n in table)]
    others = sorted(str(name) for name in table.columns if name not in _OWN)
    fields = [_fields(name, table[name].tolist(), defaults.get(name)) for name in (*core, *others)]
    own, more = fields[: len(core)], fields[len(core) :]
    columns = [_fields("id", table.index.tolist()), *own]
    columns.append(
        f'"attributes": {{{", ".join(filter(None, parts))}}}' if any(parts) else ""
        for parts in zip(*more, strict=True)
    )
    for parts in zip(*columns, strict=True):
        yield f'{{"record": "mention", {", ".join(filter(None, parts))}}}\n'


def _fields(name: str, values: Iterable[Any], default: object = None) -> Iterator[str]:
    """Yield ``"name": value`` for each value, '' for a missing one and the default."""
    start = f"{encode_basestring(name)}: "
    for value in values:
        if type(value) is str:
            yield "" if value == default else start + encode_basestring(value)
        elif type(value) is tuple:
            yield f"{start}{list(value)}"
        elif value is None or value == default or value != value:  # NaN  # noqa: PLR0124
            yield ""
        else:
            yield start + _encode(value.item() if isinstance(value, np.generic) else value)


JSONL = CorpusFormat(
    "jsonl",
    "cdec JSON Lines",
    patterns=("*.jsonl", "*.jsonl.gz"),
    expected='one file whose first line is {"record": "corpus", …}',
    sniff=is_interchange,
    read=read,
    largest=LARGEST,
)

"""The interchange format: a corpus as JSON Lines, one object in each (docs/interchange.md).

The lines that are written are canonical: the same documents and mentions give the same lines,
whatever format they were read from, and so the same content digest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import chain, groupby
from operator import itemgetter
from sys import intern
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from cdec.corpus.build import build
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
from cdec.corpus.source import CorpusFormat, Source, error
from cdec.errors import CorpusError
from cdec.files.input import FileKind, collection_paused, text_lines
from cdec.files.models import FileModel, Filled, Schema, Texts, complaint, one_of, shown, validated
from cdec.files.strict_json import parse_at

VERSION = "cdec-corpus/1"
LARGEST_INDEX = 10**9  # of a token; larger numbers are probably not indices
LARGEST = 2**32  # bytes, unpacked: a corpus a hundred times as large as ECB+ has about 2 GB
RELEASE = ("version", "licence", "citation", "address")
# Attributes of a document with a field of their own in the record; all fields of a mention.
DOCUMENT_FIELDS = ("date", "language", "url", PART)
MENTION_FIELDS = ("id", "doc", "tokens", "chain", "kind", "state", "tag", "head")
# Columns that follow from others, which no attribute may have.
_COMPUTED = {*LEVELS, "sentence", "text", "mention", "reviewed", ""}
_MASKED = "_"  # the text of a token of a document without text
_HINT = "see docs/interchange.md"
KIND = FileKind("a corpus in JSON Lines", CorpusError, "corpus-invalid", _HINT, LARGEST)

Row = dict[str, Any]
Index = Annotated[int, Field(ge=0, le=LARGEST_INDEX)]
Indices = Annotated[tuple[Index, ...], Field(strict=False)]
Sentence = Annotated[tuple[str, ...], Field(strict=False)]


def _document_attributes(values: dict[str, str]) -> dict[str, str]:
    taken = next((name for name in values if not name.strip() or name in DOCUMENT_FIELDS), None)
    if taken is not None:
        raise complaint(f"has the name '{taken}', which is not available for an attribute")
    return values


class CorpusRecord(FileModel):
    """The first record: what is true of the whole corpus (docs/interchange.md)."""

    record: Literal["corpus"] = "corpus"
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

    record: Literal["document"] = "document"
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

    @property
    def document(self) -> Document:
        """The document of the corpus."""
        # Equal tokens are one object: a corpus has far fewer words than tokens.
        sentences = (
            tuple((_MASKED,) * length for length in self.lengths or ())
            if self.sentences is None
            else tuple(tuple(map(intern, sentence)) for sentence in self.sentences)
        )
        named = {name: getattr(self, name) for name in DOCUMENT_FIELDS}
        facts = {name: value for name, value in named.items() if value} | self.attributes
        levels = intern(self.topic), intern(self.subtopic)
        return Document(self.id, *levels, sentences, self.text_start, facts)


def is_interchange(source: Source) -> bool:
    """Return whether the first line of a file is the record of a corpus."""
    heads = ("".join(source.head(file, 2**16)[:1]) for file in source.files)
    return any(re.search(r'"record"\s*:\s*"corpus"', head) for head in heads)


def read(source: Source) -> Corpus:
    """Return the corpus in a file; its digest is that of its content.

    The records after the first may be in any order. Raises CorpusError with the line of an invalid
    one.
    """
    if len(source.files) > 1:
        message = f"expected one file, got {len(source.files)}: {', '.join(source.files)[:200]}"
        raise CorpusError("corpus-invalid", message, place=source.path, hint="name one file")
    ((file, data),) = source.files.items()
    documents: dict[str, DocumentRecord] = {}
    mentions: list[Row] = []
    numbers: list[int] = []
    with collection_paused():
        records = (
            (number, parse_at(line, number, partial(error, file)))
            for number, line in text_lines(data, KIND, file)
        )
        first, value = next(records)  # an empty file is an error
        if not isinstance(value, dict) or value.get("record") != "corpus":
            hint = 'begin the file with {"record": "corpus", …}; for texts with mentions see '
            hint += "docs/your-own-articles.md"
            raise KIND.refuse(f"{file}:{first}", "the first record is not a corpus record", hint)
        about = Schema(KIND, CorpusRecord, VERSION).check(value, f"{file}:{first}")
        for number, value in records:
            what = value.get("record") if isinstance(value, dict) else None
            if what == "mention":
                mentions.append(_mention(value, f"{file}:{number}"))
                numbers.append(number)
            elif what == "document":
                add_document(documents, value, f"{file}:{number}", KIND)
                source.tick()
            else:
                why = f"'record' is {shown(what)}, not document or mention"
                raise KIND.refuse(f"{file}:{number}", why)
        return assemble(about, documents, mentions, lambda row: f"{file}:{numbers[row]}", KIND)


def _mention(value: Row, place: str) -> Row:
    """Return the columns of a mention record: its fields, and its attributes beside them."""
    more = value.get("attributes", {})
    wrong = value.keys() - {"record", "attributes", *MENTION_FIELDS}
    wrong |= more.keys() & {*CORE, *MENTION_FIELDS} if isinstance(more, dict) else {"attributes"}
    if wrong:
        hint = f"known: {', '.join(MENTION_FIELDS)}; attributes have other names"
        raise KIND.refuse(place, f"the field '{min(wrong)}' is not valid", hint)
    return {**{name: value[name] for name in MENTION_FIELDS if name in value}, **more}


def add_document(
    documents: dict[str, DocumentRecord], value: Row, place: str, kind: FileKind
) -> None:
    """Add the record of a document to those before. Raises the error of ``kind`` at its place."""
    one = validated(DocumentRecord, value, place, kind)
    first = next(iter(documents.values()), one)
    if (one.lengths is None) != (first.lengths is None):
        why, hint = "some documents have 'sentences', others 'lengths'", "choose one"
        raise kind.refuse(place, why, hint)
    if documents.setdefault(one.id, one) is not one:
        raise kind.refuse(place, f"duplicate document '{one.id}'", "keep one of them")


def assemble(
    about: CorpusRecord,
    documents: Mapping[str, DocumentRecord],
    mentions: Sequence[Row],
    place: Callable[[int], str],
    kind: FileKind,
) -> Corpus:
    """Return the corpus of these records; ``place`` returns that of a mention by its row from 0."""
    given = documents.values()
    levels = about.levels
    if levels is None:
        levels = {n: t for n, t in LEVELS.items() if any(getattr(d, n) for d in given)}
    if about.linked_within not in ("", *levels):
        why = f"'linked_within' is {about.linked_within}, which the corpus does not have"
        raise kind.refuse(about.name, why)

    def fail(code: str, row: int, message: str, hint: str) -> CorpusError:
        return CorpusError(code, message, place=place(row), hint=hint)

    for row, mention in enumerate(mentions):
        if computed := mention.keys() & _COMPUTED:
            message = f"the name '{min(computed)}' is not available for an attribute"
            raise fail(kind.code, row, message, "give it another name")
    named = ("linked_within", "variants", "splits", "argument_kinds")
    corpus = build(
        (record.document for record in given),
        mentions,
        name=about.name,
        fail=fail,
        reviewed=frozenset((d.id, number) for d in given for number in d.reviewed),
        levels=levels,
        text="none" if any(d.lengths is not None for d in given) else about.text,
        release={name: getattr(about, name) for name in RELEASE if getattr(about, name)},
        **{name: getattr(about, name) for name in named},
    )
    return replace(corpus, digest=content_digest(corpus))


_encode = json.JSONEncoder(ensure_ascii=False).encode


def lines(corpus: Corpus) -> Iterator[str]:
    """Yield the lines of a corpus: its record, then each document with its mentions."""
    release = {name: corpus.release[name] for name in RELEASE if corpus.release.get(name)}
    levels = {level: corpus.levels[level] for level in LEVELS if level in corpus.levels}
    record: Row = {"record": "corpus", "format": VERSION, "name": corpus.name, **release}
    optional = {
        "linked_within": corpus.linked_within,
        "variants": {name: dict(states) for name, states in corpus.variants.items()},
        "splits": list(corpus.splits),
        "argument_kinds": dict(corpus.argument_kinds),
    }
    record |= {"levels": levels, "text": corpus.text}
    record |= {name: value for name, value in optional.items() if value}
    yield from (f"{_encode(each)}\n" for each in chain([record], _content(corpus)))


def content_digest(corpus: Corpus) -> str:
    """Return the SHA-256 of documents and mentions: of all lines but the first.

    It does not depend on the format of the files, nor on the name of the corpus.
    """
    digest = sha256()
    for record in _content(corpus):
        digest.update(f"{_encode(record)}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _content(corpus: Corpus) -> Iterator[Row]:
    """Yield the records of the documents in order, each followed by its mentions.

    Default values are left out.
    """
    reviewed: dict[str, list[int]] = {}
    for id_, sentence in sorted(corpus.reviewed):
        reviewed.setdefault(id_, []).append(sentence)
    mentions = groupby(_mentions(corpus), itemgetter("doc"))
    doc, own = next(mentions, (None, iter(())))
    for id_, document in corpus.documents.items():
        facts = document.attributes
        record: Row = {"record": "document", "id": id_}
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
        yield record
        if doc == id_:
            yield from own
            doc, own = next(mentions, (None, iter(())))


def _mentions(corpus: Corpus) -> Iterator[Row]:
    table = corpus.mentions.rename_axis("id").reset_index()
    others = sorted(str(name) for name in table if name not in {*CORE, *MENTION_FIELDS, "reviewed"})
    names = [name for name in (*MENTION_FIELDS, *others) if name in table]
    defaults = {"state": ANNOTATED, **ATTRIBUTES}
    for values in zip(*(table[name].tolist() for name in names), strict=True):
        fields = {
            name: value
            for name, value in zip(names, values, strict=True)
            if not (value is None or value != value or value == defaults.get(name))  # noqa: PLR0124
        }
        more = {name: fields.pop(name) for name in others if name in fields}
        yield {"record": "mention", **fields, **({"attributes": more} if more else {})}


JSONL = CorpusFormat(
    "jsonl",
    "cdec JSON Lines",
    patterns=("*.jsonl", "*.jsonl.gz"),
    expected='one file whose first line is {"record": "corpus", …}',
    sniff=is_interchange,
    read=read,
)

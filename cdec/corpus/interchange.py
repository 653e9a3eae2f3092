"""The interchange format: a corpus as JSON Lines, one object in each (docs/interchange.md).

The lines that are written are canonical: the same documents and mentions give the same lines,
whatever format they were read from, and so the same content digest. Tables in memory, and texts
with mentions, become the same records, and so have the same fields and checks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import chain
from sys import intern
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import AfterValidator, Field, model_validator

from cdec.corpus.build import build, plain
from cdec.corpus.labels import Place, with_chains
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
    Variants,
)
from cdec.corpus.readers.texts import BEGIN, TextDocument, text_document, with_tokens
from cdec.corpus.source import CorpusFormat, Source, error
from cdec.errors import CorpusError, Notice, warn_of
from cdec.files.input import FileKind, collection_paused
from cdec.files.models import (
    FileModel,
    Filled,
    Schema,
    Texts,
    complaint,
    one_of,
    validated,
)
from cdec.files.progress import notebook
from cdec.files.strict_json import parse_at, shown
from cdec.formats import reading
from cdec.formats.annotation import object_array
from cdec.formats.fields import (
    are_integers,
    chains_by_side,
    check_columns,
    check_fields,
    is_chain,
    side_of,
    stated_columns,
    whole,
)
from cdec.formats.records import words_of
from cdec.records import Fields, Row, Tokens, Words

VERSION = "cdec-corpus/1"
LARGEST_INDEX = 10**7  # of a token; larger numbers are probably not indices
LARGEST = (
    2**32
)  # bytes, unpacked: a corpus a hundred times as large as ECB+ has about 2 GB
RELEASE = ("version", "licence", "citation", "address")
# Attributes of a document with a field of their own in the record; all fields of a mention.
DOCUMENT_FIELDS = ("date", "language", "url", PART)
MENTION_FIELDS = ("id", "doc", "tokens", "chain", "kind", "state", "tag", "head")
# Columns that follow from others, which no attribute may have.
_COMPUTED = {*LEVELS, "sentence", "text", "mention", "reviewed", ""}
_NAMES = ("id", "doc", "chain", *LEVELS)  # fields that are text
_NUMBERS = ("start", "end", "head")
TABLE_FIELDS = (
    *MENTION_FIELDS, "mention", "start", "end", "from_char", "to_char", "text", *LEVELS
)  # fmt: skip
"""The fields of a mention in a table for which a caller can name the column."""
_LONGEST = 10**6  # tokens of a mention
_MASKED = "_"  # the text of a token of a document without text
_HINT = "see docs/interchange.md"
KIND = FileKind("a corpus", CorpusError, "corpus-invalid", _HINT, LARGEST)

Table = pd.DataFrame | Fields | Sequence[Fields]
Index = Annotated[int, Field(ge=0, le=LARGEST_INDEX)]
Indices = Annotated[tuple[Index, ...], Field(strict=False)]
Sentence = Annotated[Words, Field(strict=False)]


def _document_attributes(values: dict[str, str]) -> dict[str, str]:
    taken = next(
        (name for name in values if not name.strip() or name in DOCUMENT_FIELDS), None
    )
    if taken is not None:
        raise complaint(
            f"has the name '{taken}', which is not available for an attribute"
        )
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
    text: Text = "full"
    linked_within: Annotated[str, one_of(("", *LEVELS))] = ""
    variants: dict[Filled, dict[Filled, Treatment]] = Field({})
    splits: Texts = ()
    argument_kinds: dict[str, Filled] = Field({})


class DocumentRecord(FileModel):
    """A document: its tokens by sentence, or the lengths of its sentences."""

    record: Literal["document"] = "document"
    id: Filled
    topic: str = ""
    subtopic: str = ""
    date: str = ""
    language: str = ""
    url: str = ""
    part: str = ""
    text_start: Index = 0
    reviewed: Indices = ()
    attributes: Annotated[dict[str, str], AfterValidator(_document_attributes)] = Field(
        {}
    )
    sentences: Annotated[tuple[Sentence, ...], Field(strict=False)] | None = None
    lengths: Indices | None = None

    @model_validator(mode="after")
    def _one_text(self) -> DocumentRecord:
        if (self.sentences is None) == (self.lengths is None):
            raise complaint("must have either 'sentences' or 'lengths'")
        if sum(self.lengths or ()) > LARGEST_INDEX:
            raise complaint(f"has more than {LARGEST_INDEX:,} tokens in 'lengths'")
        return self


def read(source: Source) -> Corpus:
    """Return the corpus in a file; its digest is that of its content.

    The records after the first may be in any order. Raises CorpusError with the line of an invalid
    one.
    """
    if len(source.files) > 1:
        raise CorpusError(
            "corpus-invalid",
            f"expected one file, got {len(source.files)}: {', '.join(source.files)[:200]}",
            place=source.path,
            hint="name one file",
        )
    ((file, data),) = source.files.items()
    documents: dict[str, DocumentRecord] = {}
    mentions = []
    places = []
    records = (
        (f"{file}:{number}", parse_at(line, number, partial(error, file)))
        for number, line in KIND.lines(data, file)
    )
    place, value = next(records)  # an empty file is an error
    if not isinstance(value, dict) or value.get("record") != "corpus":
        raise KIND.refuse(
            place,
            "the first record is not a corpus record",
            'begin the file with {"record": "corpus", …}; for texts with mentions see '
            "docs/your-own-articles.md",
        )
    about = Schema(KIND, CorpusRecord, VERSION).check(value, place)
    for place, value in records:
        record_type = value.get("record") if isinstance(value, dict) else None
        if record_type == "mention":
            del value["record"]
            unknown = value.keys() - {"attributes", *MENTION_FIELDS}
            if unknown:
                raise KIND.refuse(
                    place,
                    f"the field '{min(unknown)}' is not valid",
                    f"known: {', '.join(MENTION_FIELDS)}; attributes have other names",
                )
            mentions.append(value)
            places.append(place)
        elif record_type == "document":
            _add_document(documents, value, place)
            source.tick()
        else:
            raise KIND.refuse(
                place, f"'record' is {shown(record_type)}, not document or mention"
            )
    return _corpus_of(about, documents, mentions, places)


def _add_document(documents: dict[str, DocumentRecord], value: Row, place: str) -> None:
    """Add the record of a document to those before."""
    record = validated(DocumentRecord, value, place, KIND)
    first = next(iter(documents.values()), record)
    if (record.lengths is None) != (first.lengths is None):
        raise KIND.refuse(
            place, "some documents have 'sentences', others 'lengths'", "choose one"
        )
    if record.id in documents:
        raise KIND.refuse(
            place, f"duplicate document '{record.id}'", "keep one of them"
        )
    documents[record.id] = record


def _corpus_of(
    about: CorpusRecord,
    records: Mapping[str, DocumentRecord],
    mentions: Sequence[Row],
    places: Sequence[str],
) -> Corpus:
    """Return the corpus of these records; ``places`` has that of each mention."""

    def fail(code: str, row: int, message: str, hint: str) -> CorpusError:
        return CorpusError(code, message, place=places[row], hint=hint)

    for mention, place in zip(mentions, places, strict=True):
        _flatten_attributes(mention, place)
    is_masked = any(record.lengths is not None for record in records.values())
    corpus = build(
        map(_document_of, records.values()),
        mentions,
        name=about.name,
        fail=fail,
        reviewed={
            (id_, number)
            for id_, record in records.items()
            for number in record.reviewed
        },
        levels=about.levels,
        text="none" if is_masked else about.text,
        release=about.model_dump(include={*RELEASE}, exclude_defaults=True),
        linked_within=about.linked_within,
        variants=about.variants,
        splits=about.splits,
        argument_kinds=about.argument_kinds,
    )
    if about.linked_within not in ("", *corpus.levels):
        raise KIND.refuse(
            about.name,
            f"'linked_within' is {about.linked_within}, which the corpus does not have",
        )
    return replace(corpus, digest=content_digest(corpus))


def _document_of(record: DocumentRecord) -> Document:
    sentences = record.sentences
    if sentences is None:
        sentences = tuple((_MASKED,) * length for length in record.lengths or ())
    fields = record.model_dump(include={*DOCUMENT_FIELDS}, exclude_defaults=True)
    return Document(
        record.id,
        intern(record.topic),
        intern(record.subtopic),
        # Equal tokens are one object: a corpus has far fewer words than tokens.
        tuple(tuple(map(intern, sentence)) for sentence in sentences),
        record.text_start,
        fields | record.attributes,
    )


def _flatten_attributes(mention: Row, place: str) -> None:
    """Move the attributes of a mention beside its fields, whose names they must not have."""
    attributes = mention.pop("attributes", {})
    if not isinstance(attributes, dict):
        attributes = {"attributes": attributes}
    reserved = attributes.keys() & {*CORE, *MENTION_FIELDS, "attributes"}
    reserved |= {*mention, *attributes} & _COMPUTED
    if reserved:
        raise KIND.refuse(
            place,
            f"the name '{min(reserved)}' is not available for an attribute",
            "give it another name",
        )
    mention.update(attributes)


# Tables in memory, and texts.


def _place(number: int) -> str:
    return f"mentions, row {number}" if number > 0 else f"documents, row {-number}"


def build_corpus(
    mentions: Table,
    documents: Table | None = None,
    *,
    name: str = "corpus",
    levels: Mapping[str, str] | None = None,
    variants: Variants | None = None,
    key_labels: str | None = None,
    noise: str | None = None,
    columns: Mapping[str, str] | None = None,
    place: Place = _place,
) -> Corpus:
    """Return a corpus of mentions and documents in memory.

    * ``mentions``: a DataFrame, a list of dicts or a dict id → dict, with ``doc``, ``tokens``
      (indices in the document, from 0) or ``start`` and ``end`` (inclusive), ``chain``, and
      optionally ``id``, ``kind``, ``tag``, ``head``, ``state``; further columns are attributes.
      Without ``id``, the mentions of a document are numbered. If documents are texts, a mention may
      have ``from_char`` and ``to_char`` (exclusive) instead of tokens. Its ``text``, if given, must
      be at its place. ``topic`` and ``subtopic`` are those of its document.
    * ``documents``: a dict document → text, or sentences (lists of tokens); or a table with ``id``,
      ``text``, ``sentences`` or ``lengths`` and, optionally, the other fields of a document in
      ``docs/interchange.md``. Without documents the corpus has no text.
    * ``levels``: topic and subtopic → their names, by default those that the documents have;
      ``variants``: the readings of the key.
    * ``key_labels``: ``"corpus"`` if the same label is the same chain in all documents,
      ``"document"`` if a chain ends with its document. It is needed only if each document numbers
      its chains anew and labels recur;
    * ``noise``: what a label that means no chain is (as ``"-1"`` or ``"-"``): ``"singletons"``,
      ``"absent"`` (the mention is left out) or ``"label"`` (a chain). It is needed only if mentions
      share one;
    * ``columns``: field → name of the column of ``mentions`` that holds it. Of the chains of a key
      and of a response, as ``gold_chain`` and ``predicted_chain``, those of the key count.
    * ``place``, for readers of files: the place of a mention by its row from 1, that of a document
      by −row.

    Offsets that count otherwise, from 1 or to the token after the last, are read so if the texts of
    all mentions are there then. Warns with CdecWarning of offsets that cut a token. Raises
    CorpusError with the row of an invalid mention or document. ``corpus.save(path)`` writes the
    corpus for the command line.

    >>> mentions = [{"doc": "a", "tokens": [1], "chain": "fire"},
    ...             {"doc": "b", "start": 0, "end": 1, "chain": "fire"}]
    >>> corpus = build_corpus(mentions, {"a": [["A", "fire"]], "b": [["the", "blaze"]]}, name="x")
    >>> corpus.gold, corpus.mentions["text"].tolist()
    (Clustering(2 mentions in 1 chain), ['fire', 'the blaze'])
    >>> offsets = [{"doc": "a", "from_char": 2, "to_char": 6, "text": "fire", "chain": "7"}]
    >>> build_corpus(offsets, {"a": "A fire broke out."}).mentions["tokens"].tolist()
    [(1,)]
    """
    about = {
        "name": name,
        "variants": dict(variants or {}),
        "levels": None if levels is None else dict(levels),
    }
    with collection_paused():
        head = validated(CorpusRecord, about, "the corpus", KIND)
        rows = [
            _with_id(row, "mention")
            for row in _with_columns(_rows(mentions, "mention"), columns or {})
        ]
        document_table = [] if documents is None else _rows(documents, "doc")
        document_rows = [_with_id(row, "doc") for row in document_table]
        texts = _tokenised(document_rows, place)
        documents_by_id = {str(row.get("id")): row for row in document_rows}
        for number, row in enumerate(rows, start=1):
            _add_tokens(row, place(number))
            if documents is None:
                _lengthen(documents_by_id, row)
            _move_levels(documents_by_id, row, place(number))
        records: dict[str, DocumentRecord] = {}
        for number, row in enumerate(
            document_rows or documents_by_id.values(), start=1
        ):
            _add_document(records, _with_attributes(row), place(-number))
        rows = with_chains(
            rows, key_labels=key_labels, noise=noise, file=name, place=place
        )
        if rows and not any(row.get("chain") for row in rows):
            message = f"no mention has a chain: each of {len(rows):,} is a singleton"
            warn_of([Notice("label-ambiguous", len(rows), message)])
        places = [place(number) for number in range(1, len(rows) + 1)]
        _place_words(rows, records, texts, places)
        if texts:
            with_tokens(rows, texts, places)
        return _corpus_of(head, records, rows, places)


def _tokenised(rows: Sequence[Row], place: Place) -> dict[str, TextDocument]:
    """Return the documents that are texts, and give their rows sentences instead."""
    texts: dict[str, TextDocument] = {}
    for number, row in enumerate(
        notebook()(rows, len(rows), "reading documents"), start=1
    ):
        if "text" in row:
            document = text_document(place(-number), row)
            texts.setdefault(document.id, document)
            row["sentences"] = document.sentences
            del row["text"]
    return texts


def _with_attributes(row: Row) -> Row:
    """Return the record of a document, in which fields with other names are attributes."""
    record = {
        field: row[field] for field in row if field in DocumentRecord.model_fields
    }
    attributes = record.get("attributes", {})
    if isinstance(attributes, dict):
        others = {field: row[field] for field in row if field not in record}
        record["attributes"] = others | attributes
    return record


def _rows(table: Table, index: str) -> list[Row]:
    """Return the rows of a table without missing values.

    The key of a dict of rows, or of texts or sentences, is the id.
    """
    if isinstance(table, Mapping) and all(
        isinstance(row, Mapping) for row in table.values()
    ):
        table = [{"id": str(id_), **row} for id_, row in table.items()]
    elif isinstance(table, Mapping) and index == "doc":
        table = [
            {"id": id_, "text" if isinstance(text, str) else "sentences": text}
            for id_, text in table.items()
        ]
    try:
        # As objects: pandas would turn the integers of a column with missing values into floats.
        frame = (
            table
            if isinstance(table, pd.DataFrame)
            else pd.DataFrame(table, dtype=object)
        )
        if frame.index.name in ("id", "mention"):
            frame = frame.reset_index()
    except (ValueError, TypeError) as problem:
        raise CorpusError(
            "corpus-invalid",
            f"the {index}s are not a table: {problem}",
            hint="give a DataFrame, a list of dicts, or a dict id → dict",
        ) from None
    return [
        {
            str(name): value
            for name, value in row.items()
            if not (pd.api.types.is_scalar(value) and pd.isna(value))
        }
        for row in frame.to_dict("records")
    ]


def _with_id(row: Row, index: str) -> Row:
    """Return a row with values as JSON has them, and with the id, which may be in ``index``."""
    fields = {name: _field(name, value) for name, value in row.items()}
    id_ = fields.pop(index, None)
    if id_:
        fields.setdefault("id", _field("id", id_))
    return fields


def _field(name: str, value: object) -> object:
    """Return the value of a field as JSON has it: text in names, and whole numbers."""
    if name not in (*_NAMES, *_NUMBERS):
        return plain(list(value) if isinstance(value, tuple) else value)
    number = whole(value)
    return str(number) if name in _NAMES and type(number) is int else number


def _with_columns(rows: list[Row], columns: Mapping[str, str]) -> list[Row]:
    """Return the rows with the fields that the caller names, and with the chains of the key.

    Raises UnknownNameError for a field that does not exist, UsageError for a column that no row
    has.
    """
    check_fields(columns, TABLE_FIELDS)
    names = list(dict.fromkeys(name for row in rows for name in row))
    check_columns(columns, [("the table", names)])
    fields = stated_columns(names, columns)
    if "chain" not in fields:
        # Beside ``chain``, other names of chains are attributes, such as ``label``.
        same_field = "chain".__eq__ if "chain" in names else is_chain
        of_sides = [name for name in names if same_field(side_of(name)[1])]
        of_key = chains_by_side(of_sides, same_field).get("gold", [])
        if of_key:
            fields["chain"] = of_key[0]
    if not fields:
        return rows
    replaced = {*fields, *fields.values()}
    renamed = []
    for row in rows:
        unchanged = {name: value for name, value in row.items() if name not in replaced}
        values = {field: row[name] for field, name in fields.items() if name in row}
        renamed.append(unchanged | values)
    return renamed


def _place_words(
    mentions: Sequence[Row],
    records: Mapping[str, DocumentRecord],
    texts: Mapping[str, TextDocument],
    mention_places: Sequence[str],
) -> None:
    """Give mentions with words the tokens at which these are, and warn if they count otherwise.

    Offsets of characters are checked with the texts. Raises CorpusError with the place of the first
    mention whose words are not at its tokens.
    """
    words = {
        id_: [*chain.from_iterable(record.sentences)]
        for id_, record in records.items()
        if record.sentences
    }
    rows = [row for row, mention in enumerate(mentions) if _has_tokens(mention, words)]
    placed = [mentions[row] for row in rows]
    table = pd.DataFrame(
        {
            "text": [str(mention["doc"]) for mention in placed],
            "block": [0] * len(placed),
            "first": [min(mention["tokens"]) for mention in placed],
            "last": [max(mention["tokens"]) for mention in placed],
            "tokens": object_array(_gap(mention["tokens"]) for mention in placed),
            "words": [_words_of(mention) for mention in placed],
        }
    )
    has_words = table["words"] != ""
    if not has_words.any() or reading.are_contexts(table[has_words], words):
        return

    def refuse(row: int, message: str, hint: str) -> CorpusError:
        return CorpusError(
            "corpus-invalid", message, place=mention_places[rows[row]], hint=hint
        )

    characters = {id_: " ".join(document) for id_, document in words.items()}
    characters |= {id_: document.text for id_, document in texts.items()}
    places, choice, are_characters = reading.place_by_words(
        table,
        words,
        {"": pd.Series(0, table.index)},
        refuse,
        other_texts=characters,
        are_lists=any("start" not in mention for mention in placed),
    )
    for mention in placed:
        mention.pop("text", None)
    if choice.value == reading.TO_LAST:
        return
    bounds = places.itertuples(index=False)
    for mention, (first, last) in zip(placed, bounds, strict=True):
        tokens = mention["tokens"]
        doc = str(mention["doc"])
        if are_characters:
            spans = reading.word_places(words[doc])
            if doc in texts:
                spans = [*zip(texts[doc].begin, texts[doc].end, strict=True)]
            first_token, last_token = reading.words_at(spans, first, last)
            mention["tokens"] = [*range(first_token, last_token + 1)]
        elif _gap(tokens):
            move = first - min(tokens)
            mention["tokens"] = [token + move for token in tokens]
        else:
            mention["tokens"] = [*range(first, last + 1)]
    warn_of([reading.offsets_notice(choice, len(placed))])


def _words_of(mention: Row) -> str:
    field = reading.words_field(mention)
    return words_of(mention[field]) if field else ""


def _has_tokens(mention: Row, words: Mapping[str, list[str]]) -> bool:
    """Return whether a mention is given by numbers of tokens of a document with words."""
    has_words = BEGIN not in mention and str(mention.get("doc")) in words
    return has_words and are_integers(mention.get("tokens"))


def _gap(tokens: Sequence[int]) -> Tokens:
    ordered = tuple(sorted(tokens))
    return ordered if len(ordered) <= ordered[-1] - ordered[0] else ()


def _add_tokens(mention: Row, place: str) -> None:
    """Give a mention with ``start`` its tokens."""
    start = mention.get("start")
    end = mention.get("end", start)
    if "tokens" not in mention and type(start) is type(end) is int:
        if end - start > _LONGEST:
            raise KIND.refuse(place, f"a mention from token {start} to {end}")
        mention["tokens"] = [*range(start, end + 1)]


def _lengthen(documents: dict[str, Row], mention: Row) -> None:
    """Make the document of a mention as long as its tokens need."""
    tokens = mention.get("tokens")
    if "doc" in mention and isinstance(tokens, list):  # others are refused later
        doc = str(mention["doc"])
        document = documents.setdefault(doc, {"id": doc, "lengths": [0]})
        sizes = [token + 1 for token in tokens if type(token) is int]
        document["lengths"] = [max([*document["lengths"], *sizes])]


def _move_levels(documents: Mapping[str, Row], mention: Row, place: str) -> None:
    """Give the document of a mention its topic and sub-topic, which must not differ."""
    doc = str(mention.get("doc"))
    document = documents.get(doc, {})
    for level in LEVELS:
        value = mention.pop(level, "")
        if value != "" and document.setdefault(level, value) != value:
            raise CorpusError(
                "corpus-invalid",
                f"the {LEVELS[level]} is {shown(value)}, but {shown(document[level])} for "
                f"document '{doc}'",
                place=place,
                hint="give a document and all of its mentions one topic and sub-topic",
            )


# Writing.


_encode = json.JSONEncoder(ensure_ascii=False).encode


def lines(corpus: Corpus) -> Iterator[str]:
    """Yield the lines of a corpus: its record, then each document with its mentions."""
    record: Row = {"record": "corpus", "format": VERSION, "name": corpus.name}
    for name in CorpusRecord.model_fields:
        value = (
            corpus.release.get(name) if name in RELEASE else getattr(corpus, name, None)
        )
        if value or name == "levels":
            record[name] = value
    yield f"{json.dumps(record, ensure_ascii=False, default=dict)}\n"
    yield from (f"{_encode(each)}\n" for each in _content(corpus))


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
    mentions = _mention_records(corpus)
    for id_, document in corpus.documents.items():
        attributes = dict(sorted(document.attributes.items()))
        fields: Row = {
            "topic": document.topic,
            "subtopic": document.subtopic,
            **{name: attributes.pop(name, "") for name in DOCUMENT_FIELDS},
            "text_start": document.text_start,
            "reviewed": reviewed.get(id_),
            "attributes": attributes,
        }
        record: Row = {"record": "document", "id": id_}
        record |= {name: value for name, value in fields.items() if value}
        if corpus.text == "none":  # placeholders of masked tokens are no content
            record["lengths"] = [len(sentence) for sentence in document.sentences]
        else:
            record["sentences"] = document.sentences
        yield record
        yield from mentions.get(id_, ())


def _mention_records(corpus: Corpus) -> dict[str, list[Row]]:
    """Return document → the records of its mentions."""
    table = corpus.mentions.rename_axis("id").reset_index()
    attributes = sorted({*map(str, table)} - {*CORE, *MENTION_FIELDS, "reviewed"})
    names = [name for name in (*MENTION_FIELDS, *attributes) if name in table]
    defaults = {"state": ANNOTATED, **ATTRIBUTES}
    records: dict[str, list[Row]] = {}
    rows: Any = table[names].to_dict("records")
    for row in rows:
        record: Row = {"record": "mention"}
        others: Row = {}
        for name, value in row.items():
            is_missing = value is None or value != value  # noqa: PLR0124  NaN
            if not is_missing and value != defaults.get(name):
                fields = record if name in MENTION_FIELDS else others
                fields[name] = value
        if others:
            record["attributes"] = others
        records.setdefault(record["doc"], []).append(record)
    return records


JSONL = CorpusFormat(
    "jsonl",
    "cdec JSON Lines",
    patterns=("*.jsonl", "*.jsonl.gz"),
    begins=r'[^\n]*"record"\s*:\s*"corpus"',
    read=read,
)

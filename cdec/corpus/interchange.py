"""The interchange format: a corpus as JSON Lines, one object in each (docs/interchange.md).

The lines that are written are canonical: the same documents and mentions give the same lines,
whatever format they were read from, and so the same content digest. Tables in memory, and texts
with mentions, become the same records, and so have the same fields and checks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from sys import intern
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import AfterValidator, Field, model_validator

from cdec.corpus.build import build, plain
from cdec.corpus.labels import with_chains
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
from cdec.files.models import FileModel, Filled, Schema, Texts, complaint, one_of, validated
from cdec.files.progress import notebook
from cdec.files.strict_json import parse_at, shown
from cdec.formats import reading
from cdec.formats.annotation import object_array
from cdec.formats.fields import (
    chains_by_side,
    check_columns,
    check_fields,
    is_chain,
    side_of,
    stated_columns,
)
from cdec.formats.records import words_of

VERSION = "cdec-corpus/1"
LARGEST_INDEX = 10**7  # of a token; larger numbers are probably not indices
LARGEST = 2**32  # bytes, unpacked: a corpus a hundred times as large as ECB+ has about 2 GB
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

Row = dict[str, Any]
Table = pd.DataFrame | Mapping[str, Any] | Sequence[Mapping[str, Any]]
Place = Callable[[int], str]
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
    attributes: Annotated[dict[str, str], AfterValidator(_document_attributes)] = Field({})
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
        message = f"expected one file, got {len(source.files)}: {', '.join(source.files)[:200]}"
        raise CorpusError("corpus-invalid", message, place=source.path, hint="name one file")
    ((file, data),) = source.files.items()
    documents: dict[str, DocumentRecord] = {}
    mentions: list[Row] = []
    places: list[str] = []
    records = (
        (f"{file}:{number}", parse_at(line, number, partial(error, file)))
        for number, line in KIND.lines(data, file)
    )
    first, value = next(records)  # an empty file is an error
    if not isinstance(value, dict) or value.get("record") != "corpus":
        hint = 'begin the file with {"record": "corpus", …}; for texts with mentions see '
        hint += "docs/your-own-articles.md"
        raise KIND.refuse(first, "the first record is not a corpus record", hint)
    about = Schema(KIND, CorpusRecord, VERSION).check(value, first)
    for place, value in records:
        what = value.get("record") if isinstance(value, dict) else None
        if what == "mention":
            if wrong := value.keys() - {"record", "attributes", *MENTION_FIELDS}:
                hint = f"known: {', '.join(MENTION_FIELDS)}; attributes have other names"
                raise KIND.refuse(place, f"the field '{min(wrong)}' is not valid", hint)
            del value["record"]
            mentions.append(value)
            places.append(place)
        elif what == "document":
            _add_document(documents, value, place)
            source.tick()
        else:
            raise KIND.refuse(place, f"'record' is {shown(what)}, not document or mention")
    return _assembled(about, documents, mentions, places.__getitem__)


def _add_document(documents: dict[str, DocumentRecord], value: Row, place: str) -> None:
    """Add the record of a document to those before."""
    one = validated(DocumentRecord, value, place, KIND)
    first = next(iter(documents.values()), one)
    if (one.lengths is None) != (first.lengths is None):
        why, hint = "some documents have 'sentences', others 'lengths'", "choose one"
        raise KIND.refuse(place, why, hint)
    if documents.setdefault(one.id, one) is not one:
        raise KIND.refuse(place, f"duplicate document '{one.id}'", "keep one of them")


def _assembled(
    about: CorpusRecord,
    records: Mapping[str, DocumentRecord],
    mentions: Sequence[Row],
    place: Place,
) -> Corpus:
    """Return the corpus of these records; ``place`` returns that of a mention by its row from 0."""

    def fail(code: str, row: int, message: str, hint: str) -> CorpusError:
        return CorpusError(code, message, place=place(row), hint=hint)

    given, levels = records.values(), about.levels
    if levels is None:
        levels = {n: t for n, t in LEVELS.items() if any(getattr(d, n) for d in given)}
    if about.linked_within not in ("", *levels):
        why = f"'linked_within' is {about.linked_within}, which the corpus does not have"
        raise KIND.refuse(about.name, why)
    documents = []
    for one in given:
        # Equal tokens are one object: a corpus has far fewer words than tokens.
        text = one.sentences or [(_MASKED,) * length for length in one.lengths or ()]
        sentences = tuple(tuple(map(intern, sentence)) for sentence in text)
        named = {name: value for name in DOCUMENT_FIELDS if (value := getattr(one, name))}
        home = intern(one.topic), intern(one.subtopic)
        documents.append(Document(one.id, *home, sentences, one.text_start, named | one.attributes))
    for row, mention in enumerate(mentions):
        more = mention.pop("attributes", {})
        own = more.keys() if isinstance(more, dict) else {"attributes"}
        if taken := (own & {*CORE, *MENTION_FIELDS, "attributes"}) | ({*mention, *own} & _COMPUTED):
            message = f"the name '{min(taken)}' is not available for an attribute"
            raise fail(KIND.code, row, message, "give it another name")
        mention.update(more)
    corpus = build(
        documents,
        mentions,
        name=about.name,
        fail=fail,
        reviewed=frozenset((d.id, number) for d in given for number in d.reviewed),
        levels=levels,
        text="none" if any(d.lengths is not None for d in given) else about.text,
        release={name: getattr(about, name) for name in RELEASE if getattr(about, name)},
        linked_within=about.linked_within,
        variants=about.variants,
        splits=about.splits,
        argument_kinds=about.argument_kinds,
    )
    return replace(corpus, digest=content_digest(corpus))


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
    about: Row = {"name": name, "variants": dict(variants or {})}
    about |= {"levels": None if levels is None else dict(levels)}
    with collection_paused():
        rows = _renamed(_rows(mentions, "mention"), columns or {})
        given = [] if documents is None else _rows(documents, "doc")
        texts: dict[str, TextDocument] = {}
        for number, row in enumerate(notebook()(given, len(given), "reading documents"), start=1):
            if "text" in row:
                text = text_document(place(-number), row)
                if texts.setdefault(text.id, text) is not text:
                    raise KIND.refuse(place(-number), f"duplicate document '{text.id}'", "keep one")
                row["sentences"] = text.sentences
                del row["text"]
        known = {str(row.get("id")): row for row in given}
        for number, row in enumerate(rows, start=1):
            _add_levels(known, row, place(number), infer=documents is None)
        rows = with_chains(rows, key_labels=key_labels, noise=noise, file=name, place=place)
        _warn_without_chains(rows)
        _check_words(rows, known, texts, place)
        if texts:
            with_tokens(rows, texts, place)
        records: dict[str, DocumentRecord] = {}
        for number, row in enumerate(given or known.values(), start=1):
            own = {field: row[field] for field in row if field in DocumentRecord.model_fields}
            if isinstance(nested := own.get("attributes", {}), dict):
                own["attributes"] = {f: row[f] for f in row if f not in own} | nested
            _add_document(records, own, place(-number))
        head = validated(CorpusRecord, about, "the corpus", KIND)
        return _assembled(head, records, rows, lambda row: place(row + 1))


def _rows(table: Table, index: str) -> list[Row]:
    """Return the rows of a table without missing values.

    A column with the name ``index`` is the id, if there is no column ``id``; so is the key of a
    dict of rows, or of texts or sentences.
    """
    if isinstance(table, Mapping) and all(isinstance(v, Mapping) for v in table.values()):
        table = [{"id": str(key), **row} for key, row in table.items()]
    elif isinstance(table, Mapping) and index == "doc":
        named = [(k, "text" if isinstance(v, str) else "sentences", v) for k, v in table.items()]
        table = [{"id": key, field: value} for key, field, value in named]
    try:
        # As objects: pandas would turn the integers of a column with missing values into floats.
        own = table if isinstance(table, pd.DataFrame) else pd.DataFrame(table, dtype=object)
        frame = own.reset_index() if own.index.name in ("id", "mention") else own
    except (ValueError, TypeError) as problem:
        hint = "give a DataFrame, a list of dicts, or a dict id → dict"
        message = f"the {index}s are not a table: {problem}"
        raise CorpusError("corpus-invalid", message, hint=hint) from None
    rows = []
    for values in frame.rename(columns=str).to_dict("records"):
        row: Row = {
            str(name): plain(list(value) if isinstance(value, tuple) else value)
            for name, value in values.items()
            if not (pd.api.types.is_scalar(value) and pd.isna(value))
        }
        if alias := row.pop(index, None):
            row.setdefault("id", alias)
        for name in {*_NAMES, *_NUMBERS} & row.keys():
            if isinstance(row[name], float) and row[name].is_integer():
                row[name] = int(row[name])
            if name in _NAMES and type(row[name]) is int:
                row[name] = str(row[name])
        rows.append(row)
    return rows


def _renamed(rows: list[Row], columns: Mapping[str, str]) -> list[Row]:
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
    renamed = []
    for row in rows:
        replaced = {*fields, *fields.values()}
        unchanged = {name: value for name, value in row.items() if name not in replaced}
        values = {field: row[name] for field, name in fields.items() if name in row}
        renamed.append({**unchanged, **values})
    return [_with_id(row) for row in renamed]


def _with_id(row: Row) -> Row:
    """Return a row with its id under ``id``."""
    if "mention" not in row:
        return row
    unchanged = {name: value for name, value in row.items() if name != "mention"}
    return {"id": str(row["mention"]), **unchanged}


def _warn_without_chains(rows: list[Row]) -> None:
    """Warn if no mention has a chain."""
    if rows and not any(row.get("chain") for row in rows):
        message = f"no mention has a chain: each of {len(rows):,} is a singleton"
        warn_of([Notice("label-ambiguous", len(rows), message)])


def _check_words(
    mentions: Sequence[Row],
    known: Mapping[str, Row],
    texts: Mapping[str, TextDocument],
    place: Place,
) -> None:
    """Give mentions with words the tokens at which these are, and warn if they count otherwise.

    Offsets of characters are checked with the texts. Raises CorpusError with the place of the first
    mention whose words are not at its tokens.
    """
    words = {id_: flat for id_, row in known.items() if (flat := _flat(row.get("sentences")))}
    stated = [row for row in mentions if str(row.get("doc")) in words and _has_tokens(row)]
    fields = [reading.words_field(row) for row in stated]
    table = pd.DataFrame(
        {
            "text": [str(row["doc"]) for row in stated],
            "block": [0] * len(stated),
            "first": [min(row["tokens"]) for row in stated],
            "last": [max(row["tokens"]) for row in stated],
            "tokens": object_array(_gap(row["tokens"]) for row in stated),
            "words": [
                words_of(row[field]) if field else ""
                for row, field in zip(stated, fields, strict=True)
            ],
        }
    )
    has_words = table["words"] != ""
    if not has_words.any() or reading.are_contexts(table[has_words], words):
        return
    rows = {id(row): number for number, row in enumerate(mentions, start=1)}

    def refuse(row: int, message: str, hint: str) -> CorpusError:
        at = place(rows[id(stated[row])])
        return CorpusError("corpus-invalid", message, place=at, hint=hint)

    characters = {id_: " ".join(of_document) for id_, of_document in words.items()}
    characters |= {id_: document.text for id_, document in texts.items()}
    places, choice, are_characters = reading.place_by_words(
        table,
        words,
        {"": pd.Series(0, table.index)},
        refuse,
        other_texts=characters,
        are_lists=any("start" not in row for row in stated),
    )
    for row in stated:
        row.pop("text", None)
    if choice.value == reading.TO_LAST:
        return
    firsts = places["first"].tolist()
    lasts = places["last"].tolist()
    for row, first, last in zip(stated, firsts, lasts, strict=True):
        if not are_characters:
            tokens = row["tokens"]
            move = first - min(tokens)
            has_gap = bool(_gap(tokens))
            row["tokens"] = [*range(first, last + 1)]
            if has_gap:
                row["tokens"] = [token + move for token in tokens]
            continue
        doc = str(row["doc"])
        spans = reading.word_places(words[doc])
        if doc in texts:
            spans = [*zip(texts[doc].begin, texts[doc].end, strict=True)]
        first_word, last_word = reading.words_at(spans, first, last)
        row["tokens"] = [*range(first_word, last_word + 1)]
    warn_of([reading.offsets_notice(choice, len(stated))])


def _flat(sentences: object) -> list[str]:
    """Return the words of sentences; none if they are no lists of words, refused later."""
    if not isinstance(sentences, list | tuple):
        return []
    words: list[str] = []
    for sentence in sentences:
        if not isinstance(sentence, list | tuple) or not all(isinstance(w, str) for w in sentence):
            return []
        words += sentence
    return words


def _has_tokens(mention: Row) -> bool:
    """Return whether a mention is given by tokens, which are valid, and not by characters."""
    tokens = mention.get("tokens")
    if BEGIN in mention or not isinstance(tokens, list) or not tokens:
        return False
    return all(type(token) is int for token in tokens)


def _gap(tokens: Sequence[int]) -> tuple[int, ...]:
    """Return the tokens of a mention with a gap, else ()."""
    ordered = tuple(sorted(tokens))
    return ordered if len(ordered) <= ordered[-1] - ordered[0] else ()


def _add_levels(known: dict[str, Row], mention: Row, place: str, *, infer: bool) -> None:
    """Give a mention its tokens, and its document its topics, which must not differ.

    With ``infer``, a document is as long as its mentions need.
    """
    start, end = mention.get("start"), mention.get("end", mention.get("start"))
    if "tokens" not in mention and type(start) is type(end) is int:
        if end - start > _LONGEST:
            raise KIND.refuse(place, f"a mention from token {start} to {end}")
        mention["tokens"] = [*range(start, end + 1)]
    doc, tokens = str(mention.get("doc")), mention.get("tokens")
    if infer and "doc" in mention and isinstance(tokens, list):  # others are refused later
        document = known.setdefault(doc, {"id": doc, "lengths": [0]})
        numbers = (token + 1 for token in tokens if type(token) is int)
        document["lengths"] = [max(document["lengths"][0], *numbers)]
    document = known.get(doc, {})
    for level in LEVELS:
        value = mention.pop(level, "")
        if value != "" and document.setdefault(level, value) != value:
            message = f"the {LEVELS[level]} is {shown(value)}, but {shown(document[level])} for "
            message += f"document '{doc}'"
            hint = "give a document and all of its mentions one topic and sub-topic"
            raise CorpusError("corpus-invalid", message, place=place, hint=hint)


# Writing.


_encode = json.JSONEncoder(ensure_ascii=False).encode


def lines(corpus: Corpus) -> Iterator[str]:
    """Yield the lines of a corpus: its record, then each document with its mentions."""
    record: Row = {"record": "corpus", "format": VERSION, "name": corpus.name}
    for name in CorpusRecord.model_fields:
        value = corpus.release.get(name) if name in RELEASE else getattr(corpus, name, None)
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
    table = corpus.mentions.rename_axis("id").reset_index()
    others = sorted(str(name) for name in table if name not in {*CORE, *MENTION_FIELDS, "reviewed"})
    names = [name for name in (*MENTION_FIELDS, *others) if name in table]
    defaults = {"state": ANNOTATED, **ATTRIBUTES}
    mentions: dict[str, list[Row]] = {}
    for values in zip(*(table[name].tolist() for name in names), strict=True):
        fields = {
            name: value
            for name, value in zip(names, values, strict=True)
            if not (value is None or value != value or value == defaults.get(name))  # noqa: PLR0124
        }
        more = {name: fields.pop(name) for name in others if name in fields}
        record = {"record": "mention", **fields, **({"attributes": more} if more else {})}
        mentions.setdefault(fields["doc"], []).append(record)
    for id_, document in corpus.documents.items():
        facts = dict(sorted(document.attributes.items()))
        more = {
            "topic": document.topic,
            "subtopic": document.subtopic,
            **{name: facts.pop(name, "") for name in DOCUMENT_FIELDS},
            "text_start": document.text_start,
            "reviewed": reviewed.get(id_),
            "attributes": facts,
        }
        record = {"record": "document", "id": id_, **{n: v for n, v in more.items() if v}}
        if corpus.text == "none":  # placeholders of masked tokens are no content
            yield record | {"lengths": [len(sentence) for sentence in document.sentences]}
        else:
            yield record | {"sentences": document.sentences}
        yield from mentions.get(id_, ())


JSONL = CorpusFormat(
    "jsonl",
    "cdec JSON Lines",
    patterns=("*.jsonl", "*.jsonl.gz"),
    begins=r'[^\n]*"record"\s*:\s*"corpus"',
    read=read,
)

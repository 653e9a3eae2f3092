"""Write a corpus in the interchange format, and its content digest.

The lines are canonical: the same documents and mentions give the same lines, whatever format they
were read from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

import numpy as np

from cdec.corpus.interchange.records import DOCUMENT_FIELDS, FORMAT, HEAD
from cdec.corpus.model import ANNOTATED, ATTRIBUTES, CORE, LEVELS, Corpus, Document

_encode = json.JSONEncoder(ensure_ascii=False).encode
RELEASE = ("version", "licence", "citation", "address")


def lines(corpus: Corpus) -> Iterator[str]:
    """Yield the lines of a corpus: its record, then each document with its mentions."""
    yield _encode(_corpus_record(corpus)) + "\n"
    yield from content_lines(corpus)


def content_digest(corpus: Corpus) -> str:
    """Return the SHA-256 of documents and mentions: of all lines but the first.

    It does not depend on the format of the files, nor on the name of the corpus.
    """
    digest = sha256()
    for line in content_lines(corpus):
        digest.update(line.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def content_lines(corpus: Corpus) -> Iterator[str]:
    """Yield the lines of the documents in order, each followed by those of its mentions."""
    records = _mention_records(corpus)
    record = next(records, None)
    for id_, document in corpus.documents.items():
        yield _encode(_document_record(document, corpus.text)) + "\n"
        while record is not None and record["doc"] == id_:
            yield _encode(record) + "\n"
            record = next(records, None)


def _corpus_record(corpus: Corpus) -> dict[str, Any]:
    release = {name: corpus.release[name] for name in RELEASE if corpus.release.get(name)}
    levels = {level: corpus.levels[level] for level in LEVELS if level in corpus.levels}
    optional = {
        "variants": {name: dict(states) for name, states in corpus.variants.items()},
        "splits": list(corpus.splits),
        "argument_kinds": dict(corpus.argument_kinds),
    }
    return {
        "record": "corpus",
        "format": FORMAT,
        "name": corpus.name,
        **release,
        "levels": levels,
        "text": corpus.text,
        **{name: value for name, value in optional.items() if value},
    }


def _document_record(document: Document, text: str) -> dict[str, Any]:
    record: dict[str, Any] = {"record": "document", "id": document.id}
    record |= {name: getattr(document, name) for name in LEVELS if getattr(document, name)}
    named = {name: document.attributes.get(name) for name in DOCUMENT_FIELDS}
    record |= {name: value for name, value in named.items() if value}
    if document.text_start:
        record["text_start"] = document.text_start
    others = {
        name: value
        for name, value in sorted(document.attributes.items())
        if name not in DOCUMENT_FIELDS
    }
    if others:
        record["attributes"] = others
    if text == "none":  # placeholders of masked tokens are no content
        return record | {"lengths": [len(sentence) for sentence in document.sentences]}
    return record | {"sentences": document.sentences}


def _mention_records(corpus: Corpus) -> Iterator[dict[str, Any]]:
    """Yield the record of each mention in corpus order; default values are left out."""
    table = corpus.mentions
    others = sorted(str(name) for name in table.columns if name not in (*CORE, "tag", HEAD))
    core = [table[name].tolist() for name in ("doc", "tokens", "chain", "kind", "state", "tag")]
    heads = table[HEAD].tolist() if HEAD in table else [None] * len(table)
    more = [table[name].tolist() for name in others]
    values = zip(*more, strict=True) if more else ((),) * len(table)
    rows = zip(table.index.tolist(), *core, heads, values, strict=True)
    for id_, doc, tokens, chain, kind, state, tag, head, rest in rows:
        record = {"record": "mention", "id": id_, "doc": doc, "tokens": tokens, "chain": chain}
        record["kind"] = kind
        if state != ANNOTATED:
            record["state"] = state
        if tag:
            record["tag"] = tag
        if not _is_missing(head):
            record[HEAD] = int(head)
        attributes = _attributes(others, rest)
        if attributes:
            record["attributes"] = attributes
        yield record


def _attributes(names: list[str], values: tuple[Any, ...]) -> Mapping[str, Any]:
    """Return the attributes of a mention that are not missing and have no default value."""
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in zip(names, values, strict=True)
        if not _is_missing(value) and (name not in ATTRIBUTES or value != ATTRIBUTES[name])
    }


def _is_missing(value: object) -> bool:
    return value is None or value != value  # NaN  # noqa: PLR0124

"""Write a corpus in the interchange format, and its content digest.

The lines are canonical: the same documents and mentions give the same lines, whatever format they
were read from.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from json.encoder import encode_basestring
from typing import Any

import numpy as np

from cdec.corpus.interchange.records import DOCUMENT_FIELDS, FORMAT, HEAD, MENTION_FIELDS
from cdec.corpus.model import ANNOTATED, ATTRIBUTES, CORE, LEVELS, Corpus, Document

_encode = json.JSONEncoder(ensure_ascii=False).encode
# Columns with a field of their own, or that follow from others.
_OWN = (*CORE, *MENTION_FIELDS, "reviewed")
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
    mentions = zip(corpus.mentions["doc"].tolist(), _mention_lines(corpus), strict=True)
    doc, line = next(mentions, ("", ""))
    reviewed: dict[str, list[int]] = {}
    for id_, sentence in sorted(corpus.reviewed):
        reviewed.setdefault(id_, []).append(sentence)
    for id_, document in corpus.documents.items():
        record = _document_record(document, reviewed.get(id_, []), corpus.text)
        yield _encode(record) + "\n"
        while line and doc == id_:
            yield line
            doc, line = next(mentions, ("", ""))


def _corpus_record(corpus: Corpus) -> dict[str, Any]:
    release = {name: corpus.release[name] for name in RELEASE if corpus.release.get(name)}
    levels = {level: corpus.levels[level] for level in LEVELS if level in corpus.levels}
    optional = {
        "linked_within": corpus.linked_within,
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


def _document_record(document: Document, reviewed: list[int], text: str) -> dict[str, Any]:
    record: dict[str, Any] = {"record": "document", "id": document.id}
    record |= {name: getattr(document, name) for name in LEVELS if getattr(document, name)}
    named = {name: document.attributes.get(name) for name in DOCUMENT_FIELDS}
    record |= {name: value for name, value in named.items() if value}
    if document.text_start:
        record["text_start"] = document.text_start
    if reviewed:
        record["reviewed"] = reviewed
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


def _mention_lines(corpus: Corpus) -> Iterator[str]:
    """Yield the line of each mention in corpus order; default values are left out.

    Fields are encoded column by column: an encoder for each line takes three times as long.
    """
    table = corpus.mentions
    others = sorted(str(name) for name in table.columns if name not in _OWN)
    defaults = {"state": ANNOTATED, "tag": ""}
    core = ("doc", "tokens", "chain", "kind", "state", "tag", *({HEAD} & {*table.columns}))
    columns = [
        _fields("id", table.index.tolist()),
        *(_fields(name, table[name].tolist(), defaults.get(name)) for name in core),
    ]
    attributes = [_fields(name, table[name].tolist(), ATTRIBUTES.get(name)) for name in others]
    columns.append(
        f'"attributes": {{{", ".join(filter(None, parts))}}}' if any(parts) else ""
        for parts in zip(*attributes, strict=True)
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

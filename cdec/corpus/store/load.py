"""Load a corpus through the cache, with the content of its files as the key."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pandas as pd

from cdec.corpus.adapter import CORPORA, Tick, read_corpus, stamped
from cdec.corpus.model import COLUMNS, Corpus, Document
from cdec.corpus.source import Source
from cdec.io import cache

# Change the kind when the data model changes, so that older entries are not used.
_KIND = "corpus"


def load(source: Source, name: str, tick: Tick = lambda: None) -> Corpus:
    """Return the corpus in ``source`` under ``name``; ``tick`` is called after each parsed file."""
    layout, origin = source.layout.name, CORPORA.origin(source.layout.name)
    # A missing list differs from an empty one, which is an error.
    reviewed = () if source.reviewed is None else (source.reviewed.hex(),)
    reader = () if origin is None else (layout, str(origin))
    key = cache.key(CORPORA[layout].schema, source.digest, *reviewed, *reader)
    cached = cache.parsed(_KIND, key, lambda body: _from_json(body, name))
    if cached is not None:
        return stamped(cached, source)
    corpus = read_corpus(source, name, tick)
    cache.write(_KIND, key, _to_json(corpus))
    return corpus


def _to_json(corpus: Corpus) -> bytes:
    names = [field.name for field in fields(Document)]
    documents = [[getattr(doc, name) for name in names] for doc in corpus.documents.values()]
    columns = {name: corpus.mentions[name].tolist() for name in COLUMNS}
    content = {
        "digest": corpus.digest,
        "documents": documents,
        "index": corpus.mentions.index.tolist(),
        "columns": columns,
        "reviewed": sorted(corpus.reviewed),
    }
    return json.dumps(content, ensure_ascii=False).encode()


def _from_json(data: bytes, name: str) -> Corpus:
    content: dict[str, Any] = json.loads(data)
    documents = [
        Document(id_, topic, subtopic, tuple(map(tuple, sentences)), text_start)
        for id_, topic, subtopic, sentences, text_start in content["documents"]
    ]
    columns = content["columns"]
    columns["tokens"] = [tuple(tokens) for tokens in columns["tokens"]]
    mentions = pd.DataFrame(columns, index=pd.Index(content["index"], name="mention", dtype=str))
    reviewed = frozenset((doc, sentence) for doc, sentence in content["reviewed"])
    by_id = {document.id: document for document in documents}
    return Corpus(name, content["digest"], by_id, mentions, reviewed=reviewed)

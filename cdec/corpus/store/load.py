"""Load a corpus through the cache, with the content of its files as the key.

The digest of a corpus is that of its source files. So that it is true of what is read, the entry of
a published corpus must be the one in ``configs/read-corpora.toml`` (cache key → SHA-256).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pandas as pd

from cdec.configs import read_toml
from cdec.corpus.adapter import CORPORA, Tick, open_source, read_corpus, stamped
from cdec.corpus.assembly import column
from cdec.corpus.known import by_digest
from cdec.corpus.model import Corpus, Document
from cdec.corpus.source import Source
from cdec.corpus.splits import part_of
from cdec.files import cache
from cdec.files.input import collection_paused

if TYPE_CHECKING:
    from cdec.corpus.store.locate import Located

RECORDS = "read-corpora.toml"
_KIND = "corpus"
_MODEL = "5"  # raise it when the data model changes, so that older entries are not used
# The fields of Corpus that its reader sets, beside documents and mentions.
_FACTS = (
    *("digest", "kind", "variant", "variants", "levels", "text", "argument_kinds", "splits"),
    *("linked_within", "release"),
)


def read_part(
    located: Located,
    split: str | None = "all",
    tick: Tick = lambda: None,
    correct: Callable[[Corpus], Corpus] | None = None,
    format: str | None = None,
) -> Corpus:
    """Load the part ``split`` of a located corpus (None: test, if there is one).

    ``tick`` is called after each parsed file. ``correct`` returns the whole corpus with a corrected
    key, because a chain may have mentions inside and outside the part. ``format``: by default
    detected.
    """
    source = open_source(located.path, format)
    known = by_digest(source.digest)
    corpus = load(source, known.name if known else located.name, tick)
    return part_of(correct(corpus) if correct else corpus, split)


def load(source: Source, name: str, tick: Tick = lambda: None) -> Corpus:
    """Return the corpus in ``source`` under ``name``; ``tick`` is called after each parsed file."""
    key = _key(source)
    cached = cache.parsed(_KIND, key, lambda body: _from_json(body, name, key))
    if cached is not None:
        return stamped(cached, source)
    corpus = read_corpus(source, name, tick)
    cache.write(_KIND, key, _to_json(corpus))
    return corpus


def _key(source: Source) -> str:
    layout, origin = source.layout.name, CORPORA.origin(source.layout.name)
    # A missing list differs from an empty one, which is an error.
    reviewed = () if source.reviewed is None else (source.reviewed.hex(),)
    reader = (layout,) if origin is None else (layout, str(origin))
    return cache.key(_MODEL, CORPORA[layout].schema, source.digest, *reviewed, *reader)


def _to_json(corpus: Corpus) -> bytes:
    names = [field.name for field in fields(Document)]
    documents = [[getattr(doc, name) for name in names] for doc in corpus.documents.values()]
    columns = {str(name): column.tolist() for name, column in corpus.mentions.items()}
    content = {
        **{name: _plain(getattr(corpus, name)) for name in _FACTS},
        "documents": documents,
        "index": corpus.mentions.index.tolist(),
        "columns": columns,
        "reviewed": sorted(corpus.reviewed),
    }
    return json.dumps(content, ensure_ascii=False).encode()


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


@collection_paused()
def _from_json(data: bytes, name: str, key: str) -> Corpus:
    """Return the corpus of the entry ``key``. Raises ValueError if it is not the recorded one."""
    found = sha256(data).hexdigest()
    if read_toml(RECORDS).get(key, found) != found:
        raise ValueError("not the corpus that the source files contain")
    content: dict[str, Any] = json.loads(data)
    documents = [
        Document(id_, topic, subtopic, tuple(map(tuple, sentences)), *others)
        for id_, topic, subtopic, sentences, *others in content["documents"]
    ]
    columns = content["columns"]
    columns["tokens"] = [tuple(tokens) for tokens in columns["tokens"]]
    index = pd.Index(content["index"], name="mention", dtype=str)
    mentions = pd.DataFrame({n: column(values, index) for n, values in columns.items()}, index)
    facts = {name: content[name] for name in _FACTS} | {"splits": tuple(content["splits"])}
    facts["reviewed"] = frozenset((doc, sentence) for doc, sentence in content["reviewed"])
    return Corpus(name, documents={d.id: d for d in documents}, mentions=mentions, **facts)

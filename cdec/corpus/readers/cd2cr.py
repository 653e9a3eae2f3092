"""CD²CR (Ravenscroft et al. 2021): entities in news articles and scientific papers.

``train.conll``, ``dev.conll`` and ``test.conll`` are in eight columns and hold no singletons; these
are in ``train_entities.json`` and so on, and are mentions under the variant ``with-singletons``.

Each part numbers its topics (pairs of an article and a paper) from 0, and an article may be in two
parts: the part is in the name of every topic, and in that of a document that an earlier part has.
"""

from __future__ import annotations

import re
from collections import defaultdict

from pydantic import BaseModel

from cdec.corpus.model import ANNOTATED, ENTITY, PART, Corpus, Document, Variants
from cdec.corpus.readers.columns import Placed, corpus_at, eight_columns, first_token
from cdec.corpus.readers.records import records
from cdec.corpus.source import HINT, CorpusFormat, Source
from cdec.errors import CorpusError
from cdec.formats.brackets import Span

_PARTS = ("test", "dev", "train")
SINGLETON = "singleton"
VARIANTS: Variants = {
    "without-singletons": {SINGLETON: "drop"},
    "with-singletons": {SINGLETON: "keep"},
}
_DOCUMENT = re.compile(r"[0-9]+_(news|science)_[0-9]+")


class _Entity(BaseModel):
    doc_id: str
    tokens_ids: list[int]
    tokens: str
    cluster_id: int


def is_cd2cr(source: Source) -> bool:
    """Return whether any file has the document ids of CD²CR."""
    rows = (first_token(source, file) for file in source.files if file.endswith(".conll"))
    return any(row and _DOCUMENT.fullmatch(row[2]) for row in rows)


def read(source: Source) -> Corpus:
    """Return the corpus, with the part of each document."""
    documents: list[Document] = []
    mentions: list[Placed] = []
    seen: set[str] = set()
    for part in _PARTS:
        file, listed = f"{part}.conll", f"{part}_entities.json"
        if file not in source.files:
            continue
        entities = defaultdict(list)
        for entity in records(source, listed, _Entity) if listed in source.files else ():
            entities[entity.doc_id].append(entity)
        for columns in eight_columns(source, file):
            id_ = f"{part}-{columns.id}" if columns.id in seen else columns.id
            if columns.id in seen:
                source.note("document-id-repeated", id_)
            seen.add(columns.id)
            topic, about = f"{part}-{columns.topic}", {PART: part}
            documents.append(Document(id_, topic, "", columns.text, attributes=about))
            linked = columns.spans()
            alone = {_span(documents[-1], each) for each in entities.pop(columns.id, ())}
            for state, spans in (
                (ANNOTATED, linked),
                (SINGLETON, sorted(alone.difference(linked))),
            ):
                mentions += ((id_, span, {"kind": ENTITY, "state": state}) for span in spans)
        if entities:
            message = f"entities of the document '{next(iter(entities))}', which is missing"
            raise CorpusError("corpus-invalid", message, place=listed, hint=HINT)
        source.tick()
    variants = VARIANTS if any(file.endswith(".json") for file in source.files) else {}
    return corpus_at(
        source,
        documents,
        mentions,
        levels={"topic": "topic"},
        variants=variants,
        # Only the two documents of a topic, an article and a paper, were compared
        linked_within="topic",
    )


def _span(document: Document, entity: _Entity) -> Span:
    tokens, known = sorted(entity.tokens_ids), document.tokens
    inside = bool(tokens) and tokens[0] >= 0 and tokens[-1] < len(known)
    if not inside or " ".join(known[tokens[0] : tokens[-1] + 1]) != entity.tokens:
        message = f"the entity '{entity.tokens[:40]}' is not at tokens {tokens[:3]}"
        raise CorpusError("corpus-invalid", message, place=document.id, hint=HINT)
    return Span(tokens[0], tokens[-1], str(entity.cluster_id))


FORMAT = CorpusFormat(
    "cd2cr",
    "CD²CR",
    patterns=tuple(
        f"{part}{end}" for end in (".conll", "_entities.json") for part in ("train", "dev", "test")
    ),
    expected="train.conll, dev.conll or test.conll of the corpus",
    sniff=is_cd2cr,
    read=read,
)

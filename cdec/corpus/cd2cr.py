"""Reader for CD²CR (Ravenscroft et al. 2021): entities in news articles and scientific papers.

``train.conll``, ``dev.conll`` and ``test.conll`` are in eight columns and hold no singletons; these
are in ``train_entities.json`` and so on, and are mentions under the variant ``with-singletons``.

Each part numbers its topics (pairs of an article and a paper) from 0, and an article may be in two
parts: the part is in the name of every topic, and in that of a document that an earlier part has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from cdec.columns.brackets import Span
from cdec.corpus.columns import Columns, eight_columns, first_token
from cdec.corpus.layouts import LAYOUTS
from cdec.corpus.model import ANNOTATED, ENTITY, Document, Variants
from cdec.corpus.reading import HINT, Content, reader
from cdec.corpus.records import records
from cdec.corpus.source import Source
from cdec.corpus.splits import PART
from cdec.errors import CorpusError

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
    return any(_has_ids(source, file) for file in source.files if file.endswith(".conll"))


def _has_ids(source: Source, file: str) -> bool:
    row = first_token(source, file)
    return bool(row) and _DOCUMENT.fullmatch(row[2]) is not None


def read(source: Source, tick: Any) -> Content:
    """Return documents and mentions, with the part of each document."""
    content = Content(levels={"topic": "topic"})
    seen: set[str] = set()
    for part in _PARTS:
        if f"{part}.conll" not in source.files:
            continue
        entities = _entities(source, f"{part}_entities.json")
        tick()
        for columns in eight_columns(source, f"{part}.conll"):
            _add(content, columns, part, entities.pop(columns.id, []), columns.id in seen)
            seen.add(columns.id)
        if entities:
            message = f"entities of the document '{next(iter(entities))}', which is missing"
            place = f"{part}_entities.json"
            raise CorpusError("corpus-file-invalid", message, place=place, hint=HINT)
        tick()
    if any(file.endswith(".json") for file in source.files):
        content.variants = VARIANTS
    return content


def _add(
    content: Content, columns: Columns, part: str, entities: Iterable[_Entity], repeated: bool
) -> None:
    id_ = f"{part}-{columns.id}" if repeated else columns.id
    document = Document(id_, f"{part}-{columns.topic}", "", columns.text, attributes={PART: part})
    if repeated:
        content.note("document-id-repeated", id_)
    linked = columns.spans()
    spans = {*linked, *(_span(document, entity) for entity in entities)}
    states: Mapping[Span, str] = dict.fromkeys(linked, ANNOTATED)
    content.add(
        document,
        [*linked, *sorted(spans - set(linked))],
        lambda span: {"kind": ENTITY, "state": states.get(span, SINGLETON)},
    )


def _span(document: Document, entity: _Entity) -> Span:
    tokens = sorted(entity.tokens_ids)
    inside = bool(tokens) and tokens[0] >= 0 and tokens[-1] < len(document.tokens)
    if not inside or " ".join(document.tokens[tokens[0] : tokens[-1] + 1]) != entity.tokens:
        message = f"the entity '{entity.tokens[:40]}' is not at tokens {tokens[:3]}"
        raise CorpusError("corpus-record-invalid", message, place=document.id, hint=HINT)
    return Span(tokens[0], tokens[-1], str(entity.cluster_id))


def _entities(source: Source, file: str) -> dict[str, list[_Entity]]:
    """Return document → its entities; empty without the file."""
    found: dict[str, list[_Entity]] = {}
    for entity in records(source, file, _Entity) if file in source.files else ():
        found.setdefault(entity.doc_id, []).append(entity)
    return found


# Only the two documents of a topic, an article and a paper, were compared (README of the corpus).
ADAPTER = reader(LAYOUTS["cd2cr"], is_cd2cr, read, linked_within="topic")

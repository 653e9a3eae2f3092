"""CD²CR (Ravenscroft et al. 2021): entities in news articles and scientific papers.

``train.conll``, ``dev.conll`` and ``test.conll`` are in eight columns and hold no singletons; these
are in ``train_entities.json`` and so on, and are mentions under the variant ``with-singletons``.

Each part numbers its topics (pairs of an article and a paper) from 0, and an article may be in two
parts: the part is in the name of every topic, and in that of a document that an earlier part has.
"""

from __future__ import annotations

from dataclasses import replace

from cdec.corpus.model import ANNOTATED, ENTITY, PART, Corpus, Variants
from cdec.corpus.readers.columns import corpus_at, documents_of, eight_columns
from cdec.corpus.readers.records import Record, records
from cdec.corpus.source import CorpusFormat, Source, error
from cdec.formats.brackets import Span

_PARTS = ("test", "dev", "train")
SINGLETON = "singleton"
VARIANTS: Variants = {
    "without-singletons": {SINGLETON: "drop"},
    "with-singletons": {SINGLETON: "keep"},
}


class _Entity(Record):
    doc_id: str
    tokens_ids: list[int]
    tokens: str
    cluster_id: int


def read(source: Source) -> Corpus:
    """Return the corpus, with the part of each document. Raises CorpusError with line or record."""
    placed = []
    seen = set()
    for part in _PARTS:
        file = f"{part}.conll"
        if file not in source.files:
            continue
        listed = f"{part}_entities.json"
        found = list(documents_of(file, eight_columns(source, file)))
        alone: dict[str, set[Span]] = {document.id: set() for document, _ in found}
        texts = {document.id: document.tokens for document, _ in found}
        entities = records(source, listed, _Entity) if listed in source.files else []
        for place, one in entities:
            tokens = sorted(one.tokens_ids) or [-1]
            words = texts.get(one.doc_id, ())[tokens[0] : tokens[-1] + 1]
            if tokens[0] < 0 or " ".join(words) != one.tokens:
                raise error(
                    place,
                    "corpus-invalid",
                    0,
                    f"'{one.tokens[:40]}' is not at tokens {tokens[:3]} of a document "
                    f"'{one.doc_id}'",
                )
            alone[one.doc_id].add(Span(tokens[0], tokens[-1], str(one.cluster_id)))
        for document, linked in found:
            id_ = document.id
            if document.id in seen:
                id_ = f"{part}-{document.id}"
                source.note("document-id-repeated", id_)
            seen.add(document.id)
            renamed = replace(
                document,
                id=id_,
                topic=f"{part}-{document.topic}",
                subtopic="",
                attributes={PART: part},
            )
            singletons = sorted(alone[document.id].difference(linked))
            mentions = []
            for state, spans in ((ANNOTATED, linked), (SINGLETON, singletons)):
                about = {"kind": ENTITY, "state": state}
                mentions += [(span, about) for span in spans]
            placed.append((renamed, mentions))
        source.tick()
    return corpus_at(
        source,
        placed,
        levels={"topic": "topic"},
        variants=VARIANTS
        if any(file.endswith(".json") for file in source.files)
        else {},
        # Only the two documents of a topic, an article and a paper, were compared
        linked_within="topic",
    )


FORMAT = CorpusFormat(
    "cd2cr",
    "CD²CR",
    patterns=(
        "train.conll",
        "dev.conll",
        "test.conll",
        "train_entities.json",
        "dev_entities.json",
        "test_entities.json",
    ),
    begins=r"(?:#.*\n)*(?:[^\t\n]*\t){2}[0-9]+_(?:news|science)_[0-9]+\t",
    read=read,
)

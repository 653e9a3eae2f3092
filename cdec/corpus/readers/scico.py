"""SciCo (Cattan et al. 2021), as its authors publish it: concepts in scientific papers.

``train.jsonl``, ``dev.jsonl`` and ``test.jsonl`` have a topic in each line: ``tokens`` and
``sentences`` (first and last token) of its paragraphs, ``doc_ids``, and ``mentions`` as paragraph,
first and last token (inclusive) and cluster.

A document is a paragraph, named ``topic_paragraph``; clusters are those of a topic. The hierarchy
of clusters (``relations``) is left out.
"""

from __future__ import annotations

from functools import partial
from pathlib import PurePosixPath
from typing import Any

from pydantic import BaseModel

from cdec.corpus.build import build, mentions_at
from cdec.corpus.formats import CorpusFormat
from cdec.corpus.model import ENTITY, PART, Corpus, Document
from cdec.corpus.readers.records import validated
from cdec.corpus.source import Source, error
from cdec.errors import CorpusError
from cdec.files.strict_json import parse_at
from cdec.formats.brackets import Span

_PARTS = ("train", "dev", "test")


class _Topic(BaseModel):
    id: int | str
    tokens: list[list[str]]
    sentences: list[list[list[int]]]
    doc_ids: list[int | str]
    mentions: list[list[int]]


def is_scico(source: Source) -> bool:
    """Return whether any file begins with a topic of SciCo."""
    heads = ("".join(source.head(file, 2**18)[:1]) for file in source.files)
    return any('"flatten_tokens"' in head or '"doc_ids"' in head for head in heads)


def read(source: Source) -> Corpus:
    """Return the corpus. Raises CorpusError with the line of a topic, and the field."""
    documents: list[Document] = []
    mentions: list[dict[str, Any]] = []
    for file, _ in source:
        part = {PART: PurePosixPath(file).name.partition(".")[0]}
        for number, line in enumerate(source.text(file).split("\n"), start=1):
            if not line.strip():
                continue
            where = f"{file}:{number}"
            (topic,) = validated(where, [parse_at(line, number, partial(error, file))], _Topic)
            spans = _spans(topic, where)
            for at, (tokens, bounds) in enumerate(zip(topic.tokens, topic.sentences, strict=True)):
                starts = [first for first, *_ in bounds]
                ends = [*starts[1:], len(tokens)]
                text = tuple(tuple(tokens[a:b]) for a, b in zip(starts, ends, strict=True))
                about = {**part, "paper": str(topic.doc_ids[at])}
                id_, name = f"{topic.id}_{at}", str(topic.id)
                documents.append(Document(id_, name, "", text, attributes=about))
                rows = mentions_at(source, documents[-1], sorted(spans[at]))
                mentions += ({**row, "kind": ENTITY} for row in rows)
    return build(documents, mentions, levels={"topic": "topic"})


def _spans(topic: _Topic, where: str) -> list[list[Span]]:
    """Return the mentions of each paragraph. Raises CorpusError for one outside of it."""
    sizes = [len(tokens) for tokens in topic.tokens]
    whole = len(topic.sentences) == len(topic.doc_ids) == len(sizes)
    covered = whole and all(
        [first for first, *_ in bounds] == sorted({0, *(first for first, *_ in bounds)})
        for bounds in topic.sentences
    )
    spans: list[list[Span]] = [[] for _ in sizes]
    inside = covered
    for mention in topic.mentions if inside else ():
        at, first, last, cluster = mention if len(mention) == 4 else (-1, 0, 0, 0)
        inside = 0 <= at < len(sizes) and 0 <= first <= last < sizes[at]
        if not inside:
            break
        spans[at].append(Span(first, last, f"{topic.id}_{cluster}"))
    if not inside:
        message = "its mentions, sentences and tokens do not fit together"
        hint = "get the corpus again"
        raise CorpusError("corpus-invalid", message, place=where, hint=hint)
    return spans


FORMAT = CorpusFormat(
    "scico",
    "SciCo",
    patterns=tuple(f"{part}.jsonl" for part in _PARTS),
    expected="train.jsonl, dev.jsonl or test.jsonl of the corpus",
    sniff=is_scico,
    read=read,
    linked_within="topic",
    citation="Arie Cattan et al. 2021. SciCo: Hierarchical Cross-Document Coreference for "
    "Scientific Concepts. AKBC 2021.",
    licence="Apache-2.0",
    address="https://github.com/ariecattan/SciCo",
    release="SciCo",
)

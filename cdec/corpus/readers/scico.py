"""SciCo (Cattan et al. 2021), as its authors publish it: concepts in scientific papers.

``train.jsonl``, ``dev.jsonl`` and ``test.jsonl`` have a topic in each line: ``tokens`` and
``sentences`` (first and last token) of its paragraphs, ``doc_ids``, and ``mentions`` as paragraph,
first and last token (inclusive) and cluster.

A document is a paragraph, named ``topic_paragraph``; clusters are those of a topic. The hierarchy
of clusters (``relations``) is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import PurePosixPath

from pydantic import BaseModel

from cdec.corpus.model import ENTITY, PART, Corpus, Document
from cdec.corpus.readers.columns import Placed, begins, corpus_at
from cdec.corpus.readers.records import validated
from cdec.corpus.source import CorpusFormat, Source, error
from cdec.files.strict_json import parse_at
from cdec.formats.brackets import Span

_PARTS = ("train", "dev", "test")


class _Topic(BaseModel):
    id: int | str
    tokens: list[list[str]]
    sentences: list[list[list[int]]]
    doc_ids: list[int | str]
    mentions: list[list[int]]


def read(source: Source) -> Corpus:
    """Return the corpus. Raises CorpusError with the line of a topic, and the field."""
    documents: list[Document] = []
    mentions: list[Placed] = []
    for file, _ in source:
        part = PurePosixPath(file).name.partition(".")[0]
        for number, line in enumerate(source.text(file).split("\n"), start=1):
            if not line.strip():
                continue
            where = f"{file}:{number}"
            (topic,) = validated(where, [parse_at(line, number, partial(error, file))], _Topic)
            try:
                documents += _documents(topic, part)
                mentions += _mentions(topic)
            except (ValueError, IndexError):
                message = "its mentions, sentences and tokens do not fit together"
                hint = "get the corpus again"
                raise error(where, "corpus-invalid", 0, message, hint) from None
    return corpus_at(
        source,
        documents,
        mentions,
        levels={"topic": "topic"},
        linked_within="topic",
        release={
            "licence": "Apache-2.0",
            "citation": "Arie Cattan et al. 2021. SciCo: Hierarchical Cross-Document Coreference "
            "for Scientific Concepts. AKBC 2021.",
            "address": "https://github.com/ariecattan/SciCo",
        },
    )


def _documents(topic: _Topic, part: str) -> Iterator[Document]:
    """Yield the paragraphs of a topic. Raises ValueError and IndexError for an invalid one."""
    paragraphs = zip(topic.tokens, topic.sentences, topic.doc_ids, strict=True)
    for at, (tokens, bounds, paper) in enumerate(paragraphs):
        starts = [bound[0] for bound in bounds]
        if starts != sorted({0, *starts}):
            raise ValueError(starts)
        text = tuple(tuple(tokens[a:b]) for a, b in pairwise([*starts, len(tokens)]))
        about = {PART: part, "paper": str(paper)}
        yield Document(f"{topic.id}_{at}", str(topic.id), "", text, attributes=about)


def _mentions(topic: _Topic) -> Iterator[Placed]:
    """Yield the mentions of a topic, in order; raises as ``_documents`` does."""
    for at, start, end, cluster in sorted(topic.mentions):
        if at < 0 or not 0 <= start <= end < len(topic.tokens[at]):
            raise ValueError(at)
        yield f"{topic.id}_{at}", Span(start, end, f"{topic.id}_{cluster}"), {"kind": ENTITY}


FORMAT = CorpusFormat(
    "scico",
    "SciCo",
    patterns=tuple(f"{part}.jsonl" for part in _PARTS),
    expected="train.jsonl, dev.jsonl or test.jsonl of the corpus",
    sniff=begins(r".*\"(?:flatten_tokens|doc_ids)\"", 2**18),
    read=read,
)

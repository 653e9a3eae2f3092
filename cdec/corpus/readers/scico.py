"""SciCo (Cattan et al. 2021), as its authors publish it: concepts in scientific papers.

``train.jsonl``, ``dev.jsonl`` and ``test.jsonl`` have a topic in each line: ``tokens`` and
``sentences`` (first and last token) of its paragraphs, ``doc_ids``, and ``mentions`` as paragraph,
first and last token (inclusive) and cluster.

A document is a paragraph, named ``topic_paragraph``; clusters are those of a topic. The hierarchy
of clusters (``relations``) is left out.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from pathlib import PurePosixPath

from pydantic import BaseModel

from cdec.corpus.model import ENTITY, PART, Corpus, Document
from cdec.corpus.readers.columns import Placed, corpus_at
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


def is_scico(source: Source) -> bool:
    """Return whether any file begins with a topic of SciCo."""
    heads = ("".join(source.head(file, 2**18)[:1]) for file in source.files)
    return any('"flatten_tokens"' in head or '"doc_ids"' in head for head in heads)


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
            if not _fits(topic):
                message = "its mentions, sentences and tokens do not fit together"
                raise error(where, "corpus-invalid", 0, message, "get the corpus again")
            for at, (tokens, bounds) in enumerate(zip(topic.tokens, topic.sentences, strict=True)):
                starts = [*(first for first, *_ in bounds), len(tokens)]
                text = tuple(tuple(tokens[first:end]) for first, end in pairwise(starts))
                about = {PART: part, "paper": str(topic.doc_ids[at])}
                name = f"{topic.id}_{at}"
                documents.append(Document(name, str(topic.id), "", text, attributes=about))
            spans = [(m[0], Span(m[1], m[2], f"{topic.id}_{m[3]}")) for m in topic.mentions]
            mentions += ((f"{topic.id}_{at}", span, {"kind": ENTITY}) for at, span in sorted(spans))
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


def _fits(topic: _Topic) -> bool:
    """Return whether every paragraph has its sentences, and every mention is in its paragraph."""
    sizes = [len(tokens) for tokens in topic.tokens]
    starts = [[first for first, *_ in bounds] for bounds in topic.sentences]
    return (
        len(starts) == len(topic.doc_ids) == len(sizes)
        and all(each == sorted({0, *each}) for each in starts)
        and all(
            len(m) == 4 and 0 <= m[0] < len(sizes) and 0 <= m[1] <= m[2] < sizes[m[0]]
            for m in topic.mentions
        )
    )


FORMAT = CorpusFormat(
    "scico",
    "SciCo",
    patterns=tuple(f"{part}.jsonl" for part in _PARTS),
    expected="train.jsonl, dev.jsonl or test.jsonl of the corpus",
    sniff=is_scico,
    read=read,
)

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
from typing import Any

from cdec.corpus.model import ENTITY, PART, Corpus, Document
from cdec.corpus.readers.columns import Placed, corpus_at
from cdec.corpus.readers.records import RECORD, Record
from cdec.corpus.source import CorpusFormat, Source, error
from cdec.files.models import validated
from cdec.files.strict_json import parse_at
from cdec.formats.brackets import Span


class _Topic(Record):
    id: int | str
    tokens: list[list[str]]
    sentences: list[list[list[int]]]
    doc_ids: list[int | str]
    mentions: list[list[int]]


def read(source: Source) -> Corpus:
    """Return the corpus. Raises CorpusError with the line of a topic, and the field."""
    placed = []
    for file, _ in source:
        part = PurePosixPath(file).name.partition(".")[0]
        for number, line in enumerate(source.text(file).split("\n"), start=1):
            if line.strip():
                value = parse_at(line, number, partial(error, file))
                place = f"{file}:{number}"
                placed += _paragraphs(
                    validated(_Topic, value, place, RECORD), place, part
                )
    return corpus_at(source, placed, levels={"topic": "topic"}, linked_within="topic")


def _paragraphs(topic: _Topic, place: str, part: str) -> Placed:
    """Return the documents of a topic with their mentions."""
    topic_id = str(topic.id)
    sizes = [len(tokens) for tokens in topic.tokens]
    starts = [
        [bounds[0] for bounds in sentences if bounds] for sentences in topic.sentences
    ]
    is_valid = len(starts) == len(topic.doc_ids) == len(sizes)
    is_valid &= all(numbers == sorted({0, *numbers}) for numbers in starts)
    for mention in topic.mentions:
        is_valid &= (
            len(mention) == 4
            and 0 <= mention[0] < len(sizes)
            and 0 <= mention[1] <= mention[2] < sizes[mention[0]]
        )
    if not is_valid:
        raise error(
            place,
            "corpus-invalid",
            0,
            "its mentions, sentences and tokens do not fit together",
            "get the corpus again",
        )
    mentions: list[list[tuple[Span, Any]]] = [[] for _ in sizes]
    for paragraph, start, end, cluster in sorted(topic.mentions):
        span = Span(start, end, f"{topic_id}_{cluster}")
        mentions[paragraph].append((span, {"kind": ENTITY}))
    placed = []
    for number, tokens in enumerate(topic.tokens):
        bounds = pairwise([*starts[number], len(tokens)])
        sentences = tuple(tuple(tokens[first:end]) for first, end in bounds)
        attributes = {PART: part, "paper": str(topic.doc_ids[number])}
        id_ = f"{topic_id}_{number}"
        document = Document(id_, topic_id, "", sentences, attributes=attributes)
        placed.append((document, mentions[number]))
    return placed


FORMAT = CorpusFormat(
    "scico",
    "SciCo",
    patterns=("train.jsonl", "dev.jsonl", "test.jsonl"),
    begins=r".*\"(?:flatten_tokens|doc_ids)\"",
    read=read,
)

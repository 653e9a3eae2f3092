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

_PARTS = ("train", "dev", "test")


class _Topic(Record):
    id: int | str
    tokens: list[list[str]]
    sentences: list[list[list[int]]]
    doc_ids: list[int | str]
    mentions: list[list[int]]


def read(source: Source) -> Corpus:
    """Return the corpus. Raises CorpusError with the line of a topic, and the field."""
    found: Placed = []
    for file, _ in source:
        part = PurePosixPath(file).name.partition(".")[0]
        lines = enumerate(source.text(file).split("\n"), start=1)
        for number, line in ((number, line) for number, line in lines if line.strip()):
            value, place = parse_at(line, number, partial(error, file)), f"{file}:{number}"
            topic = validated(_Topic, value, place, RECORD)
            own = str(topic.id)
            starts = [[bound[0] for bound in bounds if bound] for bounds in topic.sentences]
            sizes = [len(tokens) for tokens in topic.tokens]
            inside = all(
                len(m) == 4 and 0 <= m[0] < len(sizes) and 0 <= m[1] <= m[2] < sizes[m[0]]
                for m in topic.mentions
            )
            ordered = all(each == sorted({0, *each}) for each in starts)
            if not inside or not ordered or {len(starts), len(topic.doc_ids)} != {len(sizes)}:
                message = "its mentions, sentences and tokens do not fit together"
                raise error(place, "corpus-invalid", 0, message, "get the corpus again")
            mentions: list[list[tuple[Span, Any]]] = [[] for _ in sizes]
            for at, start, end, cluster in sorted(topic.mentions):
                mentions[at].append((Span(start, end, f"{own}_{cluster}"), {"kind": ENTITY}))
            paragraphs = zip(topic.tokens, starts, topic.doc_ids, strict=True)
            for at, (tokens, begins_at, paper) in enumerate(paragraphs):
                ends = pairwise([*begins_at, len(tokens)])
                text = tuple(tuple(tokens[first:end]) for first, end in ends)
                about = {PART: part, "paper": str(paper)}
                document = Document(f"{own}_{at}", own, "", text, attributes=about)
                found.append((document, mentions[at]))
    return corpus_at(source, found, levels={"topic": "topic"}, linked_within="topic")


FORMAT = CorpusFormat(
    "scico",
    "SciCo",
    patterns=tuple(f"{part}.jsonl" for part in _PARTS),
    begins=r".*\"(?:flatten_tokens|doc_ids)\"",
    read=read,
)

"""A corpus in the interchange format, and the table of topics for its documents."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from cdec.corpus import Corpus, lines, open_source, read_corpus, read_topics
from tests.faults.inputs import RECORD_LINES, TOPICS
from tests.fuzz.reader import Reader

TOKENS = (
    *('{"record": "mention", ', '{"record": "document", ', '{"record": "corpus", ', '"id": "'),
    *('"doc": "a"', '"tokens": [', '"lengths": [', '"sentences": [[', '"chain": "', '"state": "'),
    *('"kind": "entity"', '"head": 0', '"tag": "', '"attributes": {', '"reviewed": [0]'),
    *('"text_start": 1', '"levels": {', '"topic": "', '"subtopic": "', '"variants": {'),
    *('"text": "none"', "}\n", "null", "true", "1e9", "9" * 30, "\\ud83d", "\n", "NaN"),
)
MASKED = (
    '{"record": "corpus", "format": "cdec-corpus/1", "name": "x"}\n'
    '{"record": "document", "id": "a", "lengths": [2, 0, 1], "reviewed": [0]}\n'
    '{"record": "mention", "id": "a/1", "doc": "a", "tokens": [2, 0], "attributes": {"n": 1}}\n'
)


def readers() -> list[Reader]:
    texts = (RECORD_LINES.encode(), MASKED.encode(), gzip.compress(MASKED.encode()))
    tables = (TOPICS.encode(), TOPICS.replace(",", "\t").encode())
    return [
        Reader("interchange", "a.jsonl", _corpus, texts, TOKENS),
        Reader("topics", "a.csv", _topics, tables, ("document", "topic", '"', ",", "\t", "\n")),
    ]


def _corpus(path: Path) -> None:
    """Read a corpus; written and read again, it is the same."""
    corpus = _read(path)
    for _, row in corpus.mentions.iterrows():
        document = corpus.documents[row["doc"]]
        assert list(row["tokens"]) == sorted(set(row["tokens"]))
        assert row["text"] == " ".join(document.tokens[token] for token in row["tokens"])
    with TemporaryDirectory() as folder:
        again = Path(folder) / path.name
        again.write_text("".join(lines(corpus)), "utf-8", newline="")
        assert [json.loads(line) for line in again.read_text("utf-8").split("\n")[:-1]]
        assert _read(again).digest == corpus.digest


def _read(path: Path) -> Corpus:
    return read_corpus(open_source(path), "x")


def _topics(path: Path) -> None:
    for document, fields in read_topics(path).items():
        assert document.strip() and fields

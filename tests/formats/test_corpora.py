"""Corpora converted to the formats of the field, and read again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cdec import build_corpus, load_corpus
from cdec.corpus import Corpus, open_source, read, read_corpus
from cdec.formats import read as read_annotation
from cdec.formats.corpora import CONVERTERS, convert
from tests.refusals import refused

TARGETS = {
    "conll": "key.conll",
    "conll8": "key.conll",
    "ucdcr": "tables",
    "wec": "Event_gold_mentions.json",
}
READERS = {"conll8": "conll"}
_WEC = TARGETS["wec"]
Spans = Counter[tuple[Any, ...]]


@pytest.fixture
def sample() -> Corpus:
    return load_corpus("sample")


def chains(corpus: Corpus, *columns: str, gaps: bool = True) -> Spans:
    """Each chain as a set of mentions, whatever its label; spans without gaps if asked for."""
    table = corpus.mentions
    keys = ("doc", *(("tokens",) if gaps else ("start", "end")), *columns)
    items: dict[str, set[tuple[Any, ...]]] = {}
    for chain, *item in zip(table["chain"], *(table[key] for key in keys), strict=True):
        items.setdefault(chain, set()).add(tuple(item))
    return Counter(tuple(sorted(members)) for members in items.values())


def converted(corpus: Corpus, folder: Path, format_: str) -> Corpus:
    target = folder / TARGETS[format_]
    convert(corpus, target, format_)
    return read_corpus(open_source(target, READERS.get(format_, format_)), corpus.name)


def check(corpus: Corpus, folder: Path, format_: str) -> None:
    again = converted(corpus, folder, format_)
    if format_ == "wec":
        texts = Counter(zip(corpus.mentions["doc"], corpus.mentions["text"], strict=True))
        assert Counter(zip(again.mentions["doc"], again.mentions["text"], strict=True)) == texts
        assert again.mentions["chain"].nunique() == corpus.mentions["chain"].nunique()
        return
    documents = {id_: d.tokens for id_, d in corpus.documents.items()}
    assert {id_: d.tokens for id_, d in again.documents.items()} == documents
    if format_ == "ucdcr":
        columns = ("kind", "tag", "descriptor")
        assert chains(again, *columns) == chains(corpus, *columns)
    else:
        assert chains(again, gaps=False) == chains(corpus, gaps=False)
    if format_ != "conll":
        pairs = {id_: (d.topic, d.subtopic) for id_, d in corpus.documents.items()}
        assert {id_: (d.topic, d.subtopic) for id_, d in again.documents.items()} == pairs


@pytest.mark.parametrize("format_", TARGETS)
def test_the_sample_is_read_again(sample: Corpus, tmp_path: Path, format_: str) -> None:
    check(sample, tmp_path, format_)


@pytest.mark.slow
@pytest.mark.parametrize("format_", TARGETS)
def test_ecbplus_is_read_again(ecbplus: Path, tmp_path: Path, format_: str) -> None:
    check(read(ecbplus, "ecb+"), tmp_path, format_)


def test_wec_is_the_same_after_a_round_trip(corpora: Path, tmp_path: Path) -> None:
    corpus = read_corpus(open_source(corpora / "WEC-Eng-dev"), "wec")
    again = converted(corpus, tmp_path, "wec")
    assert len(again.mentions) == 1250
    assert chains(again, "text", "descriptor") == chains(corpus, "text", "descriptor")
    assert dict(again.documents) == dict(corpus.documents)


def test_the_fields_of_a_record(tmp_path: Path) -> None:
    words = [f"w{n}" for n in range(500)]
    sentences = [words[start : start + 20] for start in range(0, 500, 20)]
    mention = {"doc": "d", "id": "m", "tokens": [250, 252], "chain": "7", "head": 252}
    corpus = build_corpus([mention], {"d": sentences}, name="x")
    convert(corpus, tmp_path / _WEC, "wec")
    (record,) = json.loads((tmp_path / _WEC).read_text("utf-8"))
    assert record["mention_context"] == words[140:360]
    assert record["tokens_number"] == [110, 112]
    assert (record["tokens_str"], record["sent_id"], record["topic_id"]) == ("w250 w252", 12, -1)
    convert(corpus, tmp_path / "x", "ucdcr")
    (row,) = pd.read_parquet(tmp_path / "x" / "all_mentions.parquet").to_dict("records")
    assert (row["tokens_number"], row["tokens_number_context"]) == ("[10, 12]", "[110, 112]")
    assert (row["mention_head"], row["mention_head_id_context"]) == ("w252", 112)
    assert (row["conll_doc_key"], row["is_singleton"]) == ("0/0/d", True)
    table = pd.read_parquet(tmp_path / "x" / "all_documents.parquet")
    assert table["reference"][table["reference"] != "-"].tolist() == ["(7", "7)"]
    convert(corpus, tmp_path / "x.conll", "conll8")
    lines = (tmp_path / "x.conll").read_text("utf-8").splitlines()
    assert lines[251] == "-\t-\td\t12\t250\tw250\tTrue\t(1"


@pytest.mark.parametrize("format_", ["conll", "conll8", "ucdcr"])
def test_odd_tokens_and_a_mention_in_two_sentences(tmp_path: Path, format_: str) -> None:
    text = [["a\t", "\t", "&#9;", "("], ["#", "", "b"]]
    mentions = [
        {"doc": "d 1", "id": "m", "tokens": [3, 4], "chain": "x y"},
        {"doc": "d 1", "id": "n", "tokens": [1], "chain": "x y"},
    ]
    corpus = build_corpus(mentions, {"d 1": text}, name="x")
    again = converted(corpus, tmp_path, format_)
    assert again.documents["d 1"].sentences == corpus.documents["d 1"].sentences
    assert chains(again) == chains(corpus)


def test_conll_is_what_any_scorer_reads(sample: Corpus, tmp_path: Path) -> None:
    convert(sample, tmp_path / "key.conll", "conll")
    assert len(read_annotation(tmp_path / "key.conll")) == len(sample.mentions)


def test_a_corpus_without_text(tmp_path: Path) -> None:
    corpus = build_corpus([{"doc": "d", "tokens": [1], "chain": "7"}], name="x")
    for format_ in ("wec", "ucdcr"):
        with refused("format-unsuitable", place="x"):
            convert(corpus, tmp_path / TARGETS[format_], format_)
    assert not list(tmp_path.iterdir())
    convert(corpus, tmp_path / "x", "conll8")
    assert set(CONVERTERS) == {"jsonl", "ecbplus", *TARGETS}

"""The interchange format: records, schema, faults of content, content digest, its page."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from cdec import load_corpus
from cdec.configs import read_text
from cdec.corpus import (
    Corpus,
    content_digest,
    default_split,
    json_schema,
    lines,
    open_source,
    part_of,
    read,
    read_corpus,
    sample_path,
)
from cdec.formats.corpora import convert
from tests.guides import ROOT, Guide
from tests.refusals import refused

Record = dict[str, Any]
Write = Callable[..., Path]
CORPUS: Record = {"record": "corpus", "format": "cdec-corpus/1", "name": "x"}
A: Record = {
    "record": "document", "id": "a", "topic": "1", "subtopic": "1x", "date": "2026-01-05",
    "attributes": {"source": "é"}, "sentences": [["A", "fire"], [], ["It", "spread", "fast"]],
}  # fmt: skip
B: Record = {"record": "document", "id": "b", "topic": "1", "sentences": [["Fire", "spread"]]}
M1: Record = {"record": "mention", "id": "1", "doc": "a", "tokens": [1], "chain": "F"}
M2: Record = {
    "record": "mention", "id": "b/2", "doc": "b", "tokens": [1, 0], "chain": "F", "head": 1,
    "kind": "entity", "tag": "T", "state": "s", "attributes": {"n": 3, "names": ["x", "y"]},
}  # fmt: skip


@pytest.fixture
def written(tmp_path: Path) -> Write:
    """Return a function that writes records to a file."""

    def write(*records: Record | str, name: str = "x.jsonl") -> Path:
        path = tmp_path / name
        texts = [r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in records]
        path.write_text("".join(f"{text}\n" for text in texts), "utf-8")
        return path

    return write


def corpus_at(path: Path) -> Corpus:
    return read_corpus(open_source(path), "x")


def test_all_fields_are_read(written: Write) -> None:
    about = {"version": "2", "licence": "MIT", "variants": {"v": {"s": "drop"}}, "splits": ["ycf"]}
    corpus = corpus_at(written({**CORPUS, **about}, A, M1, B, M2))
    assert corpus.format == "jsonl"
    assert corpus.levels == {"topic": "topic", "subtopic": "sub-topic"}
    assert (corpus.variant, corpus.splits) == ("v", ("ycf",))
    assert corpus.release == {"version": "2", "licence": "MIT"}
    assert corpus.documents["a"].attributes == {"date": "2026-01-05", "source": "é"}
    two, one = corpus.mentions.to_dict("index").items()
    assert one[0] == "a/1"
    assert one[1].items() >= {"text": "fire", "sentence": 0, "kind": "event", "n": None}.items()
    assert two[0] == "b/2"
    expected = {"tokens": (0, 1), "text": "Fire spread", "kind": "entity", "tag": "T", "n": 3}
    assert two[1].items() >= expected.items()
    assert (two[1]["head"], two[1]["names"], two[1]["state"]) == (1, ["x", "y"], "s")


def test_the_sentence_of_a_mention_is_never_an_empty_one(written: Write) -> None:
    corpus = corpus_at(written(CORPUS, A, {**M1, "tokens": [2, 4]}, {**M1, "id": "2"}))
    assert corpus.mentions["sentence"].tolist() == [0, 2]


def test_lengths_instead_of_sentences(written: Write) -> None:
    masked = {"record": "document", "id": "a", "lengths": [2, 3]}
    corpus = corpus_at(written(CORPUS, masked, {**M1, "tokens": [2]}))
    assert (corpus.text, corpus.levels) == ("none", {})
    assert corpus.mentions["sentence"].tolist() == [1]
    assert '"lengths": [2, 3]' in "".join(lines(corpus))


def test_order_and_compression_do_not_matter(written: Write, tmp_path: Path) -> None:
    records = [A, B, M1, M2, {**M1, "id": "10"}, {**M1, "id": "9"}]
    digest = corpus_at(written(CORPUS, *records)).digest
    records.reverse()
    path = written(CORPUS, *records, name="y.jsonl")
    assert corpus_at(path).digest == digest
    packed = tmp_path / "z.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert corpus_at(packed).digest == digest
    assert corpus_at(packed).mentions.index.tolist() == ["b/2", "a/1", "a/9", "a/10"]
    assert corpus_at(written(CORPUS, *records, {**M1, "id": "7"})).digest != digest


def test_the_shipped_schema_is_that_of_the_reader(written: Write) -> None:
    shipped = json.loads(read_text("schemas/corpus.schema.json"))
    if os.environ.get("CDEC_UPDATE_GOLDEN") == "1":
        path = ROOT / "configs" / "schemas" / "corpus.schema.json"
        path.write_text(json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert shipped == json_schema()
    jsonschema.Draft202012Validator.check_schema(shipped)


def test_what_is_written_fits_the_schema_and_what_is_refused_does_not(written: Write) -> None:
    check = jsonschema.Draft202012Validator(json_schema())
    for record in (CORPUS, A, B, M1, M2):
        check.validate(record)
    for line in lines(load_corpus("sample")):
        check.validate(json.loads(line))
    for changed in ({**M1, "tokens": []}, {**M1, "kind": "x"}, {**A, "x": 1}, {**M1, "id": " "}):
        assert not check.is_valid(changed)
        with refused("corpus-record-invalid", place="x.jsonl:2"):
            corpus_at(written(CORPUS, changed))


FAULTS: dict[str, tuple[list[Record | str], str, int]] = {
    "no corpus": ([A, M1], "corpus-record-invalid", 1),
    "two corpora": ([CORPUS, CORPUS], "corpus-record-invalid", 2),
    "newer": ([{**CORPUS, "format": "cdec-corpus/2"}], "file-too-new", 1),
    "another format": ([{**CORPUS, "format": "cdec-split/1"}], "corpus-record-invalid", 1),
    "unknown record": ([CORPUS, {"record": "chain"}], "corpus-record-invalid", 2),
    "no record": ([CORPUS, "[1]"], "corpus-record-invalid", 2),
    "list as record": ([CORPUS, {"record": []}], "corpus-record-invalid", 2),
    "unknown level": ([{**CORPUS, "levels": {"x": "y"}}], "corpus-record-invalid", 1),
    "unknown treatment": (
        [{**CORPUS, "variants": {"v": {"s": "x"}}}], "corpus-record-invalid", 1,
    ),
    "document twice": ([CORPUS, A, A], "corpus-file-invalid", 3),
    "no text": ([CORPUS, {"record": "document", "id": "a"}], "corpus-record-invalid", 2),
    "both texts": ([CORPUS, {**A, "lengths": [1]}], "corpus-record-invalid", 2),
    "one masked": (
        [CORPUS, A, {"record": "document", "id": "c", "lengths": [1]}], "corpus-record-invalid", 3,
    ),
    "endless": (
        [CORPUS, {"record": "document", "id": "c", "lengths": [10**9] * 2}],
        "corpus-record-invalid", 2,
    ),
    "token of another type": ([CORPUS, {**A, "sentences": [[1]]}], "corpus-record-invalid", 2),
    "own name": ([CORPUS, {**A, "attributes": {"url": ""}}], "corpus-record-invalid", 2),
    "mention twice": ([CORPUS, A, M1, {**M1, "id": "a/1"}], "corpus-record-invalid", 4),
    "other document": ([CORPUS, A, M1, {**M1, "doc": "z"}], "corpus-record-invalid", 4),
    "other token": ([CORPUS, A, {**M1, "tokens": [4, 5]}], "corpus-record-invalid", 3),
    "token twice": ([CORPUS, A, {**M1, "tokens": [1, 1]}], "corpus-record-invalid", 3),
    "true as token": ([CORPUS, A, {**M1, "tokens": [True]}], "corpus-record-invalid", 3),
    "negative token": ([CORPUS, A, {**M1, "tokens": [-1]}], "corpus-record-invalid", 3),
    "core name": ([CORPUS, A, {**M1, "attributes": {"doc": 1}}], "corpus-record-invalid", 3),
    "object": ([CORPUS, A, {**M1, "attributes": {"x": {}}}], "corpus-record-invalid", 3),
    "typed attribute": (
        [CORPUS, A, {**M1, "attributes": {"relation": 1}}], "corpus-record-invalid", 3,
    ),
    "cut": ([CORPUS, '{"record": "document", "id"'], "json-invalid", 2),
    "key twice": ([CORPUS, '{"record": "document", "id": "a", "id": "a"}'], "json-invalid", 2),
    "NaN": ([CORPUS, '{"record": "mention", "head": NaN}'], "json-invalid", 2),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_refused_with_its_line(fault: str, written: Write) -> None:
    records, code, line = FAULTS[fault]
    # An unrecognised file goes to the reader of its ending, which says why.
    with refused(code, place=f"x.jsonl:{line}"):
        corpus_at(written(*records))


def test_several_files_in_a_folder(written: Write, tmp_path: Path) -> None:
    written(CORPUS, A, name="a.jsonl")
    assert open_source(tmp_path).layout.name == "jsonl"
    written(M1, name="response.jsonl")
    with refused("corpus-empty", "a.jsonl, response.jsonl", place=tmp_path):
        corpus_at(tmp_path)


def test_damaged_gzip(written: Write, tmp_path: Path) -> None:
    data = gzip.compress(written(CORPUS, A, M1).read_bytes())
    path = tmp_path / "y.jsonl.gz"
    for broken in (data[:-9], data[:20] + bytes(9) + data[29:]):
        path.write_bytes(broken)
        with refused("corpus-record-invalid", place="y.jsonl.gz"):
            corpus_at(path)


def _same(corpus: Corpus, path: Path) -> None:
    convert(corpus, path, "jsonl")
    again = read_corpus(open_source(path), corpus.name)
    assert again.mentions.equals(corpus.mentions)
    assert again.mentions.dtypes.equals(corpus.mentions.dtypes)
    assert again.documents == corpus.documents
    assert list(again.documents) == list(corpus.documents)
    facts = "levels linked_within text splits argument_kinds variants reviewed kind name"
    for fact in facts.split():
        assert getattr(again, fact) == getattr(corpus, fact), fact
    content = path.read_bytes().partition(b"\n")[2]
    assert hashlib.sha256(content).hexdigest() == content_digest(corpus) == again.digest
    assert default_split(again).name == default_split(corpus).name


def test_the_sample_is_the_same_after_a_round_trip(tmp_path: Path) -> None:
    corpus = load_corpus("sample")
    _same(corpus, tmp_path / "sample.jsonl")
    _same(replace(corpus, linked_within="subtopic"), tmp_path / "limited.jsonl")


def test_a_limit_of_links_is_a_level_of_the_corpus(tmp_path: Path) -> None:
    corpus = replace(load_corpus("sample"), levels={"topic": "topic"}, linked_within="subtopic")
    corpus.save(tmp_path / "x.jsonl")
    with refused("corpus-record-invalid", "which the corpus does not have", place="x.jsonl:1"):
        corpus_at(tmp_path / "x.jsonl")


@pytest.mark.slow
def test_ecbplus_is_the_same_after_a_round_trip(ecbplus: Path, tmp_path: Path) -> None:
    corpus = read(ecbplus, "ecb+")
    _same(corpus, tmp_path / "mine.jsonl")
    again = load_corpus(str(tmp_path / "mine.jsonl"), "cybulska/test")
    assert len(again.selected) == len(part_of(corpus, "cybulska/test").selected) == 1780


def test_the_page_shows_what_its_commands_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "interchange.md"
    guide = Guide(page, tmp_path)
    made = guide.followed()
    if os.environ.get("CDEC_UPDATE_GOLDEN") == "1":
        page.write_text(made, "utf-8")
    assert made == guide.text
    assert (sample_path() / "README.md").is_file()

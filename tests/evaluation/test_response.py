"""A response in any form, matched with its key."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from cdec.api import load_corpus
from cdec.baselines import system
from cdec.clustering import Clustering
from cdec.corpus import Corpus
from cdec.evaluation import (
    FilePolicy,
    Response,
    ResponseFile,
    check_distinct,
    match_pair,
    meta_document_sides,
    run_on,
)
from cdec.formats import from_corpus, write
from cdec.settings import SETTINGS
from tests.refusals import refused


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return load_corpus("sample", "test")


@pytest.mark.parametrize(
    ("text", "path", "name"),
    [
        ("out.conll", "out.conll", "out"),
        ("runs/7/out.v2.conll", "runs/7/out.v2.conll", "out.v2"),
        ("mine=out.conll", "out.conll", "mine"),
        ("my own=runs/delta=0.3/out.conll", "runs/delta=0.3/out.conll", "my own"),
        ("runs/delta=0.3/out.conll", "runs/delta=0.3/out.conll", "out"),
        ("=out.conll", "=out.conll", "=out"),
        (Path("a=b.conll"), "a=b.conll", "a=b"),
    ],
)
def test_name_and_file(text: str | Path, path: str, name: str) -> None:
    assert ResponseFile.parse(text) == ResponseFile(Path(path), name)


def test_an_existing_file_with_an_equals_sign_in_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("delta=0.3.conll").touch()
    assert ResponseFile.parse("delta=0.3.conll").name == "delta=0.3"


@pytest.mark.parametrize("as_type", [dict, pd.Series, Clustering.from_labels])
def test_chains_of_any_type(as_type: type, sample: Corpus) -> None:
    run = run_on(sample, as_type(sample.gold.labels.to_dict()))
    assert run.system == "response"
    assert run.response.labels.to_dict() == sample.gold.labels.to_dict()
    assert not run.notices


def test_missing_mentions_are_a_notice_and_an_empty_response_is_refused(
    sample: Corpus,
) -> None:
    some = sample.gold.labels.iloc[:-3]
    notices = run_on(sample, some).notices
    assert [(n.code, n.count) for n in notices] == [("missing-mention", 3)]
    with refused("mentions-disjoint"):
        run_on(sample, {})
    run = run_on(sample, {}, FilePolicy(allow_empty=True))
    assert len(run.response) == 0


def test_mentions_outside_the_corpus_are_refused(sample: Corpus) -> None:
    with refused("system-invalid", 1, "'9_9ecb/1'"):
        run_on(sample, pd.concat([sample.gold.labels, pd.Series({"9_9ecb/1": "x"})]))


def test_two_clusterings_without_a_corpus() -> None:
    run, about = match_pair({"a": 1, "b": 1}, {"b": 1, "c": 1})
    assert about["key_digest"] != run.about["response_digest"]
    assert list(run.mentions.index) == ["a", "b", "c"]
    assert [n.code for n in run.notices] == ["missing-mention", "twinless"]
    with refused("mentions-disjoint"):
        match_pair({"a": 1}, {"c": 1})


def test_a_response_file_equals_the_system_that_wrote_it(sample: Corpus, tmp_path: Path) -> None:
    direct = run_on(sample, system("lemma"))
    file = tmp_path / "mine.jsonl"
    write(from_corpus(sample, direct.response), file, "jsonl")
    read = run_on(sample, f"theirs={file}")
    assert (direct.system, read.system) == ("lemma", "theirs")
    assert set(read.about) == {"response_digest"}  # nothing is repeated
    assert not read.notices
    assert read.response.labels.to_dict() == direct.response.labels.to_dict()
    assert read.mentions.index.equals(sample.selected.index)


def test_a_missing_file_is_the_place_of_the_error(sample: Corpus) -> None:
    with refused("file-unreadable", place="nowhere/out.conll"):
        run_on(sample, "mine=nowhere/out.conll")


def test_duplicate_names_are_refused() -> None:
    check_distinct(["a/p.conll", "q=b/p.conll", system("lemma"), {"m": 1}])
    pairs: list[list[Response]] = [
        ["a/p.conll", "b/p.conll"],
        [system("lemma"), "lemma.conll"],
        [{"m": 1}, {"m": 2}],
    ]
    for pair in pairs:
        with refused("name-duplicate", 2):
            check_distinct(pair)


def test_ready_meta_documents_of_both_sides(sample: Corpus) -> None:
    response = {str(mention): chain for mention, chain in sample.gold.labels.items()}
    alone = meta_document_sides(sample, SETTINGS["pure"], None)
    both = meta_document_sides(sample, SETTINGS["pure"], response)
    assert alone[0].mentions.equals(both[0].mentions)
    assert both[1].mentions.equals(both[0].mentions)
    assert alone[2] == both[2] == ()
    del response[sample.selected.index[0]]
    *_, notices = meta_document_sides(sample, SETTINGS["pure"], response)
    assert [n.code for n in notices] == ["missing-mention"]

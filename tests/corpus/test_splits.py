"""Splits: the topics of train, dev and test."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cdec.corpus import (
    Corpus,
    Split,
    build,
    load_split,
    open_source,
    part_of,
    sample_path,
    select,
    split_names,
)
from tests.refusals import refused


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return build(open_source(sample_path()), "sample")


def numbers(*ranges: tuple[int, int]) -> set[str]:
    return {str(number) for low, high in ranges for number in range(low, high + 1)}


def write(folder: Path, text: str) -> str:
    file = folder / "mine.toml"
    file.write_text(text)
    return str(file)


def test_ycf_is_that_of_the_paper() -> None:
    split = load_split("ycf")
    assert split.parts == {
        "train": numbers((1, 14), (16, 16), (18, 22)),
        "dev": numbers((23, 25)),
        "test": numbers((26, 45)),
    }
    assert not split.reviewed_only


def test_cybulska_is_that_of_the_reviewed_sentences() -> None:
    split = load_split("cybulska")
    assert split.parts["dev"] == {"2", "5", "12", "18", "21", "23", "34", "35"}
    assert split.parts["test"] == numbers((36, 45))
    assert split.reviewed_only


@pytest.mark.parametrize("name", ["ycf", "cybulska"])
def test_each_topic_of_ecbplus_is_in_one_part(name: str) -> None:
    topics = [topic for part in load_split(name).parts.values() for topic in part]
    assert sorted(topics) == sorted(numbers((1, 14), (16, 16), (18, 45)))


def test_the_names_are_those_of_the_files() -> None:
    assert split_names() == ("cybulska", "fcc-t", "gvc", "sample", "xamr", "ycf")
    with refused("name-unknown", "unknown split", "'ycff'", "'ycf'"):
        load_split("ycff")


def test_a_file_of_the_user(tmp_path: Path) -> None:
    text = 'title = "Mine"\n[topics]\na = ["1-3", "x", 7]\nb = [" 4 "]\nc = []\n'
    expected = Split(
        name="mine",
        title="Mine",
        parts={"a": frozenset("123x7"), "b": frozenset("4"), "c": frozenset()},
    )
    assert load_split(write(tmp_path, text)) == expected
    assert load_split(write(tmp_path, f'format = "cdec-split/1"\n{text}')) == expected


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("[topics\n", ["column"]),
        ("[topics]\n", ["[topics]"]),
        ('topic = ["1"]\n', ["'topic'", "'topics'"]),
        ("[topics]\na = [true]\n", ["'topics', 'a', item 1", "true"]),
        ('[topics]\na = "1"\n', ["'topics', 'a'", "'1'"]),
        ('[topics]\na = ["12-10"]\n', ["'12-10'", "'10-12'"]),
        ('[topics]\na = ["1", "1"]\n', ["topic 1 "]),
        ('[topics]\na = ["1-5"]\nb = ["10", "4-6"]\n', ["topic 4, 5"]),
        ('[mentions]\na = ["1_1ecb/1", "1_1ecb/1"]\n', ["mention 1_1ecb/1 "]),
        ('[mentions]\na = ["foo"]\n', ["'foo'", "36_1ecb/23"]),
        ('[mentions]\na = ["1_1ecb/1"]\n[topics]\na = ["1"]\n', ["[topics] and [mentions]"]),
        ('reviewed_only = "yes"\n[topics]\na = ["1"]\n', ["'reviewed_only'", "'yes'"]),
    ],
)
def test_an_invalid_split_is_an_error(text: str, values: list[str], tmp_path: Path) -> None:
    with refused("split-invalid", *values) as caught:
        load_split(write(tmp_path, text))
    assert str(caught.value).startswith(str(tmp_path / "mine.toml"))
    assert caught.value.exit_code == 2


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with refused("file-unreadable", "No such file", place="mine.toml"):
        load_split(str(tmp_path / "mine.toml"))
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with refused("file-encoding", place="bytes.toml:1"):
        load_split(str(tmp_path / "bytes.toml"))
    (tmp_path / "empty.toml").touch()
    with refused("file-empty", place="empty.toml"):
        load_split(str(tmp_path / "empty.toml"))
    (tmp_path / "folder.toml").mkdir()
    with refused("file-unreadable", "Is a directory", place="folder.toml"):
        load_split(str(tmp_path / "folder.toml"))


def test_select_returns_documents_and_mentions_of_a_part(sample: Corpus) -> None:
    test = select(sample, "test", load_split("sample"))
    assert {document.topic for document in test.documents.values()} == {"4", "5", "6"}
    assert set(test.mentions["doc"]) <= test.documents.keys()
    assert set(test.mentions["topic"]) == {"4", "5", "6"}
    assert (test.part, test.digest, test.name) == ("sample-test", sample.digest, "sample")
    assert select(sample, "all", load_split("ycf")).mentions.equals(sample.mentions)


@pytest.mark.parametrize(
    ("text", "code", "value"),
    [
        ('b = ["1-6"]', "name-unknown", "'a'"),
        ('a = ["1-6", "9", "10"]', "split-invalid", "topic 9, 10 of the part 'a'"),
    ],
)
def test_a_split_that_does_not_fit_the_corpus_is_an_error(
    text: str, code: str, value: str, tmp_path: Path, sample: Corpus
) -> None:
    split = load_split(write(tmp_path, f"[topics]\n{text}\n"))
    with refused(code, value) as caught:
        select(sample, "a", split)
    assert caught.value.exit_code == (2 if code == "name-unknown" else 1)


def test_reviewed_only_selects_reviewed_sentences(tmp_path: Path, sample: Corpus) -> None:
    split = load_split(write(tmp_path, 'reviewed_only = true\n[topics]\na = ["1-6"]\n'))
    part = select(sample, "a", split)
    assert part.mentions["reviewed"].all()
    assert 0 < len(part.mentions) < len(sample.mentions)
    assert part.documents == sample.documents
    assert select(sample, "all", split).part == "all-reviewed"


def test_reviewed_sentences_need_their_list(tmp_path: Path, sample: Corpus) -> None:
    bare = build(replace(open_source(sample_path()), reviewed=None), "bare")
    split = load_split(write(tmp_path, 'reviewed_only = true\n[topics]\na = ["1-6"]\n'))
    with refused("split-invalid", place="bare"):
        select(bare, "a", split)


def test_the_documents_of_ycf(release_corpus: Corpus) -> None:
    split = load_split("ycf")
    counts = {part: len(select(release_corpus, part, split).documents) for part in split.parts}
    assert counts == {"train": 462, "dev": 73, "test": 447}


def test_the_reviewed_event_mentions_of_cybulska(release_corpus: Corpus) -> None:
    split = load_split("cybulska")
    counts = {part: len(select(release_corpus, part, split).selected) for part in split.parts}
    assert sum(counts.values()) == len(select(release_corpus, "all", split).selected) == 6833
    # Later papers report 3808, 1245 and 1780.
    assert counts == {"train": 3808, "dev": 1245, "test": 1780}


def test_a_split_of_ones_own_signs_with_its_topics(sample: Corpus, tmp_path: Path) -> None:
    shipped = part_of(sample, "sample/test")
    assert shipped.split_digest == ""
    topics = sorted({document.topic for document in shipped.documents.values()})
    rest = sorted({document.topic for document in sample.documents.values()} - {*topics})

    def own(name: str, test: list[str], other: list[str]) -> Corpus:
        file = tmp_path / name
        file.write_text(f"[topics]\ntest = {json.dumps(test)}\ndev = {json.dumps(other)}\n")
        return part_of(sample, f"{file}/test")

    same, less = own("sample.toml", topics, rest), own("s.toml", topics[:1], topics[1:] + rest)
    assert same.part == shipped.part
    assert same.about != shipped.about
    renamed = own("t.toml", topics[:1], topics[1:] + rest)
    assert less.split_digest == renamed.split_digest != same.split_digest
    assert same.about["split_digest"] == same.split_digest


def test_a_part_of_reviewed_sentences_signs_with_its_mentions(sample: Corpus) -> None:
    split = replace(load_split("sample"), reviewed_only=True)
    more = sample.mentions.assign(reviewed=True)
    fewer = more.assign(reviewed=~more.index.isin(more.index[:3]))
    parts = [select(replace(sample, mentions=list_), "all", split) for list_ in (more, fewer)]
    assert parts[0].about["split_digest"] != parts[1].about["split_digest"]


def test_a_part_of_mentions_has_their_documents_and_no_other_mention(
    tmp_path: Path, sample: Corpus
) -> None:
    one, two, *_, last = sample.selected.index
    lists = f'[mentions]\na = ["{one}", "{two}"]\nb = ["{last}", "{one}"]\n'
    split = load_split(write(tmp_path, lists))
    a, b = (select(sample, part, split) for part in "ab")
    assert a.selected.index.tolist() == [one, two]
    assert set(a.documents) == set(a.selected["doc"])
    assert b.selected.index.tolist() == [one, last]
    assert len({a.split_digest, b.split_digest, ""}) == 3
    assert a.region is not None
    assert len(a.region.outside) + 2 == sample.mentions["doc"].isin(a.documents).sum()


def test_a_part_of_unknown_mentions_is_an_error(tmp_path: Path, sample: Corpus) -> None:
    known = sample.selected.index[0]
    split = load_split(write(tmp_path, f'[mentions]\na = ["{known}", "{known}999"]\n'))
    with refused("split-invalid", "1 mention is not in the corpus", f"{known}999", place="'mine'"):
        select(sample, "a", split)


def test_the_mentions_of_two_annotators(whole_ecbplus: Corpus) -> None:
    split, validated = load_split("xamr"), load_split("cybulska")
    parts = {part: select(whole_ecbplus, part, split).selected for part in split.parts}
    assert {part: len(rows) for part, rows in parts.items()} == {
        "dev": 1245,
        "dev-120": 120,
        "test": 847,
    }
    every = {part: select(whole_ecbplus, part, validated).selected for part in ("dev", "test")}
    assert parts["dev"].index.equals(every["dev"].index)
    assert parts["test"].index.isin(every["test"].index).all()

"""Which topics are train, dev and test."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cdec.corpus.adapter import open_source
from cdec.corpus.ecbplus.assemble import build
from cdec.corpus.model import Corpus
from cdec.corpus.splits import Split, load_split, part_of, select, split_names
from cdec.corpus.store.locate import sample_path
from cdec.errors import CdecError, CorpusError, UnknownNameError, UsageError


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
    assert split.topics == {
        "train": numbers((1, 14), (16, 16), (18, 22)),
        "dev": numbers((23, 25)),
        "test": numbers((26, 45)),
    }
    assert not split.reviewed_only


def test_cybulska_is_that_of_the_reviewed_sentences() -> None:
    split = load_split("cybulska")
    assert split.topics["dev"] == {"2", "5", "12", "18", "21", "23", "34", "35"}
    assert split.topics["test"] == numbers((36, 45))
    assert split.reviewed_only


@pytest.mark.parametrize("name", ["ycf", "cybulska"])
def test_each_topic_of_ecbplus_stands_in_one_part(name: str) -> None:
    topics = [topic for part in load_split(name).topics.values() for topic in part]
    assert sorted(topics) == sorted(numbers((1, 14), (16, 16), (18, 45)))


def test_the_names_are_those_of_the_files() -> None:
    assert split_names() == ("cybulska", "sample", "ycf")
    with pytest.raises(UnknownNameError, match="did you mean 'ycf'"):
        load_split("ycff")


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    text = 'title = "Mine"\n[topics]\na = ["1-3", "x", 7]\nb = [" 4 "]\nc = []\n'
    made = Split(
        name="mine",
        title="Mine",
        topics={"a": frozenset("123x7"), "b": frozenset("4"), "c": frozenset()},
    )
    assert load_split(write(tmp_path, text)) == made
    assert load_split(write(tmp_path, f'format = "cdec-split/1"\n{text}')) == made


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[topics\n", "not TOML"),
        ("", "the file is empty"),
        ("[topics]\n", r"no \[topics\] table"),
        ('topic = ["1"]\n', "unknown field 'topic', did you mean 'topics'"),
        ("[topics]\na = [true]\n", "'topics', 'a', item 1 is true, not a topic"),
        ('[topics]\na = "1"\n', "'topics', 'a' is '1', not a list"),
        ('[topics]\na = ["12-10"]\n', "the range '12-10' runs backwards"),
        ('[topics]\na = ["1", "1"]\n', "topic 1 stands twice"),
        ('[topics]\na = ["1-5"]\nb = ["10", "4-6"]\n', "topic 4, 5 stands twice"),
        (
            'reviewed_only = "yes"\n[topics]\na = ["1"]\n',
            "'reviewed_only' is 'yes', not true or false",
        ),
    ],
)
def test_what_is_no_split_is_an_error(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        load_split(write(tmp_path, text))
    assert str(caught.value).startswith(str(tmp_path / "mine.toml"))


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        load_split(str(tmp_path / "mine.toml"))
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="not UTF-8"):
        load_split(str(tmp_path / "bytes.toml"))
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        load_split(str(tmp_path / "folder.toml"))


def test_select_takes_documents_and_mentions_of_a_part(sample: Corpus) -> None:
    test = select(sample, "test", load_split("sample"))
    assert {document.topic for document in test.documents.values()} == {"4", "5", "6"}
    assert set(test.mentions["doc"]) <= test.documents.keys()
    assert set(test.mentions["topic"]) == {"4", "5", "6"}
    assert (test.part, test.digest, test.name) == ("sample-test", sample.digest, "sample")
    assert select(sample, "all", load_split("ycf")).mentions.equals(sample.mentions)


@pytest.mark.parametrize(
    ("part", "text", "error"),
    [
        ("tset", 'test = ["1-6"]', ("unknown part of the split 'mine': 'tset'", 2)),
        ("a", 'a = ["1-5"]', ("topic 6 of the corpus 'sample' is in no part", 1)),
        ("a", 'a = ["1-6", "9", "10"]', ("topic 9, 10 of the part 'a' is not in the corpus", 1)),
    ],
)
def test_a_split_that_does_not_fit_the_corpus_is_an_error(
    part: str, text: str, error: tuple[str, int], tmp_path: Path, sample: Corpus
) -> None:
    message, code = error
    split = load_split(write(tmp_path, f"[topics]\n{text}\n"))
    with pytest.raises(CdecError, match=message) as caught:
        select(sample, part, split)
    assert caught.value.exit_code == code


def test_only_reviewed_sentences_where_the_split_says_so(tmp_path: Path, sample: Corpus) -> None:
    split = load_split(write(tmp_path, 'reviewed_only = true\n[topics]\na = ["1-6"]\n'))
    made = select(sample, "a", split)
    assert made.mentions["reviewed"].all()
    assert 0 < len(made.mentions) < len(sample.mentions)
    assert made.documents == sample.documents
    assert select(sample, "all", split).part == "all-reviewed"


def test_reviewed_sentences_need_their_list(tmp_path: Path, sample: Corpus) -> None:
    bare = build(replace(open_source(sample_path()), reviewed=None), "bare")
    split = load_split(write(tmp_path, 'reviewed_only = true\n[topics]\na = ["1-6"]\n'))
    with pytest.raises(CorpusError, match="has no list of them"):
        select(bare, "a", split)


def test_the_documents_of_ycf(release_corpus: Corpus) -> None:
    split = load_split("ycf")
    counts = {part: len(select(release_corpus, part, split).documents) for part in split.topics}
    assert counts == {"train": 462, "dev": 73, "test": 447}


def test_the_reviewed_event_mentions_of_cybulska(release_corpus: Corpus) -> None:
    split = load_split("cybulska")
    counts = {part: len(select(release_corpus, part, split).events) for part in split.topics}
    assert sum(counts.values()) == len(select(release_corpus, "all", split).events) == 6833
    # Later papers print 3808, 1245 and 1780.
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

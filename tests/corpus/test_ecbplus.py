"""From files to a corpus: order, reviewed sentences, and the counts of the real one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from cdec.corpus import Corpus, Source, build, load_split, open_source, pack, read, select
from cdec.corpus.model import COLUMNS
from tests.refusals import refused

WriteCorpus = Callable[..., Path]

# Upadhyay et al. (2016), Table 1, as the files of the release give it.
TABLE_1 = {
    "event mentions": (5444, 608, 8951),
    "in no relation": (1865, 167, 5571),
    "in INTRA_DOC_COREF": (24, 0, 90),
    "in CROSS_DOC_COREF": (3555, 441, 3290),
    "cross-document instances": (691, 47, 479),
}


def test_folder_and_zip_give_the_same_corpus(small: Source, tmp_path: Path) -> None:
    packed = tmp_path / "corpus.zip"
    packed.write_bytes(pack(small))
    _assert_same(read(packed, "c"), read(small.path, "c"))


def test_mentions_are_in_text_order_with_all_columns(small: Source) -> None:
    corpus = build(small)
    assert list(corpus.mentions.columns) == list(COLUMNS)
    of_first = corpus.mentions[corpus.mentions["doc"] == "1_1ecb"]
    assert list(of_first.index) == ["1_1ecb/11", "1_1ecb/13", "1_1ecb/12", "1_1ecb/14"]
    assert list(corpus.documents) == ["1_1ecb", "1_2ecbplus"]
    assert corpus.mentions.index.name == "mention"


def test_cross_document_chains_span_files_and_the_others_do_not(small: Source) -> None:
    chains = build(small).mentions["chain"]
    assert chains["1_1ecb/11"] == chains["1_2ecbplus/11"] == "ACT1"
    assert chains["1_1ecb/13"] != chains["1_2ecbplus/13"]
    assert chains["1_1ecb/12"] != chains["1_2ecbplus/12"]


def test_reviewed_marks_the_listed_sentences(small: Source) -> None:
    reviewed = build(small).mentions["reviewed"]
    assert set(reviewed.index[reviewed]) == {"1_1ecb/12", "1_1ecb/13", "1_1ecb/14"}


def test_without_the_list_nothing_is_reviewed(write_corpus: WriteCorpus) -> None:
    assert not read(write_corpus(reviewed=None)).mentions["reviewed"].any()


def test_a_list_from_windows_is_read_too(write_corpus: WriteCorpus) -> None:
    text = "\ufeffTopic,File,Sentence Number\r\n1,1ecb,1\r\n\r\n"
    assert read(write_corpus(reviewed=text)).mentions["reviewed"].sum() == 3


@pytest.mark.parametrize(
    ("text", "line", "value"),
    [
        ("Topic,File,Sentence Number\n1,1ecb,x\n", 2, "'x'"),
        ("Topic,File,Sentence Number\n1,1ecb,0\n1,1ecb\n", 3, "'1ecb'"),
        ("1,1ecb,1\n", 1, "'Sentence Number'"),
    ],
)
def test_an_invalid_list_is_refused(
    write_corpus: WriteCorpus, text: str | bytes, line: int, value: str
) -> None:
    place = f"ECBplus_coreference_sentences.csv:{line}"
    with refused("table-invalid", value, place=place):
        read(write_corpus(reviewed=text))


def test_a_document_in_two_folders_is_refused(write_corpus: WriteCorpus, document: str) -> None:
    folder = write_corpus({"1/1_1ecb.xml": document, "2/1_1ecb.xml": document})
    with refused("corpus-file-invalid", "1/1_1ecb.xml, 2/1_1ecb.xml", place=folder):
        read(folder)


def test_the_progress_ticks_once_a_file(small: Source) -> None:
    ticks: list[None] = []
    build(small, tick=lambda: ticks.append(None))
    assert len(ticks) == len(small.files)


def test_a_corpus_without_any_mention_can_be_read(write_corpus: WriteCorpus, document: str) -> None:
    head, _, _ = document.partition("<ACTION")
    corpus = read(write_corpus({"1/1_1ecb.xml": f"{head}</Markables></Document>"}))
    assert len(corpus.documents) == 1
    assert corpus.mentions.empty
    assert corpus.selected.empty


def test_the_release_has_the_counts_of_its_readme(release_corpus: Corpus) -> None:
    tags = release_corpus.mentions["tag"]
    kinds = tags.str.replace("NEG_ACTION", "ACTION").str.extract("^(ACTION|LOC|TIME|HUMAN|NON)")[0]
    assert kinds.value_counts().to_dict() == {
        "ACTION": 15003,
        "LOC": 2205,
        "TIME": 2412,
        "HUMAN": 9621,
        "NON": 3056,
    }
    assert len(release_corpus.documents) == 982
    assert len({doc.subtopic for doc in release_corpus.documents.values()}) == 86


def test_the_release_gives_table_1(release_corpus: Corpus) -> None:
    split = load_split("ycf")
    parts = [select(release_corpus, part, split) for part in ("train", "dev", "test")]
    assert tuple(len(part.documents) for part in parts) == (462, 73, 447)
    relation = [part.selected["relation"].value_counts() for part in parts]
    cross = [part.selected[part.selected["relation"] == "cross_doc"] for part in parts]
    counted = {
        "event mentions": tuple(len(part.selected) for part in parts),
        "in no relation": tuple(counts["none"] for counts in relation),
        "in INTRA_DOC_COREF": tuple(int(counts.get("intra_doc", 0)) for counts in relation),
        "in CROSS_DOC_COREF": tuple(counts["cross_doc"] for counts in relation),
        "cross-document instances": tuple(events["chain"].nunique() for events in cross),
    }
    assert counted == TABLE_1


def test_the_test_split_by_cluster_size(release_corpus: Corpus) -> None:
    events = select(release_corpus, "test", load_split("ycf")).selected
    clusters = events.groupby("chain")["doc"].agg(["size", "nunique"])
    single = clusters["size"] == 1
    within = ~single & (clusters["nunique"] == 1)
    across = clusters["nunique"] > 1
    assert int(single.sum()) == 5651
    assert (int(within.sum()), int(clusters["size"][within].sum())) == (56, 117)
    assert (int(across.sum()), int(clusters["size"][across].sum())) == (389, 3183)


def test_an_event_in_a_participants_chain_stays_an_event(release_corpus: Corpus) -> None:
    ids = ["1_19ecbplus/59", "1_19ecbplus/74", "16_9ecbplus/8", "16_9ecbplus/9"]
    rows = release_corpus.mentions.loc[ids]
    assert set(rows["tag"]) == {"ACTION_STATE"}
    assert (rows["kind"] == "event").all()
    assert list(rows["descriptor"]) == ["shawn_holley", "shawn_holley", "orozco", "orozco"]


def test_the_release_read_from_a_zip_is_the_same(
    release_source: Source, release_corpus: Corpus, tmp_path: Path
) -> None:
    packed = tmp_path / "release.zip"
    packed.write_bytes(pack(release_source))
    source = open_source(packed)
    assert source.digest == release_source.digest
    _assert_same(build(source, "ecb+"), release_corpus)


def _assert_same(one: Corpus, other: Corpus) -> None:
    assert (one.name, one.digest, one.documents) == (other.name, other.digest, other.documents)
    pd.testing.assert_frame_equal(one.mentions, other.mentions)

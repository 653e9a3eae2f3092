"""Corpora: each reader, what the published ones hold, parts, blind copies, records, own texts."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self, TypeAlias

import pandas as pd
import pytest

import cdec as package
from cdec import Corpus, build_corpus, load_corpus
from cdec.formats import read as read_annotation
from tests import tiny_files as tiny
from tests.cases import cases, refused
from tests.program import Run
from tests.tiny_files import given, packed, wec

Files: TypeAlias = dict[str, str | bytes]
Put: TypeAlias = Callable[[Mapping[str, str | bytes]], Path]
Reader: TypeAlias = Callable[[Mapping[str, str | bytes]], Corpus]
Defects: TypeAlias = Callable[[Path], dict[str, int]]
Place: TypeAlias = Callable[[str], str]


CASES = cases("corpora_cases")


# The verbs of corpora.
def add(path: object, *options: object) -> tuple[object, ...]:
    return ("corpus", "add", path, *options)


def check(path: object) -> tuple[object, ...]:
    return ("corpus", "add", path, "--check", "--format", "json")


def export(corpus: object, *options: object) -> tuple[object, ...]:
    return ("corpus", "export", "--from", corpus, *options)


def stats(corpus: object, *options: object) -> tuple[object, ...]:
    return ("corpus", "stats", "--corpus", corpus, "--format", "json", *options)


# What is asked of a corpus.
def column(corpus: Corpus, name: str) -> dict[str, Any]:
    """Mention → value of a column."""
    return dict(corpus.mentions[name])


def sizes(corpus: Corpus) -> list[int]:
    """The sizes of the chains of the key, in ascending order."""
    return sorted(corpus.selected["chain"].value_counts().tolist())


def size(corpus: Corpus) -> tuple[int, int, int]:
    """Documents, mentions and chains of the key."""
    return len(corpus.documents), len(corpus.selected), len(sizes(corpus))


def readings(path: object) -> dict[str, Corpus]:
    """The readings of the key, by name."""
    return {name: load_corpus(f"{path}:{name}") for name in load_corpus(str(path)).variants}


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write files into a new folder and return it."""

    def write(files: Mapping[str, str | bytes]) -> Path:
        for name, content in files.items():
            given(tmp_path / "it", name, content)
        return tmp_path / "it"

    return write


@pytest.fixture
def read(put: Put) -> Reader:
    return lambda files: load_corpus(str(put(files)))


@pytest.fixture
def content(cdec: Run) -> Place:
    """The digest of what a corpus holds, in whatever format."""
    return lambda path: str(cdec(*check(path)).json["content_digest"])


@pytest.fixture
def defects(cdec: Run) -> Defects:
    """Kind → number of the defects that a check finds."""

    def of(path: Path) -> dict[str, int]:
        rows = cdec(*check(path)).json["rows"]
        return {row["item"]: row["found"] for row in rows if row["kind"] == "defect"}

    return of


# ECB+.

DOCUMENT: str = CASES["files"]["ecbplus"]
SMALL: Files = {"ECB+/1/1_1ecb.xml": DOCUMENT, "ECB+/1/1_2ecbplus.xml": DOCUMENT}
LIST = "ECBplus_coreference_sentences.csv"


def test_ecbplus_is_read_in_text_order(read: Reader) -> None:
    corpus = read(SMALL)
    document = corpus.documents["1_1ecb"]
    assert (document.topic, document.subtopic, document.text_start) == ("1", "1ecb", 0)
    assert document.sentences == (("Fire", "broke", "quickly", "out"), ("Aña", "saw", "it"))
    assert corpus.documents["1_2ecbplus"].text_start == 1  # its sentence 0 is the URL
    own = corpus.mentions[corpus.mentions["doc"] == "1_1ecb"]
    assert own.index.tolist() == [f"1_1ecb/{number}" for number in (11, 13, 12, 14)]
    assert own["tokens"].tolist() == [(1, 3), (4,), (5,), (6,)]
    assert own["text"].tolist() == ["broke out", "Aña", "saw", "it"]
    assert own["kind"].tolist() == ["event", "entity", "event", "event"]
    assert own["chain"].tolist() == ["ACT1", "1_1ecb/r2", "1_1ecb/12", "ACT1"]
    assert own["relation"].tolist() == ["cross_doc", "intra_doc", "none", "cross_doc"]
    assert own["descriptor"].tolist() == ["t1_fire", "t1_ana", "", "t1_fire"]
    chains = column(corpus, "chain")
    assert chains["1_2ecbplus/11"] == "ACT1"
    assert all(chains[f"1_2ecbplus/{id_}"] != chains[f"1_1ecb/{id_}"] for id_ in (12, 13))


def test_a_folder_a_zip_and_a_noisy_copy_are_the_same(
    put: Put, content: Place, tmp_path: Path
) -> None:
    noisy = DOCUMENT.replace(">Fire<", "><!-- a -->Fi<?b?>re<")
    utf16 = f'<?xml version="1.0" encoding="UTF-16"?>\n{DOCUMENT}'.encode("utf-16")
    whole, digest = content(str(put(SMALL))), load_corpus(str(put(SMALL))).digest
    for document in (noisy, utf16):
        assert content(str(put(dict.fromkeys(SMALL, document)))) == whole
    zipped = str(given(tmp_path, "a.zip", packed(SMALL)))
    assert (load_corpus(zipped).digest, content(zipped)) == (digest, whole)


@pytest.mark.parametrize(
    ("listed", "mentions"),
    [
        (None, set()), ("1,1ecb,1\n", {"12", "13", "14"}),
        ("1,1ecb,0\r\n1,1ecb,1\r\n\r\n", {"11", "12", "13", "14"}),
    ],
)  # fmt: skip
def test_reviewed_sentences_are_those_of_the_list(
    read: Reader, listed: str | None, mentions: set[str]
) -> None:
    more: Files = {} if listed is None else {LIST: f"\ufeffTopic,File,Sentence Number\n{listed}"}
    reviewed = read({**SMALL, **more}).mentions["reviewed"]
    assert {id_.partition("/")[2] for id_ in reviewed.index[reviewed]} == mentions


def test_a_list_above_the_folder_of_a_zip_is_of_another_corpus(tmp_path: Path) -> None:
    file = tmp_path / "one" / "two" / "small.zip"
    file.parent.mkdir(parents=True)
    file.write_bytes(packed(SMALL))
    file.parent.with_name(LIST).write_text("Topic,File,Sentence Number\n1,1ecb,1\n")
    assert not load_corpus(str(file)).mentions["reviewed"].any()


@pytest.mark.parametrize("defect", CASES["defects"])
def test_a_defect_is_read_and_listed(put: Put, defects: Defects, defect: str) -> None:
    old, new = CASES["defects"][defect]
    assert old in DOCUMENT
    path = put({"ECB+/1/1_1ecb.xml": DOCUMENT.replace(old, new)})
    found = defects(path)
    assert found["gap-in-event"] == 1
    assert found[defect] >= 1
    assert len(load_corpus(str(path)).mentions) == 4


@pytest.mark.parametrize("name", ["1/notes.xml", "1/1_1.xml", "1/ecb.xml", "1/_1ecb.xml"])
def test_a_name_without_topic_is_refused(put: Put, name: str) -> None:
    with refused("corpus-invalid", name):
        load_corpus(str(put({f"ECB+/{name}": DOCUMENT})), "all")


def test_a_document_in_two_folders_is_refused(put: Put) -> None:
    path = put({"ECB+/1/1_1ecb.xml": DOCUMENT, "ECB+/2/1_1ecb.xml": DOCUMENT})
    with refused("corpus-invalid", "2/1_1ecb.xml"):
        load_corpus(str(path), "all")


# The other readers, on small files.


def test_gvc(read: Reader, defects: Defects, tmp_path: Path) -> None:
    table = "doc-id,event-id\nd1,17\nd2,18\n"
    corpus = read({"gold.conll": tiny.GVC, "gvc_doc_to_event.csv": table})
    document = corpus.documents["d1"]
    assert document.sentences[:2] == (("2014-06-15",), ("Shooting", "at"))
    assert (document.topic, document.subtopic, document.text_start) == ("gun-violence", "17", 1)
    assert " ".join(corpus.mentions.index) == "d1/1_0_0 d1/2_1_2 d1/3_1_1 d2/1_0_0 d2/2_1_1"
    assert corpus.documents["d2"].sentences[2] == ("Hé", "lived")
    assert defects(tmp_path / "it") == {"newline-token": 1}
    keys = {name: sizes(key) for name, key in readings(tmp_path / "it").items()}
    assert keys == {"left-out": [1, 2], "singletons": [1, 1, 1, 2], "one-chain": [1, 2, 2]}
    assert corpus.variant == "left-out"


@pytest.mark.parametrize("kind", ["event", "all"])
def test_what_a_variant_leaves_out_is_left_out_of_each_kind(read: Reader, kind: str) -> None:
    table = "doc-id,event-id\nd1,17\nd2,18\n"
    whole = read({"gold.conll": tiny.GVC, "gvc_doc_to_event.csv": table})
    response = whole.select(kind, variant="singletons").gold
    results = package.evaluate(whole.select(kind), response, setting="simple", metrics="b3")
    assert (results["b3"].precision, results["b3"].recall) == (1, 1)


def test_gvc_needs_no_table_of_incidents_but_a_whole_one(put: Put) -> None:
    path = put({"gold.conll": tiny.GVC})
    assert dict(load_corpus(str(path)).levels) == {"topic": "topic"}
    for table, code in (
        ("doc-id,event-id\nd1,17\n", "corpus-invalid"), ("doc,event\nd1,1\n", "file-invalid")
    ):  # fmt: skip
        with refused(code):
            load_corpus(str(put({"gvc_doc_to_event.csv": table})), "all")


CUP = "football-tournaments_cup_d0000000"


def test_fcct_has_two_readings(put: Put) -> None:
    path = put({"a.conll.gz": gzip.compress(tiny.FCCT.encode()), "b.conll": tiny.FCCT_SPANS})
    corpus = load_corpus(str(path))
    assert (corpus.text, dict(corpus.levels)) == ("none", {"topic": "tournament"})
    document = corpus.documents[f"{CUP}1"]
    assert (document.topic, document.subtopic) == ("cup", "")
    assert document.sentences == (("It", "___", "___", "___"), (), ("___",))
    shared = {f"{CUP}1/0_1_3": "0", f"{CUP}2/0_0_0": "0"}
    keys = {name: dict(key.selected["chain"]) for name, key in readings(path).items()}
    assert keys["hypercoref"] == shared | {f"{CUP}1/2_0_0": "1"}
    assert keys["bugert"] == shared | {f"{CUP}1/0_0_0": "bugert-9"}


def test_fcct_without_tokens(read: Reader, put: Put) -> None:
    corpus = read({"key.conll": tiny.FCCT_SPANS})
    assert corpus.documents[f"{CUP}1"].sentences == (("___",) * 4,)
    assert sizes(corpus) == [1, 2]
    outside = tiny.FCCT_SPANS.replace("d00000001_0_0_0", "d00000001_7_0_0")
    with refused("corpus-invalid"):
        load_corpus(str(put({"key.conll": tiny.FCCT, "b.conll": outside})), "all")


def test_a_key_of_fcct_that_is_cut_or_no_key_is_refused(put: Put) -> None:
    for text, code, place in (
        (tiny.FCCT_SPANS[:-20], "conll-structure", "b.conll:4"),
        ("", "corpus-invalid", "b.conll:1"), (tiny.FCCT_SPANS[:40], "corpus-invalid", "b.conll:1"),
        (tiny.FCCT_SPANS.replace("1_0_0_0", "1_7_0_0"), "corpus-invalid", "b.conll:4"),
    ):  # fmt: skip
        with refused(code, place):
            load_corpus(str(put({"a.conll": tiny.FCCT, "b.conll": text})), "all")


ENTITIES: list[dict[str, Any]] = json.loads(CASES["files"]["cd2cr_entities"])


def test_cd2cr(read: Reader, tmp_path: Path) -> None:
    corpus = read({"dev.conll": tiny.CD2CR})
    assert (corpus.kind, dict(corpus.levels)) == ("entity", {"topic": "topic"})
    assert corpus.documents["0_news_1"].topic == "dev-0"
    assert corpus.mentions.index.tolist() == ["0_news_1/0_0_1", "0_science_2/0_0_0"]
    given(tmp_path / "it", "dev_entities.json", json.dumps(ENTITIES))
    keys = {name: sizes(key) for name, key in readings(tmp_path / "it").items()}
    assert keys == {"without-singletons": [2], "with-singletons": [1, 2]}
    wrong = [*ENTITIES[:1], {**ENTITIES[1], "tokens_ids": [2]}]
    given(tmp_path / "it", "dev_entities.json", json.dumps(wrong))
    with refused("corpus-invalid", "dev_entities.json, record 2"):
        load_corpus(str(tmp_path / "it"), "all")


_EVENT = {"conll_doc_key": "corpus_air/7", "coref_chain": "OTH2", "sent_id": 0}
EVENTS = json.dumps([{**_EVENT, "tokens_number": "[1]"}])


def test_meantime(read: Reader, defects: Defects, tmp_path: Path) -> None:
    corpus = read({"meantime.conll": tiny.MEANTIME, "event_mentions.json": EVENTS})
    home = "corpus_air/7"
    assert column(corpus, "kind") == {
        f"{home}/0_0_0": "entity", f"{home}/0_1_2": "event", f"{home}/1_0_0": "entity"
    }  # fmt: skip
    assert corpus.documents[home].topic == "corpus_air"
    assert defects(tmp_path / "it") == {"repeated-span": 1, "spans-sentences": 1}
    alone = read({"event_mentions.json": "[]"})
    assert set(alone.mentions["kind"]) == {"entity"}


def test_languages_of_meantime_are_apart(put: Put, content: Place, tmp_path: Path) -> None:
    files = {"meantime.conll": tiny.MEANTIME, "event_mentions.json": EVENTS}
    both: Files = {f"{code}/{name}": text for code in ("en", "nl") for name, text in files.items()}
    folder = str(put(both))
    corpus = load_corpus(folder)
    assert sorted(corpus.documents) == ["en:corpus_air/7", "nl:corpus_air/7"]
    assert corpus.selected["chain"].tolist() == ["en:OTH2", "nl:OTH2"]
    assert content(str(given(tmp_path, "mine.zip", packed(both)))) == content(folder)


def test_chains_of_meantime_that_a_prefix_splits_are_joined(put: Put) -> None:
    text = tiny.MEANTIME.replace("OTH2", "cross_OTH2").replace(
        "(ORG1)| (ORG1)", "(cross_intra_OTH2)"
    )
    events = EVENTS.replace("OTH2", "cross_OTH2")
    path = put({"meantime.conll": text, "event_mentions.json": events})
    chains = {
        name: list(key.select("all").selected["chain"]) for name, key in readings(path).items()
    }
    assert chains["joined"] == ["OTH2", "OTH2", "ORG3"]
    assert chains[load_corpus(str(path)).variant] == ["cross_intra_OTH2", "cross_OTH2", "ORG3"]


def test_wec_has_a_sentence_for_each_context(read: Reader) -> None:
    text = wec({}, {"mention_context": ["Rain", "fell"]}, {"tokens_number": [0]}, {"doc_id": "B"})
    corpus = read({"Dev_Event_gold_mentions.json": text})
    assert (dict(corpus.levels), corpus.text) == ({}, "contexts")
    assert corpus.documents["A"].sentences == (("It", "rosé"), ("Rain", "fell"))
    assert column(corpus, "text") == {"A/0": "rosé", "A/1": "fell", "A/2": "It", "B/3": "rosé"}
    assert set(corpus.mentions["descriptor"]) == {"Flood"}


def ucdcr(*mentions: dict[str, Any]) -> Files:
    rows = [
        {"topic/subtopic_name/doc": "1/1ecb/1", "sent_id": 0, "token_id": at, "token": token,
         "split": "val"}
        for at, token in enumerate(("It", "rose", "."))
    ]  # fmt: skip
    table = [{**tiny.UCDCR, "mention_id": f"m{at}", **one} for at, one in enumerate(mentions)]
    return {
        "all_documents.parquet": tiny.parquet(*rows),
        "all_mentions.parquet": tiny.parquet(*table),
    }


def test_ucdcr(read: Reader) -> None:
    corpus = read(ucdcr({}, {"tokens_number": "[0]", "mention_full_type": "LOC_GEO"}))
    document = corpus.documents["1_1ecb"]
    assert (document.topic, document.subtopic) == ("1", "1ecb")
    assert document.tokens == ("It", "rose", ".")
    assert column(corpus, "kind") == {"1_1ecb/0_0_0": "entity", "1_1ecb/0_1_1": "event"}


TOPIC: dict[str, Any] = json.loads(CASES["files"]["scico"])


def test_scico_has_a_document_for_each_paragraph(read: Reader, put: Put) -> None:
    corpus = read(
        {"dev.jsonl": tiny.records(TOPIC), "test.jsonl": tiny.records({**TOPIC, "id": 8})}
    )
    assert (corpus.kind, corpus.linked_within, dict(corpus.levels)) == (
        "entity", "topic", {"topic": "topic"}
    )  # fmt: skip
    assert list(corpus.documents) == ["7_0", "7_1", "8_0", "8_1"]
    assert corpus.documents["7_0"].sentences == (("Deep", "parsing", "."), ("It", "parses", "."))
    assert column(corpus, "text")["7_1/0_1_2"] == "deep parser"
    assert sizes(corpus) == [1, 1, 2, 2]
    assert size(load_corpus(str(put({})), "test")) == (2, 3, 2)
    for wrong in ([0, 5, 6, 1], [2, 0, 0, 1], [0, 2, 1, 1], [0, 0]):
        text = tiny.records(TOPIC, {**TOPIC, "id": 8, "mentions": [wrong]})
        with refused("corpus-invalid", "dev.jsonl:2"):
            load_corpus(str(put({"dev.jsonl": text})), "all")
    text = tiny.records({**TOPIC, "sentences": [[[]], [[0, 2]]]})
    with refused("corpus-invalid", "dev.jsonl:1"):
        load_corpus(str(put({"dev.jsonl": text})), "all")
    with refused("format-undetected", "dev.jsonl:1"):
        load_corpus(str(put({"dev.jsonl": tiny.records({**TOPIC, "tokens": 1})})), "all")


def test_a_conll_key_is_a_corpus(read: Reader) -> None:
    corpus = read({"key.conll.gz": gzip.compress(CASES["files"]["conll"].encode())})
    assert dict(corpus.levels) == {}
    assert list(corpus.documents) == ["a", "a; part 001"]
    assert corpus.documents["a"].sentences == (("Fire", "spread"), ("It",))
    assert corpus.mentions.index.tolist() == ["a/0_0_0", "a/0_1_2", "a; part 001/0_0_0"]
    bare = b"#begin document (a)\na 0 0 (1)\na 0 1 -\n#end document\n"
    assert read({"key.conll.gz": gzip.compress(bare)}).text == "none"


def test_levels_are_in_the_columns_of_a_conll_key(read: Reader) -> None:
    places = [("1", "a", 1), ("1", "b", 2), ("2", "a", 3)]
    lines = [f"{t}\t{t}{s}\t{t}{s}_{n}\t0\t{n}\tfire\tTrue\t(4)\n" for t, s, n in places]
    corpus = read({"key.conll": f"#begin document x\n{''.join(lines)}#end document\n"})
    assert dict(corpus.levels) == {"topic": "topic", "subtopic": "sub-topic"}
    assert (corpus.documents["1b_2"].topic, corpus.documents["1b_2"].subtopic) == ("1", "1b")
    assert sizes(corpus) == [3]


def test_corefud_is_counted_and_converted(cdec: Run, corefud: Path, tmp_path: Path) -> None:
    key = corefud / "gum-test" / "key.conllu"
    annotation = read_annotation(key)
    assert sum(len(words or ()) for words in annotation.documents.values()) == 28397
    mentions = annotation.mentions
    assert (len(mentions), mentions.groupby(["doc", "chain"]).ngroups) == (7927, 4319)
    over = tmp_path / "again.conllu"
    assert cdec(*export(key, "--to", "conllu", "-o", over)).exit == 0
    ran = cdec("score", key, over, "--scope", "document", "--metric", "muc", "--format", "json")
    assert {row["f1"] for row in ran.json["rows"]} == {1.0}


# The published corpora.


@pytest.fixture
def place(ecbplus: Path, corpora: Path) -> Place:
    return lambda name: str(ecbplus if name == "ecbplus" else corpora / name)


@pytest.mark.parametrize("name", CASES["published"])
def test_a_published_corpus_is_read_in_full_and_passes_its_check(
    cdec: Run, place: Place, name: str
) -> None:
    found = cdec(*check(place(name))).json
    assert (found["ok"], found["problems"]) == (True, [])
    corpus = load_corpus(place(name))
    counts = len(corpus.documents), len(corpus.mentions), corpus.mentions["chain"].nunique()
    key = len(corpus.selected), len(sizes(corpus))
    assert [*counts, *key, found["content_digest"][:12]] == CASES["published"][name]


@pytest.mark.parametrize("name", CASES["parts"])
def test_the_parts_of_a_published_corpus(place: Place, name: str) -> None:
    folder, colon, variant = name.partition(":")
    for part, counts in CASES["parts"][name].items():
        assert [*size(load_corpus(f"{place(folder)}{colon}{variant}", part))] == counts, part


def test_a_check_names_a_damaged_file(cdec: Run, put: Put) -> None:
    path = put({**SMALL, "ECB+/1/1_3ecb.xml": DOCUMENT[:-40]})
    ran = cdec(*check(path))
    assert ran.exit == 1
    assert "1_3ecb.xml" in ran.out
    (path / "ECB+" / "1" / "1_3ecb.xml").unlink()
    assert cdec(*check(path)).json["ok"] is True


def test_table_1_of_ecbplus(cdec: Run, ecbplus: Path) -> None:
    """Upadhyay et al. (2016), and the chains by their size."""
    rows = cdec(*stats(ecbplus, "--split", "ycf")).json["rows"]
    parts = ("train", "dev", "test")
    table = pd.DataFrame(rows).pivot_table("count", "row", "part")
    for name, counts in CASES["table1"].items():
        assert table.loc[name, [*parts]].tolist() == counts, name


# The sample.


def test_the_sample(cdec: Run, content: Place) -> None:
    digest = "4c51b8d3b8c06a2ff2fe249aacc849edd442111c1a28b61a6d1b017f3990adce"
    assert content("sample") == digest
    parts = [size(load_corpus("sample", part)) for part in ("train", "dev", "test", "all")]
    assert parts[2] == (18, 389, 231)
    assert [sum(of) for of in zip(*parts[:3], strict=True)] == [*parts[3]]
    assert cdec(*check("sample")).json["ok"] is True


def test_without_a_corpus_the_sample_is_used_with_a_warning(cdec: Run) -> None:
    with pytest.warns(package.SampleWarning):
        assert load_corpus().name == "sample"
    call = ("eval", "--system", "lemma", "--setting", "pure", "--format", "json")
    chosen, default = (cdec(*call, *more).json for more in (("--corpus", "sample"), ()))
    assert chosen["rows"] == default["rows"]


# Parts.


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return given(tmp_path, "made.jsonl", tiny.corpus(reviewed=[0]))


def test_a_page_of_corpora_has_its_title(cdec: Run, tmp_path: Path) -> None:
    pages = {
        ("list",): "Corpora that cdec knows or has",
        ("stats", "--corpus", "sample"): "Counts of sample, sample",
        ("add", "sample", "--check"): "Corpus sample",
    }
    for call, title in pages.items():
        file = tmp_path / "page.html"
        assert cdec("corpus", *call, "-o", file).exit == 0
        assert f"<title>{title}</title>" in file.read_text("utf-8")


def test_an_official_part_is_that_of_the_documents(made: Path) -> None:
    assert {part: size(load_corpus(str(made), part)) for part in ("test", "dev", "all")} == {
        "test": (2, 4, 3), "dev": (1, 3, 2), "all": (3, 7, 5)
    }  # fmt: skip
    with refused("name-unknown"):
        load_corpus(str(made), "train")
    with refused("name-unknown"):
        load_corpus(str(made), "ycff/test")


def test_a_split_of_ones_own(made: Path, tmp_path: Path) -> None:
    path = given(tmp_path, "mine.toml", '[topics]\na = ["1", "x-1"]\nb = [" 2 "]\n')
    with refused("corpus-invalid"):  # no topic x-1
        load_corpus(str(made), f"{path}/a")
    path.write_text('[topics]\na = [1]\nb = [" 2 "]\n')
    part = load_corpus(str(made), f"{path}/a")
    assert (size(part), part.part) == ((2, 4, 3), "mine-a")
    path.write_text('reviewed_only = true\n[topics]\na = ["1-2"]\n')
    reviewed = load_corpus(str(made), f"{path}/a")
    assert reviewed.selected.index.tolist() == ["1_1ecb/11", "1_2ecb/11", "2_1ecb/11"]
    path.write_text('[mentions]\na = ["1_1ecb/11", "2_1ecb/12"]\n')
    listed = load_corpus(str(made), f"{path}/a")
    assert listed.selected.index.tolist() == ["1_1ecb/11", "2_1ecb/12"]
    assert list(listed.documents) == ["1_1ecb", "2_1ecb"]
    path.write_text('[mentions]\na = ["1_1ecb/99"]\n')
    with refused("corpus-invalid"):
        load_corpus(str(made), f"{path}/a")
    path.write_text('reviewed_only = true\n[topics]\na = ["1-2"]\n')
    made.write_text(tiny.corpus())  # lists no reviewed sentences
    with refused("corpus-invalid"):
        load_corpus(str(made), f"{path}/a")


def test_kinds_of_mentions(made: Path) -> None:
    kinds = ("event", "entity", "all")
    assert [len(load_corpus(str(made), mentions=one).selected) for one in kinds] == [7, 2, 9]
    entities = [one for one in tiny.MENTIONS if one[4] == "entity"]
    made.write_text(tiny.corpus(mentions=entities))
    assert load_corpus(str(made)).kind == "entity"


# Blind: no system sees gold.


@dataclass
class Spy:
    """A system that keeps what it sees."""

    name: str = "spy"
    seen: list[Corpus] = field(default_factory=list)

    @property
    def parameters(self) -> Mapping[str, object]:
        return {}

    def fit(self, train: Corpus, dev: Corpus) -> Self:
        return self

    def predict(self, corpus: Corpus) -> package.Clustering:
        self.seen.append(corpus)
        place = pd.Series(range(len(corpus.mentions)), corpus.mentions.index)
        return package.Clustering((place % 7).astype(str))


def strings(value: object) -> Iterator[str]:
    """Every string in a value but the words of the text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, pd.DataFrame):
        yield from strings([*value.columns, *value.index])
        yield from strings(value.drop(columns="text", errors="ignore").to_numpy().tolist())
    elif isinstance(value, Mapping):
        yield from strings([*value.keys(), *value.values()])
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from strings(item)
    elif hasattr(value, "__dict__"):
        yield from strings([item for name, item in vars(value).items() if name != "sentences"])


GOLD = ("doc", "topic", "subtopic", "tag", "chain", "descriptor")


@pytest.mark.parametrize("source", ["sample", "made"])
def test_a_system_sees_nothing_gold(source: str, made: Path) -> None:
    whole, spy = load_corpus("sample" if source == "sample" else str(made)), Spy()
    real = replace(whole, removed=whole.mentions.iloc[:1])  # as a patch of the key does
    package.predict(real, spy)
    (hidden,) = spy.seen
    found = set(strings(hidden)) - {real.name, real.digest, real.part}
    secret = {str(value) for name in GOLD for value in real.mentions[name]}
    secret |= {*real.documents, *real.mentions.index} - {""}
    assert secret <= set(strings(real)) | {""}
    assert not found & (secret - {"", *"0123456789"})
    texts = {doc: document.tokens for doc, document in hidden.documents.items()}
    rows = zip(hidden.mentions["doc"], hidden.mentions["tokens"], strict=True)
    words = sorted(" ".join(texts[doc][at] for at in tokens) for doc, tokens in rows)
    assert words == sorted(real.selected["text"])
    with pytest.raises(KeyError):
        _ = hidden.gold


def test_names_and_order_change_nothing_for_a_system(tmp_path: Path) -> None:
    names = {"1_1ecb": "z", "1_2ecb": "y", "2_1ecb": "x"}
    one = load_corpus(str(given(tmp_path, "a.jsonl", tiny.corpus())))
    lines = [json.loads(line) for line in tiny.corpus().splitlines()]
    for line in lines:
        if line["record"] == "document":
            line |= {"id": names[line["id"]], "topic": f"t{line['topic']}"}
        elif line["record"] == "mention":
            line |= {"doc": names[line["doc"]], "id": f"m{line['id']}", "chain": line["chain"] * 2}
    text = tiny.records(lines[0], *reversed(lines[1:]))
    other = load_corpus(str(given(tmp_path, "b.jsonl", text)))
    here, there = (package.predict(corpus, Spy()).labels.items() for corpus in (one, other))
    places = [(str(id_).split("/"), label) for id_, label in here]
    assert {f"{names[doc]}/m{id_}": label for (doc, id_), label in places} == dict(there)


# A corpus in records.

Record: TypeAlias = dict[str, Any]
A: Record = {
    "record": "document", "id": "a", "topic": "1", "subtopic": "1x", "date": "2026-01-05",
    "attributes": {"source": "é"}, "sentences": [["Fire", "spread"], [], ["fast", "."]],
    "text_start": 0,
}  # fmt: skip
B: Record = {**A, "id": "b", "reviewed": [0]}
M1: Record = {"record": "mention", "id": "1", "doc": "a", "tokens": [0], "chain": "F"}
M2: Record = {
    **M1, "id": "2", "doc": "b", "tokens": [1, 0], "kind": "entity", "tag": "T", "head": 1,
    "state": "s", "attributes": {"n": 3, "names": ["x", "y"]},
}  # fmt: skip
HEAD = {"record": "corpus", "format": "cdec-corpus/1", "name": "x"}


def test_every_field_of_a_record_is_read(read: Reader) -> None:
    about = {"version": "2", "licence": "MIT", "variants": {"v": {"s": "drop"}}, "splits": ["ycf"]}
    corpus = read({"x.jsonl": tiny.records({**HEAD, **about}, A, M1, B, M2)})
    assert dict(corpus.levels) == {"topic": "topic", "subtopic": "sub-topic"}
    assert corpus.variant == "v"
    assert corpus.documents["a"].attributes == {"date": "2026-01-05", "source": "é"}
    rows = corpus.mentions.to_dict("index")
    assert rows["a/1"].items() >= {"text": "Fire", "sentence": 0, "kind": "event"}.items()
    two, expected = rows["b/2"], {"tokens": (0, 1), "text": "Fire spread", "tag": "T", "n": 3}
    assert two.items() >= {**expected, "kind": "entity"}.items()
    assert (two["head"], two["names"], two["state"], two["reviewed"]) == (1, ["x", "y"], "s", True)


def test_lengths_instead_of_sentences(read: Reader) -> None:
    masked = {"record": "document", "id": "a", "lengths": [2, 0, 3]}
    corpus = read({"x.jsonl": tiny.records(HEAD, masked, {**M1, "tokens": [2]})})
    assert (corpus.text, dict(corpus.levels)) == ("none", {})
    assert corpus.mentions["sentence"].tolist() == [2]  # never an empty one


def test_order_and_compression_do_not_matter(tmp_path: Path) -> None:
    rows = [A, B, M1, M2, {**M1, "id": "10"}, {**M1, "id": "9"}]
    forward = load_corpus(str(given(tmp_path, "x.jsonl", tiny.records(HEAD, *rows))))
    backward = tiny.records(HEAD, *reversed(rows))
    packed_ = load_corpus(str(given(tmp_path, "y.jsonl.gz", gzip.compress(backward.encode()))))
    assert packed_.digest == forward.digest
    assert packed_.mentions.index.tolist() == ["a/1", "a/9", "a/10", "b/2"]
    assert forward.mentions.index.tolist() == packed_.mentions.index.tolist()
    fewer = load_corpus(str(given(tmp_path, "z.jsonl", tiny.records(HEAD, *rows[:-1]))))
    assert fewer.digest != forward.digest


@pytest.mark.parametrize("source", ["sample", "GVC", "MEANTIME"])
def test_what_is_saved_is_read(
    cdec: Run, content: Place, source: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if source != "sample":
        source = str(request.getfixturevalue("corpora") / source)
    corpus = load_corpus(source)
    corpus.save(tmp_path / "it.jsonl")
    again = load_corpus(str(tmp_path / "it.jsonl"))
    assert again.digest == content(source) == content(str(tmp_path / "it.jsonl"))
    assert again.mentions.equals(corpus.mentions)
    assert again.documents == corpus.documents
    assert cdec(*export(source, "--split", "all", "-o", tmp_path / "x.jsonl")).exit == 0
    assert (tmp_path / "x.jsonl").read_bytes() == (tmp_path / "it.jsonl").read_bytes()
    facts = ("levels", "variants", "text", "kind")
    assert [getattr(again, name) for name in facts] == [getattr(corpus, name) for name in facts]


# The store.


def test_a_corpus_is_stored_and_found_by_name(cdec: Run, made: Path) -> None:
    found = cdec(*add(made, "--name", "Mine", "--format", "json")).json
    corpus = load_corpus("mine")
    assert (corpus.name, corpus.digest) == ("mine", load_corpus(str(made)).digest)
    assert found["signatures"][0]["digest"] == corpus.digest
    rows = cdec("eval", "--corpus", "mine", "--system", "lemma", "-s", "simple", "-f", "json").json
    assert rows["signatures"][0]["corpus"] == "mine"
    assert cdec(*check("mine")).exit == 0


def test_names_that_are_taken_or_unknown(cdec: Run, made: Path) -> None:
    for name, exit_, code in (
        ("ECBplus", 1, "checksum-mismatch"), ("sample", 2, "argument-invalid"),
        ("../x", 2, "argument-invalid"),
    ):  # fmt: skip
        ran = cdec(*add(made, "--name", name))
        assert (ran.exit, ran.error) == (exit_, code)
    assert cdec(*export("smaple")).error == "name-unknown"
    names = {row["name"] for row in cdec("corpus", "list", "-f", "json").json["rows"]}
    assert names >= {"ecb+", "gvc", "fcc-t", "cd2cr", "meantime", "wec-eng"}


def test_topics_from_a_table(cdec: Run, made: Path, tmp_path: Path) -> None:
    for table in (
        "document,topic,subtopic\n1_1ecb,9,9x\n1_2ecb,9,9y\n2_1ecb,9,9y\nz,1,1\n",
        "doc;topic\n1_1ecb;9\n1_2ecb;9\n2_1ecb;9\n",
    ):
        topics = given(tmp_path, "topics.csv", table)
        assert cdec(*add(made, "--name", "mine", "--topics", topics)).exit == 0
        corpus = load_corpus("mine")
        assert {document.topic for document in corpus.documents.values()} == {"9"}
        assert (corpus.documents["1_1ecb"].subtopic == "9x") == ("9x" in table)
    topics.write_text("document,topic\n1_1ecb,9\n")
    assert cdec(*add(made, "--name", "mine", "--topics", topics)).error == "corpus-invalid"


def test_a_cache_changes_no_corpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def loaded() -> str:
        load_corpus("sample").save(tmp_path / "it.jsonl")
        return (tmp_path / "it.jsonl").read_text("utf-8")

    monkeypatch.setenv("CDEC_CACHE", str(tmp_path / "cache"))
    first = loaded()
    (file,) = (path for path in (tmp_path / "cache").rglob("*") if path.is_file())
    whole = file.read_bytes()
    for damage in (whole, b"", b"garbage", whole[:-20], whole.replace(b"ACT", b"AKT")):
        file.write_bytes(damage)
        assert loaded() == first
    given(tmp_path, "file", "no folder")
    monkeypatch.setenv("CDEC_CACHE", str(tmp_path / "file"))
    assert loaded() == first


# One's own texts: offsets of characters.

CRLF = "A fire broke out.\r\n\r\nThe 🔥 blaze in the caf\u00e9 was put out.\r\n"
LF = "The cafe\u0301 fire hurt two.\n"
TEXTS = {"a": CRLF, "b": LF}
WORDS = (
    ("a", "fire", "F"), ("a", "broke out", "F"), ("a", "blaze", "F"), ("a", "caf\u00e9", "C"),
    ("a", "put out", "P"), ("b", "fire", "F"), ("b", "cafe\u0301", "C"), ("b", "hurt", "H"),
)  # fmt: skip
Count: TypeAlias = Callable[[str, int], int]


def offsets(first: Count, last: Count | None = None, *, text: bool = True) -> list[dict[str, Any]]:
    """The mentions of WORDS, with offsets as these functions of text and character count."""
    rows = []
    for doc, words, chain in WORDS:
        begin = TEXTS[doc].index(words)
        places = first(TEXTS[doc], begin), (last or first)(TEXTS[doc], begin + len(words))
        row = {"doc": doc, "from_char": places[0], "to_char": places[1], "chain": chain}
        rows.append({**row, "text": words} if text else row)
    return rows


def plain(_: str, at: int) -> int:
    return at


COUNTS: dict[str, tuple[Count, Count]] = {
    "from 1": (lambda _, at: at + 1, lambda _, at: at + 1),
    "last character": (plain, lambda _, at: at - 1),
    "from 1, last character": (lambda _, at: at + 1, plain),
    "UTF-16": (lambda text, at: len(text[:at].encode("utf-16-le")) // 2,) * 2,
    "UTF-8": (lambda text, at: len(text[:at].encode()),) * 2,
    "CR LF": (lambda text, at: len(text[:at].replace("\r\n", "\n")),) * 2,
}


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        given(tmp_path / "texts", f"{name}.txt", text.encode())
    return tmp_path / "texts"


def table(path: Path, rows: list[dict[str, Any]]) -> Path:
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


FOUND = ["fire", "broke out", "blaze", "caf\u00e9", "put out", "cafe\u0301", "fire", "hurt"]


def test_texts_and_a_table_of_offsets(cdec: Run, texts: Path, tmp_path: Path) -> None:
    mentions = table(tmp_path / "m.csv", offsets(plain))
    assert cdec(*add(texts, "--mentions", mentions, "--name", "mine")).exit == 0
    corpus = load_corpus("mine")
    assert corpus.mentions["text"].tolist() == FOUND
    assert corpus.documents["a"].sentences[0] == ("A", "fire", "broke", "out", ".")
    assert corpus.mentions["chain"].value_counts()["F"] == 4
    assert corpus.digest == build_corpus(offsets(plain), TEXTS).digest


def test_white_space_and_normal_form_of_a_text_may_differ() -> None:
    rows = offsets(plain)
    rows[1]["text"], rows[3]["text"], rows[6]["text"] = "broke\n  out", "cafe\u0301", "caf\u00e9"
    assert len(build_corpus(rows, TEXTS).mentions) == 8


@pytest.mark.parametrize("count", COUNTS)
def test_another_count_of_characters_is_read_as_the_texts_show(count: str) -> None:
    rows = offsets(*COUNTS[count])
    assert build_corpus(rows, TEXTS).digest == build_corpus(offsets(plain), TEXTS).digest
    rows = offsets(*COUNTS[count])
    rows[2]["text"] = "flood"
    with refused("corpus-invalid"):
        build_corpus(rows, TEXTS)


def test_another_count_without_texts_is_refused() -> None:
    rows = offsets(*COUNTS["from 1"], text=False)
    rows[0] |= {"from_char": len(CRLF), "to_char": len(CRLF) + 1}
    with refused("corpus-invalid"):
        build_corpus(rows, TEXTS)


def test_offsets_that_cut_a_token_are_noticed() -> None:
    rows = offsets(plain, text=False)
    rows[0]["to_char"] -= 1
    with pytest.warns(package.CdecWarning, match=r"\[reading-assumed\]"):
        corpus = build_corpus(rows, TEXTS)
    assert corpus.mentions["text"].iloc[0] == "fire"


def test_a_language_decides_the_tokens_of_a_text(cdec: Run, tmp_path: Path) -> None:
    rows = "id,text,language\na,L'incendie s'est éteint.,\nb,Don't go.,en\n"
    path = given(tmp_path, "x.csv", rows)
    mentions = given(tmp_path, "m.csv", "doc,from_char,to_char,chain\na,2,10,1\nb,6,8,2\n")
    assert cdec(*add(path, "--mentions", mentions, "--language", "fr")).exit == 0
    documents = load_corpus("x").documents
    assert documents["a"].tokens[:2] == ("L'", "incendie")
    assert documents["b"].tokens[:2] == ("Do", "n't")
    ran = cdec(*add(path, "--mentions", mentions, "--language", "qq"))
    assert (ran.exit, ran.error) == (1, "package-missing")


# brat.

ANN: str = CASES["files"]["brat"]


def test_a_mention_of_a_text_without_its_document_is_refused(
    cdec: Run, texts: Path, tmp_path: Path
) -> None:
    for content in ("from_char,to_char,chain\n0,1,F\n", "doc,sentence,start,end\na,0,1,1\n"):
        mentions = given(tmp_path, "m.csv", content)
        ran = cdec(*add(texts, "--mentions", mentions))
        assert (ran.exit, ran.error, "m.csv:2" in ran.said) == (1, "field-invalid", True)


def test_brat(cdec: Run, tmp_path: Path) -> None:
    folder = tmp_path / "news"
    text = "Police shut the road down. The closure angered drivers in Aldham.\r\n"
    given(folder, "a.txt", text)
    given(folder, "sub/b.txt", "🔥 A road was shut.\n")
    given(folder, "a.ann", ANN.replace("\n", "\r\n"))
    given(folder, "sub/b.ann", "")
    given(folder, "._a.ann", b"\x00\x05\x16\x07\x00Mac OS X")
    assert cdec(*add(folder, "--mentions", folder)).exit == 0
    corpus = load_corpus("news")
    chains = {"a/T1": "a/T1", "a/T2": "a/T1", "a/T3": "a/T3", "a/T4": "a/T4"}
    assert column(corpus, "chain") == chains
    assert column(corpus, "tokens")["a/T1"] == (1, 4)
    assert corpus.mentions["kind"].tolist() == ["event", "event", "event", "entity"]
    assert list(corpus.documents) == ["a", "sub/b"]
    given(folder, "a.ann", f"{ANN}A2\tchain E1 closing\nA3\tkind T3 entity\n")
    given(folder, "sub/b.ann", "T1\tEvent 13 17\tshut\nA1\tCluster_ID T1 closing\n")
    assert cdec(*add(folder)).exit == 0
    corpus = load_corpus("news")
    closing = corpus.mentions["chain"] == "closing"
    assert corpus.mentions.index[closing].tolist() == ["a/T1", "a/T2", "sub/b/T1"]
    assert column(corpus, "kind")["a/T3"] == "entity"

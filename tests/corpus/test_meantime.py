"""MEANTIME: languages, kinds, and the defects of its conversion."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from cdec import load_corpus
from cdec.corpus.adapter import open_source
from cdec.corpus.source import pack
from tests.corpus.samples import MEANTIME, MEANTIME_EVENTS, inspected, put, read
from tests.refusals import refused

_FILES = {"meantime.conll": MEANTIME, "event_mentions.json": MEANTIME_EVENTS}


def test_kinds_and_defects(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, _FILES))
    assert dict(corpus.mentions["kind"]) == {
        "corpus_air/7/0_0_0": "entity",
        "corpus_air/7/0_1_2": "event",
        "corpus_air/7/1_0_0": "entity",
    }
    assert corpus.documents["corpus_air/7"].topic == "corpus_air"
    assert [tuple(defect) for defect in inspected(tmp_path).defects] == [
        ("repeated-span", "corpus_air/7/0_0_0"),
        ("spans-sentences", "corpus_air/7/0_1_2"),
    ]


def test_several_languages_are_apart(tmp_path: Path) -> None:
    files = {f"{language}/{name}": f for language in ("en", "nl") for name, f in _FILES.items()}
    corpus = read(put(tmp_path, files))
    assert sorted(corpus.documents) == ["en:corpus_air/7", "nl:corpus_air/7"]
    assert corpus.documents["nl:corpus_air/7"].attributes == {"language": "nl"}
    assert corpus.selected["chain"].tolist() == ["en:OTH2", "nl:OTH2"]


def test_several_languages_are_read_from_a_zip_as_from_their_folders(tmp_path: Path) -> None:
    files = {f"{language}/{name}": f for language in ("en", "nl") for name, f in _FILES.items()}
    folder, packed = put(tmp_path / "mine", files), tmp_path / "mine.zip"
    packed.write_bytes(pack(open_source(folder)))
    assert read(packed).digest == read(folder).digest


def test_without_the_list_of_events_there_are_entities_only(tmp_path: Path) -> None:
    assert read(put(tmp_path, {"meantime.conll": MEANTIME})).kinds == ("entity",)


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("\tBoeing", "", "corpus-file-invalid", 4),
        ("corpus_air/7\t1", "corpus_air/8\t1", "corpus-file-invalid", 4),
        ("OTH2)", "-", "brackets-invalid", 3),
        ("#end document\n", "", "conll-structure", 1),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, old: str, new: str, code: str, line: int) -> None:
    with refused(code, place=f"meantime.conll:{line}"):
        read(put(tmp_path, _FILES | {"meantime.conll": MEANTIME.replace(old, new)}))


@pytest.mark.parametrize("text", ["[", "{}", "[{}]", "[NaN]", MEANTIME_EVENTS.replace("0", "true")])
def test_a_damaged_list_is_an_error(tmp_path: Path, text: str) -> None:
    code = "format-undetected" if text[0] == "{" or text.endswith("}]") else "json-invalid"
    with refused(code, place="event_mentions.json" if code == "format-undetected" else None):
        read(put(tmp_path, _FILES | {"event_mentions.json": text}))


def test_chains_split_by_a_prefix_are_joined_by_a_variant(tmp_path: Path) -> None:
    text = MEANTIME.replace("OTH2", "cross_OTH2").replace("(ORG1)| (ORG1)", "(cross_intra_OTH2)")
    events = MEANTIME_EVENTS.replace("OTH2", "cross_OTH2")
    corpus = read(put(tmp_path, {"meantime.conll": text, "event_mentions.json": events}))
    every = corpus.select("all")
    assert list(corpus.variants) == ["as-converted", "joined"]
    assert every.selected["chain"].tolist() == ["cross_intra_OTH2", "cross_OTH2", "ORG3"]
    joined = every.select(variant="joined")
    assert joined.selected["chain"].tolist() == ["OTH2", "OTH2", "ORG3"]
    kinds = [defect.kind for defect in inspected(tmp_path).defects]
    assert "split-event-chain" in kinds


@pytest.mark.parametrize(
    ("words", "language"),
    [("the deal of", "en"), ("el contrato y", "es"), ("il voto che", "it"), ("het van een", "nl")],
)
def test_the_language_of_a_folder_with_another_name(
    tmp_path: Path, words: str, language: str
) -> None:
    text = MEANTIME
    for old, new in zip(("EADS", "defeats", "Boeing"), words.split(), strict=True):
        text = text.replace(f"\t{old}\t", f"\t{new}\t")
    corpus = read(put(tmp_path, {"meantime.conll": text}))
    assert {document.language for document in corpus.documents.values()} == {language}


@pytest.mark.parametrize(("part", "split", "chains"), [("", 32, (1811, 1779)), ("nl", 0, None)])
def test_the_conversion_splits_chains(
    corpora: Path, part: str, split: int, chains: tuple[int, int] | None
) -> None:
    place = corpora / "MEANTIME" / part
    kinds = Counter(defect.kind for defect in inspected(place).defects)
    assert kinds["split-event-chain"] == split
    if chains:
        corpus = load_corpus(str(place))
        found = [corpus.select(variant=name).gold for name in corpus.variants]
        assert tuple(len(key.chains()) for key in found) == chains


@pytest.mark.parametrize(
    ("language", "events", "defects"),
    [("en", 455, 10), ("nl", 911, 22), ("es", 591, 3), ("it", 239, 3)],
)
def test_the_conversion(corpora: Path, language: str, events: int, defects: int) -> None:
    corpus = load_corpus(str(corpora / "MEANTIME" / language))
    assert (len(corpus.documents), len(corpus.selected)) == (120, events)
    found = Counter(d.kind for d in inspected(corpora / "MEANTIME" / language).defects)
    assert found["repeated-span"] + found["span-in-two-chains"] == defects

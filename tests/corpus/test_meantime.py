"""MEANTIME: languages, kinds, and the defects of its conversion."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from cdec import load_corpus
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


def test_without_the_list_of_events_there_are_entities_only(tmp_path: Path) -> None:
    assert read(put(tmp_path, {"meantime.conll": MEANTIME})).kinds == ("entity",)


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("\tBoeing", "", "document-invalid", 4),
        ("corpus_air/7\t1", "corpus_air/8\t1", "document-invalid", 4),
        ("OTH2)", "-", "brackets-unbalanced", 3),
        ("#end document\n", "", "document-structure", 1),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, old: str, new: str, code: str, line: int) -> None:
    with refused(code, place=f"meantime.conll:{line}"):
        read(put(tmp_path, _FILES | {"meantime.conll": MEANTIME.replace(old, new)}))


@pytest.mark.parametrize("text", ["[", "{}", "[{}]", "[NaN]", MEANTIME_EVENTS.replace("0", "true")])
def test_a_damaged_list_is_an_error(tmp_path: Path, text: str) -> None:
    code = "json-structure" if text[0] == "{" or text.endswith("}]") else "json-invalid"
    with refused(code, place="event_mentions.json" if code == "json-structure" else None):
        read(put(tmp_path, _FILES | {"event_mentions.json": text}))


@pytest.mark.parametrize(
    ("language", "events", "defects"),
    [("en", 455, 10), ("nl", 911, 22), ("es", 591, 3), ("it", 239, 3)],
)
def test_the_conversion(corpora: Path, language: str, events: int, defects: int) -> None:
    corpus = load_corpus(str(corpora / "MEANTIME" / language))
    assert (len(corpus.documents), len(corpus.selected)) == (120, events)
    found = Counter(d.kind for d in inspected(corpora / "MEANTIME" / language).defects)
    assert found["repeated-span"] + found["span-in-two-chains"] == defects

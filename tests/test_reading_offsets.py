"""What the numbers of a mention count: the words that a file repeats must be at the place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import cdec as package
from cdec import formats
from tests import tiny_files as tiny
from tests.cases import refused
from tests.program import Ran, Run
from tests.tiny_files import given

SENTENCES = {
    "a": [["The", "mayor", "of", "Philadelphia", "resigned", "."], ["He", "left", "Rome", "."]],
    "b": [["Rome", "burned", "."], ["It", "fell", "."]],
    "c": [["Residents", "fled", "Rome", "."]],
}
# Document, sentence, first and last word in the document, chain.
MENTIONS = [
    ("a", 1, 8, 8, "rome"), ("b", 0, 0, 0, "rome"), ("c", 0, 2, 2, "rome"),
    ("a", 0, 0, 3, "mayor"), ("a", 1, 6, 6, "mayor"),
]  # fmt: skip
WORDS = {doc: [word for sentence in of for word in sentence] for doc, of in SENTENCES.items()}
Record = dict[str, Any]


def words_of(doc: str, first: int, last: int) -> str:
    return " ".join(WORDS[doc][first : last + 1])


def records(add_first: int = 0, add_last: int = 0, name: str = "text") -> list[Record]:
    """The mentions with numbers to which these are added, and their words under a name."""
    return [
        {
            "doc": doc,
            "start": first + add_first,
            "end": last + add_last,
            name: words_of(doc, first, last),
            "chain": chain,
        }
        for doc, _, first, last, chain in MENTIONS
    ]


def as_characters(name: str = "text") -> list[Record]:
    """The mentions with the characters of the words with blanks between them, the end excluded."""
    found = []
    for doc, _, first, last, chain in MENTIONS:
        begin = len(" ".join([*WORDS[doc][:first], ""])) if first else 0
        words = words_of(doc, first, last)
        place = {"start": begin, "end": begin + len(words)}
        found.append({"doc": doc, **place, name: words, "chain": chain})
    return found


def in_sentences(add_sentence: int = 0, add_first: int = 0, add_last: int = 0) -> list[Record]:
    """The mentions with numbers in their sentences, as CoreNLP counts, with its shifts."""
    found = []
    for doc, sentence, first, last, chain in MENTIONS:
        before = sum(map(len, SENTENCES[doc][:sentence]))
        place = {"start": first - before + add_first, "end": last - before + add_last}
        words = words_of(doc, first, last)
        number = sentence + add_sentence
        found.append({"doc": doc, "sentence": number, **place, "text": words, "chain": chain})
    return found


READINGS = {
    "from 0 to the last": records(),
    "from 0 to the next": records(0, 1),
    "from 1 to the last": records(1, 1),
    "from 1 to the next": records(1, 2),
    "characters": as_characters(),
    "sentences from 0": in_sentences(),
    "CoreNLP": in_sentences(1, 1, 2),
    "a shift for each document": [
        {**one, "start": one["start"] + ord(one["doc"]), "end": one["end"] + ord(one["doc"])}
        for one in records()
    ],
}
FIELDS = ("text", "words", "mention_text", "tokens_str", "Mention-Text")


def as_chains(rows: list[Record]) -> str:
    chains: dict[str, list[Record]] = {}
    for row in rows:
        chains.setdefault(row["chain"], []).append({k: v for k, v in row.items() if k != "chain"})
    return json.dumps(chains)


def as_table(rows: list[Record], separator: str) -> str:
    return pd.DataFrame(rows).to_csv(index=False, sep=separator)


FORMATS: dict[str, Callable[[list[Record]], str]] = {
    "jsonl": lambda rows: tiny.records(*rows),
    "list": json.dumps,
    "chains": as_chains,
    "csv": lambda rows: as_table(rows, ","),
    "tsv": lambda rows: as_table(rows, "\t"),
}


@pytest.fixture
def key(tmp_path: Path) -> Path:
    rows = [(doc, first, last, chain) for doc, _, first, last, chain in MENTIONS]
    return given(tmp_path, "key.conll", tiny.brackets(rows, SENTENCES))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    made = package.build_corpus(records(name="note"), SENTENCES, name="tiny")
    made.save(tmp_path / "tiny.jsonl")
    return tmp_path / "tiny.jsonl"


def f1(ran: Ran) -> dict[str, float]:
    return {row["metric"]: row["f1"] for row in ran.json["rows"]}


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("form", FORMATS)
def test_the_words_show_what_the_numbers_count(
    cdec: Run, key: Path, corpus: Path, form: str, reading: str
) -> None:
    """At a key file and at a corpus."""
    mine = given(key.parent, f"mine.{form}", FORMATS[form](READINGS[reading]))
    score = cdec("score", key, mine, "--scope", "corpus", "-f", "json")
    evaluate = cdec("eval", mine, "--corpus", corpus, "-s", "simple", "-f", "json")
    for ran in (score, evaluate):
        assert set(f1(ran).values()) == {1.0}
        codes = [notice["code"] for notice in ran.json["notices"]]
        assert ("reading-assumed" in codes) == (reading != "from 0 to the last")
        assert not any("reading" in signature for signature in ran.json.get("signatures", []))


@pytest.mark.parametrize("name", FIELDS)
def test_names_of_the_field_of_the_words(key: Path, tmp_path: Path, name: str) -> None:
    mine = given(tmp_path, "mine.jsonl", tiny.records(*records(1, 2, name)))
    found = package.score(key, mine, scope="corpus")
    assert found["conll"].f1 == 1.0
    split = [{**row, name: row[name].split()} for row in records(1, 2, name)]
    given(tmp_path, "mine.jsonl", tiny.records(*split))
    assert package.score(key, mine, scope="corpus")["conll"].f1 == 1.0


def test_a_column_named_mention_may_have_the_words(key: Path, tmp_path: Path) -> None:
    mine = given(tmp_path, "mine.jsonl", tiny.records(*records(1, 2, "mention")))
    assert package.score(key, mine, scope="corpus")["conll"].f1 == 1.0
    names = [{**row, "mention": f"m{at}"} for at, row in enumerate(records(0, 0, "mention"))]
    given(tmp_path, "mine.jsonl", tiny.records(*names))
    assert package.score(key, mine, scope="corpus")["conll"].f1 == 1.0


@pytest.mark.parametrize("form", FORMATS)
def test_words_that_are_elsewhere_are_refused(
    cdec: Run, tmp_path: Path, key: Path, corpus: Path, form: str
) -> None:
    rows = records(1, 2)
    rows[3]["start"] += 1
    mine = given(tmp_path, f"mine.{form}", FORMATS[form](rows))
    line = {"jsonl": ":1", "csv": ":2", "tsv": ":2"}.get(form, "")
    for call in (("score", key, mine, "--scope", "corpus"), ("eval", mine, "--corpus", corpus)):
        ran = cdec(*call)
        assert (ran.exit, ran.error) == (1, "tokens-invalid")
        assert f"mine.{form}{line}" in ran.said
        assert "'Rome'" in ran.said


def test_frames_and_built_corpora_are_read_alike(key: Path) -> None:
    tiny = package.build_corpus(records(name="note"), SENTENCES)
    for reading in ("from 0 to the next", "from 1 to the last", "from 1 to the next", "characters"):
        rows = READINGS[reading]
        found = package.evaluate(tiny, pd.DataFrame(rows), setting="simple")
        assert found["simple"]["response"]["conll"].f1 == 1.0
        made = package.build_corpus(rows, SENTENCES)
        assert made.mentions["tokens"].tolist() == tiny.mentions["tokens"].tolist()
        texts = {doc: " ".join(words) for doc, words in WORDS.items()}
        made = package.build_corpus(rows, texts)
        assert made.mentions["tokens"].tolist() == tiny.mentions["tokens"].tolist()


def test_a_corpus_with_other_words_is_refused(cdec: Run, tmp_path: Path) -> None:
    rows = records()
    rows[4]["start"] += 1
    rows[4]["end"] += 1
    with refused("corpus-invalid", "mentions, row 5"):
        package.build_corpus(rows, SENTENCES)
    for doc, words in WORDS.items():
        given(tmp_path / "texts", f"{doc}.txt", " ".join(words))
    mentions = given(tmp_path, "m.csv", as_table(rows, ","))
    ran = cdec("corpus", "add", tmp_path / "texts", "--mentions", mentions, "--name", "x")
    assert (ran.exit, ran.error, "m.csv:6" in ran.said) == (1, "corpus-invalid", True)


@pytest.mark.parametrize(
    "reading", ["from 0 to the last", "from 1 to the last", "from 1 to the next", "characters"]
)
def test_a_table_of_mentions_beside_texts(cdec: Run, tmp_path: Path, reading: str) -> None:
    for doc, words in WORDS.items():
        given(tmp_path / "texts", f"{doc}.txt", " ".join(words))
    mentions = given(tmp_path, "m.csv", as_table(READINGS[reading], ","))
    assert (
        cdec("corpus", "add", tmp_path / "texts", "--mentions", mentions, "--name", "x").exit == 0
    )
    found = package.load_corpus("x").mentions
    assert found["text"].tolist() == ["The mayor of Philadelphia", "He", "Rome", "Rome", "Rome"]


def test_usual_variants_of_words_are_the_same(tmp_path: Path) -> None:
    """Case, white space, Unicode form, brackets and quotes of treebanks, and masked words."""
    words = ["The", "caf\u00e9", "-LRB-", "``", "7 \u00bd", "m", "_", "fell"]
    texts = {"d": [words]}
    rows: list[Record] = [
        {"doc": "d", "start": 0, "end": 1, "text": "the  cafe\u0301", "chain": "1"},
        {"doc": "d", "start": 2, "end": 3, "text": '("', "chain": "1"},
        {"doc": "d", "start": 4, "end": 5, "text": "7\u00bdm", "chain": "1"},
        {"doc": "d", "start": 6, "end": 7, "text": "it fell", "chain": "1"},
    ]
    assert len(package.build_corpus(rows, texts).mentions) == 4
    tiny = package.build_corpus([{**row, "text": None} for row in rows], texts)
    found = package.evaluate(tiny, pd.DataFrame(rows), setting="simple")
    assert found["simple"]["response"]["conll"].f1 == 1.0


def test_sentences_and_words_without_a_text_are_no_evidence(key: Path, tmp_path: Path) -> None:
    long = {"a": WORDS["a"] * 2, "b": WORDS["b"] * 2, "c": WORDS["c"] * 2}
    rows = [{**row, "text": " ".join(long[row["doc"]])} for row in records()]
    mine = given(tmp_path, "mine.jsonl", tiny.records(*rows))
    assert package.score(key, mine, scope="corpus")["conll"].f1 == 1.0
    other = given(tmp_path, "other.jsonl", tiny.records(*records(1, 2)))
    found = package.score(other, other, scope="corpus")
    assert found["conll"].f1 == 1.0


def test_a_mention_with_a_gap_has_the_words_of_its_pieces(tmp_path: Path) -> None:
    gaps: list[Record] = [
        {"doc": "a", "tokens": [0, 1, 4], "text": "The mayor resigned", "chain": "x"},
        {"doc": "b", "tokens": [0, 2], "text": "Rome ... .", "chain": "x"},
    ]
    tiny = package.build_corpus([{**row, "text": None} for row in gaps], SENTENCES)
    from_1 = [{**row, "tokens": [token + 1 for token in row["tokens"]]} for row in gaps]
    for rows in (gaps, from_1):
        found = package.evaluate(tiny, pd.DataFrame(rows), setting="simple")
        assert found["simple"]["response"]["conll"].f1 == 1.0
        made = package.build_corpus(rows, SENTENCES)
        assert made.mentions["tokens"].tolist() == tiny.mentions["tokens"].tolist()


# Documents with clusters.

CLUSTERS = {"a": [[[0, 3], [6, 6]], [[8, 8]]], "b": [[[0, 0]], [[3, 3]]]}


def documents(add_first: int, add_last: int, field: str) -> list[Record]:
    """Documents of which the numbers of the mentions are raised, with the words in a field."""
    return [
        {
            "doc_key": doc,
            "sentences": SENTENCES[doc],
            "clusters": [[[a + add_first, b + add_last] for a, b in one] for one in clusters],
            field: [[words_of(doc, a, b) for a, b in one] for one in clusters],
        }
        for doc, clusters in CLUSTERS.items()
    ]


@pytest.mark.parametrize("add", [(0, 0), (0, 1), (1, 1), (1, 2), (30, 30)])
@pytest.mark.parametrize("field", ["clusters_token_text", "clusters_strings", "cluster_words"])
def test_documents_with_the_words_of_mentions(
    tmp_path: Path, add: tuple[int, int], field: str
) -> None:
    plain = formats.read(given(tmp_path, "plain.jsonl", tiny.records(*documents(0, 0, "other"))))
    found = formats.read(given(tmp_path, "mine.jsonl", tiny.records(*documents(*add, field))))
    places = ["doc", "start", "end", "chain"]
    assert found.mentions[places].equals(plain.mentions[places])
    codes = [notice.code for notice in found.notices]
    assert codes.count("reading-assumed") == 1 + (add != (0, 0))  # numbered clusters are noticed


def test_a_document_with_other_words_is_refused_with_its_line(tmp_path: Path) -> None:
    wrong = documents(1, 2, "clusters_strings")
    wrong[1]["clusters"][1][0][0] += 1
    with refused("tokens-invalid") as caught:
        formats.read(given(tmp_path, "mine.jsonl", tiny.records(*wrong)))
    assert str(caught.value.place).endswith("mine.jsonl:1")


def test_words_as_a_text_that_is_a_list(tmp_path: Path, key: Path) -> None:
    """As fastcoref writes words: the end is excluded, with or without the words of mentions."""
    rows = [
        {
            "text": WORDS[doc],
            "clusters": [[[a, b + 1] for a, b in one] for one in clusters],
            "clusters_strings": [[WORDS[doc][a : b + 1] for a, b in one] for one in clusters],
        }
        for doc, clusters in CLUSTERS.items()
    ]
    bare = [{"text": row["text"], "clusters": row["clusters"]} for row in rows]
    for content in (rows, bare):
        found = formats.read(given(tmp_path, "mine.jsonl", tiny.records(*content))).mentions
        assert found[["start", "end"]].to_numpy().tolist() == [
            [0, 3],
            [6, 6],
            [8, 8],
            [0, 0],
            [3, 3],
        ]


@pytest.mark.parametrize("shift", [0, 1])
def test_characters_of_a_text(tmp_path: Path, shift: int) -> None:
    text = "The mayor resigned. He left."
    record = {
        "text": text,
        "clusters": [[[0 + shift, 9 + shift], [20 + shift, 22 + shift]]],
        "clusters_strings": [["The mayor", "He"]],
    }
    found = formats.read(given(tmp_path, "mine.json", json.dumps(record))).mentions
    assert found[["start", "end"]].to_numpy().tolist() == [[0, 1], [3, 3]]
    words = {**record, "clusters": [[[0, 1], [3, 3]]]}
    found = formats.read(given(tmp_path, "mine.json", json.dumps(words))).mentions
    assert found[["start", "end"]].to_numpy().tolist() == [[0, 1], [3, 3]]


# Clusters across documents: the first number is that of a window.


def windows(begins: list[int], mentions: list[tuple[int, int]], *, text: bool = True) -> Record:
    """The record of a system whose windows begin at these words of the joined documents."""
    joined = [word for words in WORDS.values() for word in words]
    cluster = []
    for first, last in mentions:
        number = sum(begin <= first for begin in begins) - 1
        cluster.append([number, first - begins[number], last - begins[number]])
    record: Record = {
        "tokens": [[words] for words in WORDS.values()],
        "clusters_token_offsets": [cluster],
    }
    if text:
        record["clusters_token_text"] = [[" ".join(joined[a : b + 1]) for a, b in mentions]]
    return record


@pytest.mark.parametrize(
    "begins", [[0, 10, 16], [0, 9, 15], [0, 5, 15], [0, 15], [0, 5, 9, 12, 15]]
)
def test_windows_begin_where_the_words_show(tmp_path: Path, begins: list[int]) -> None:
    """Of a window with ``Rome`` only, the order and the end of a sentence decide."""
    mentions = [(0, 3), (6, 6), (8, 8), (10, 10), (13, 13), (18, 18)]
    record = windows(begins, mentions)
    found = formats.read(given(tmp_path, "mine.json", json.dumps(record))).mentions
    places = list(zip(found["doc"], found["start"], found["end"], strict=True))
    expected = [("0", 0, 3), ("0", 6, 6), ("0", 8, 8), ("1", 0, 0), ("1", 3, 3), ("2", 2, 2)]
    assert places == expected


def test_windows_without_a_place_for_all_words_are_refused(tmp_path: Path) -> None:
    record = windows([0, 9, 15], [(0, 3), (10, 10), (18, 18)])
    record["clusters_token_text"][0][2] = "Naples"
    with refused("tokens-invalid") as caught:
        formats.read(given(tmp_path, "mine.json", json.dumps(record)))
    assert "Naples" in str(caught.value)

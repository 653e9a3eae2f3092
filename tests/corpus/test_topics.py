"""A table of topics is read alike by `cdec corpus import` and `cdec score`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cdec as package
from cdec import build_corpus, load_corpus
from cdec.corpus import import_corpus, read_topics
from tests.refusals import refused

KEY = {("a", 0, 0): "x", ("b", 0, 0): "x", ("c", 0, 0): "y"}
RESPONSE = {("a", 0, 0): "x", ("b", 0, 0): "y", ("c", 0, 0): "y"}
TWO = {"a": {"topic": "t1"}, "b": {"topic": "t1"}, "c": {"topic": "t2"}}
THREE = {
    "a": {"topic": "t1", "subtopic": "s1"},
    "b": {"topic": "t1", "subtopic": "s1"},
    "c": {"topic": "t1", "subtopic": "s2"},
}
BARE_TWO = "a,t1\nb,t1\nc,t2\n"
BARE_THREE = "a,t1,s1\nb,t1,s1\nc,t1,s2\n"
RECORDS = [{"document": name, **fields} for name, fields in THREE.items()]
FORMS = {
    "header": (f"document,topic\n{BARE_TWO}", TWO),
    "header of another name": (f"doc_key,Topic-ID\n{BARE_TWO}", TWO),
    "another order": ("topic,doc\nt1,a\nt1,b\nt2,c\n", TWO),
    "more columns": ("doc,topic,date,url\na,t1,1,x\nb,t1,,\nc,t2,,z\n", TWO),
    "semicolons": (f"document;topic\n{BARE_TWO}".replace(",", ";"), TWO),
    "tabs": (f"document\ttopic\n{BARE_TWO}".replace(",", "\t"), TWO),
    "events": (f"doc_id,topic,event_id\n{BARE_THREE}", THREE),
    "JSON Lines": ("".join(json.dumps(row) + "\n" for row in RECORDS), THREE),
    "JSON": (json.dumps(RECORDS), THREE),
    "bare": (BARE_TWO, TWO),
    "bare, semicolons": (BARE_TWO.replace(",", ";"), TWO),
    "bare, tabs": (BARE_TWO.replace(",", "\t"), TWO),
    "bare, sub-topics": (BARE_THREE, THREE),
    "bare, blank rows": (f"\n{BARE_TWO}\n,\n", TWO),
    "bare, a row twice": (f"{BARE_TWO}a,t1\n", TWO),
    "bare, quoted": (f'"a", "t1"\n{BARE_TWO[5:]}'.replace(" ", ""), TWO),
}


@pytest.mark.parametrize("form", FORMS)
def test_both_commands_read_every_form(form: str, tmp_path: Path) -> None:
    text, expected = FORMS[form]
    file = tmp_path / "topics.csv"
    file.write_text(text, "utf-8")
    assert read_topics(file) == expected

    levels = {d: (f["topic"], f.get("subtopic", f["topic"])) for d, f in expected.items()}
    of_file, of_dict = (
        package.score(KEY, RESPONSE, setting="all", metrics="b3", topics=topics)
        for topics in (file, levels)
    )
    assert of_file.to_frame().equals(of_dict.to_frame())
    assert str(of_file.signature) == str(of_dict.signature)

    mentions = [{"doc": doc, "start": 0, "chain": chain} for (doc, *_), chain in KEY.items()]
    build_corpus(mentions).save(tmp_path / "x.jsonl")
    import_corpus(tmp_path / "x.jsonl", "mine", topics=file)
    documents = load_corpus("mine").documents
    assert {d: document.topic for d, document in documents.items()} == {
        d: fields["topic"] for d, fields in expected.items()
    }
    assert documents["c"].subtopic == expected["c"].get("subtopic", "")


def test_rows_without_a_header_may_differ_in_width(tmp_path: Path) -> None:
    """Without a third column, the topic is the sub-topic for `cdec score`."""
    file = tmp_path / "topics.csv"
    file.write_text("a,t1\nb,t1,s1\nc,t2,\n", "utf-8")
    levels = {"a": ("t1", "t1"), "b": ("t1", "s1"), "c": ("t2", "")}
    of_file, of_dict = (
        package.score(KEY, RESPONSE, setting="all", metrics="b3", topics=topics)
        for topics in (file, levels)
    )
    assert str(of_file.signature) == str(of_dict.signature)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("a\n", "table-invalid", 1),
        ("a,t1\nb,t1,s1,x\n", "table-invalid", 2),
        ("a,t1\na,t2\n", "table-invalid", 2),
        (",\n,\n", "table-invalid", 1),
        ('""\n', "table-invalid", 1),
        ('a,"t1\n', "table-invalid", 1),
        ("document,theme\na,t1\n", "table-invalid", 2),
        ("document,topic\na,t1,s1\n", "table-invalid", 2),
        ("document,topic\na,\n", "table-invalid", 2),
        ("document,topic,subtopic\na,t1,s1\nb,t1,\n", "table-invalid", 3),
        ("document,topic\na,t1\na,t2\n", "table-invalid", 3),
        ("document,topic\n", "table-invalid", 1),
        ("document,doc,topic\na,b,t1\n", "field-invalid", 2),
        ('{"document": "a", "topic": "t1"}\n{"topic": "t1"}\n', "table-invalid", 2),
        ('{"document": "a"\n', "json-invalid", 1),
    ],
)
def test_an_invalid_table_has_its_line(text: str, code: str, line: int, tmp_path: Path) -> None:
    file = tmp_path / "topics.csv"
    file.write_text(text, "utf-8")
    with refused(code, place=f"topics.csv:{line}"):
        read_topics(file)
    with refused(code, place=f"topics.csv:{line}"):
        package.score(KEY, RESPONSE, setting="bh", topics=file)

"""Documents as plain text, from a table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cdec import load_corpus
from cdec.corpus import installed
from tests.cli.conftest import Run, cdec
from tests.corpus.articles import CRLF, LF, characters, rows, table, words

__all__ = ["cdec"]  # fixtures


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json"])
def test_a_table_of_texts(ending: str, cdec: Run, tmp_path: Path) -> None:
    texts = [
        {"Doc-ID": "a", "text": CRLF, "topic": 1, "Sub-Topic": "x", "date": "2026-01-05"},
        {"Doc-ID": "b", "text": LF, "topic": 1, "Sub-Topic": "y", "date": "2026-01-06"},
    ]
    path = tmp_path / f"articles.{ending}"
    if ending == "json":
        path.write_text(json.dumps(texts), "utf-8")
    else:
        table(path, texts)
    mentions = table(tmp_path / "m.csv", rows(characters))
    assert cdec("corpus", "import", path, "--mentions", mentions, "-q").code == 0
    corpus = load_corpus("articles")
    assert corpus.levels == {"topic": "topic", "subtopic": "sub-topic"}
    document = corpus.documents["b"]
    assert (document.topic, document.subtopic) == ("1", "y")
    assert document.attributes == {"date": "2026-01-06"}
    assert words(corpus)[-1] == "hurt"
    for call in ("eval -s all --system lemma --metric b3", "stats"):
        ran = cdec(*call.split(), "--corpus", "articles", "-q")
        assert ran.code == 0, ran.err


@pytest.mark.parametrize(
    ("content", "code", "place"),
    [
        (b"", "file-empty", "x.csv"),
        (b"id,text\n", "table-invalid", "x.csv"),
        (b"id,body,text\n1,a,b\n", "field-invalid", "x.csv:2"),
        (b"id,id\n1,a\n", "table-invalid", "x.csv:1"),
        (b"id,words\n1,a\n", "table-invalid", "x.csv:2"),
        (b"id,text\n1,...\n", "file-empty", "x.csv:2"),
        (b"id,text\n1,a,b\n", "table-invalid", "x.csv:2"),
        (b"id,text\n1,a\n1,b\n", "table-invalid", "x.csv:3"),
        (b'id,text\n1,"a\n', "table-invalid", "x.csv:2"),
        (b'{"id": "1", "text": "a"}\n{"id": \n', "json-invalid", "x.csv:2"),
        (b'[{"id": "1", "text": 3}]', "table-invalid", "record 1"),
        (b"[1]", "table-invalid", "record 1"),
        ("id,text\n1,é\n".encode("latin-1"), "file-encoding", "x.csv:2"),
        ("id,text\n1,a\n".encode("utf-16"), "file-encoding", "x.csv"),
        (b"id,text,language\n1,a,qq\n", "package-missing", "x.csv:2"),
    ],
)
def test_an_invalid_table_of_texts(
    content: bytes, code: str, place: str, cdec: Run, tmp_path: Path
) -> None:
    (tmp_path / "x.csv").write_bytes(content)
    mentions = table(tmp_path / "m.csv", rows(characters))
    ran = cdec("corpus", "import", tmp_path / "x.csv", "--mentions", mentions)
    assert (ran.code, ran.error) == (1, code), ran.err
    assert place in ran.err
    assert installed() == {}


def test_a_language_decides_tokens_and_is_kept(tmp_path: Path, cdec: Run) -> None:
    texts = tmp_path / "x.csv"
    texts.write_text("id,text,language\na,L'incendie s'est éteint.,\nb,Don't go.,en\n", "utf-8")
    mentions = tmp_path / "m.csv"
    mentions.write_text("doc,from_char,to_char,chain\na,2,10,1\nb,6,8,2\n")
    call = ("corpus", "import", texts, "--mentions", mentions, "--language", "fr", "-q")
    assert cdec(*call).code == 0
    documents = load_corpus("x").documents
    assert [documents[name].language for name in "ab"] == ["fr", "en"]
    assert documents["a"].tokens[:2] == ("L'", "incendie")
    assert documents["b"].tokens[:2] == ("Do", "n't")

"""Mentions apart from the text: tables with offsets or token numbers, as a corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdec import build_corpus, formats, load_corpus
from cdec.corpus import installed
from tests.cli.conftest import Run, cdec
from tests.corpus.articles import (
    COMPOSED,
    DECOMPOSED,
    TEXTS,
    characters,
    folder,
    rows,
    table,
    words,
)
from tests.detection.made import news
from tests.detection.test_text import detector

__all__ = ["cdec", "detector", "folder"]  # fixtures


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl"])
def test_a_folder_and_a_table_of_mentions(
    ending: str, folder: Path, cdec: Run, tmp_path: Path
) -> None:
    mentions = table(tmp_path / f"m.{ending}", rows(characters))
    ran = cdec("corpus", "import", folder, "--mentions", mentions, "--name", "mine")
    assert ran.code == 0, ran.err
    assert "warning" not in ran.err
    corpus = load_corpus("mine")
    expected = ["fire", "broke out", "blaze", COMPOSED, "put out", DECOMPOSED, "fire", "hurt"]
    assert words(corpus) == expected
    assert corpus.documents["a"].sentences[0] == ("A", "fire", "broke", "out", ".")
    assert corpus.mentions["chain"].value_counts()["F"] == 4
    assert corpus.digest == build_corpus(rows(characters), TEXTS).digest


def test_a_table_without_chains_has_singletons_and_one_without_rows_no_mentions(
    folder: Path, cdec: Run
) -> None:
    mentions = folder.parent / "m.csv"
    table(mentions, [{**row, "chain": ""} for row in rows(characters)])
    assert cdec("corpus", "import", folder, "--mentions", mentions, "--name", "one").code == 0
    given = [{k: v for k, v in row.items() if k != "chain"} for row in rows(characters)]
    table(mentions, given)
    assert cdec("corpus", "import", folder, "--mentions", mentions, "--name", "two").code == 0
    assert load_corpus("one").digest == load_corpus("two").digest
    assert load_corpus("two").mentions["chain"].is_unique
    mentions.write_text("doc,from_char,to_char,chain\n", "utf-8")
    ran = cdec("corpus", "import", folder, "--mentions", mentions)
    assert ran.error == "corpus-empty"


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json"])
def test_what_predict_writes_is_imported(
    ending: str, tmp_path: Path, cdec: Run, detector: Path
) -> None:
    texts, mentions = news(tmp_path), tmp_path / f"m.{ending}"
    call = ("predict", "--system", "lemma", "--text", texts, "--detector", detector, "-q")
    assert cdec(*call, "-o", mentions).code == 0
    ran = cdec("corpus", "import", texts, "--mentions", mentions, "-q")
    assert ran.code == 0, ran.err
    written, corpus = formats.read(mentions).mentions, load_corpus("news")
    columns = ["doc", "start", "end", "chain"]
    assert (
        corpus.mentions[columns].to_numpy().tolist() == written[columns].to_numpy().tolist() != []
    )


@pytest.mark.parametrize("offsets", [True, False])
def test_a_token_number_that_is_none_has_its_row(
    offsets: bool, folder: Path, tmp_path: Path, cdec: Run
) -> None:
    records = [{**row, "start": 1, "end": "x"} for row in rows(characters)]
    if not offsets:
        records = [
            {name: row[name] for name in ("doc", "chain", "start", "end")} for row in records
        ]
    ran = cdec("corpus", "import", folder, "--mentions", table(tmp_path / "m.csv", records))
    assert ran.error == ("corpus-record-invalid" if offsets else "field-invalid")
    assert "m.csv:2" in ran.err


def test_token_rows_have_the_same_tokens(folder: Path, tmp_path: Path, cdec: Run) -> None:
    """``text`` is compared with the tokens of token numbers too."""
    corpus = build_corpus(rows(characters), TEXTS)
    table_ = corpus.mentions[["doc", "start", "end", "chain", "text", "kind"]]
    mentions = table(tmp_path / "m.csv", table_.to_dict("records"))
    ran = cdec("corpus", "import", folder, "--mentions", mentions, "-q")
    assert ran.code == 0, ran.err
    again = load_corpus("texts")
    for column in ("tokens", "chain", "text"):
        assert again.mentions[column].tolist() == corpus.mentions[column].tolist()
    shifted = table_.assign(start=table_["start"] + 1, end=table_["end"] + 1)
    table(mentions, shifted.to_dict("records"))
    ran = cdec("corpus", "import", folder, "--mentions", mentions, "-q")
    assert ran.error == "offsets-invalid"


def test_token_rows_without_a_header_and_with_a_declaration(
    folder: Path, tmp_path: Path, cdec: Run
) -> None:
    for name, content in {
        "bare.tsv": "a\t1\t1\tF\na\t1\t1\tF\nb\t2\t2\tF\n",
        "declared.csv": '# cdec: {"seed": 1}\ndoc,from_char,to_char,chain\na,2,6,F\nb,10,14,F\n',
    }.items():
        (tmp_path / name).write_text(content)
        ran = cdec("corpus", "import", folder, "--mentions", tmp_path / name, "-q")
        assert ran.code == 0, ran.err
        assert set(words(load_corpus("texts"))) == {"fire"}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("doc,start,end,sentence,chain\na,1,1,0,F\n", "field-invalid"),
        ("mention,chain\na/1,F\n", "field-invalid"),
        ("doc,from_char,to_char,document,chain\na,2,6,a,F\n", "field-invalid"),
        ('{"doc": "a", "from_char": 2, "to_char": 6, "chain": "F"}\n{"doc', "json-invalid"),
        ("doc,from_char,to_char,chain\n", "corpus-empty"),
        ("doc,from_char,to_char,chain,id\na,2,6,F,1\na,2,6,G,1\n", "corpus-record-invalid"),
    ],
)
def test_invalid_files_of_mentions(
    content: str, code: str, folder: Path, tmp_path: Path, cdec: Run
) -> None:
    (tmp_path / "m.csv").write_text(content)
    ran = cdec("corpus", "import", folder, "--mentions", tmp_path / "m.csv")
    assert (ran.code, ran.error) == (1, code), ran.err
    assert "m.csv" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--language", "de"], "option-requires"),
        (["--mentions", "m.csv", "--as", "conll"], "option-conflict"),
        (["--mentions", "none.csv"], "file-unreadable"),
        (["--mentions", "m.csv", "--name", "../x"], "option-invalid"),
        ([], "corpus-empty"),
    ],
)
def test_a_wrong_call_is_refused(
    arguments: list[str], code: str, folder: Path, cdec: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    table(Path("m.csv"), rows(characters))
    ran = cdec("corpus", "import", "texts", *arguments)
    assert ran.error == code, ran.err
    assert installed() == {}


def test_an_interrupted_import_leaves_nothing(
    folder: Path, tmp_path: Path, cdec: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cdec.corpus.frames.with_tokens", interrupt)
    mentions = table(tmp_path / "m.csv", rows(characters))
    assert cdec("corpus", "import", folder, "--mentions", mentions).code == 130
    assert installed() == {}


def test_topics_have_the_names_of_tables_of_topics(folder: Path, tmp_path: Path, cdec: Run) -> None:
    given = [{"Topic-ID": row["doc"] * 2, **row} for row in rows(characters)]
    ran = cdec("corpus", "import", folder, "--mentions", table(tmp_path / "m.csv", given), "-q")
    assert ran.code == 0, ran.err
    assert [document.topic for document in load_corpus("texts").documents.values()] == ["aa", "bb"]

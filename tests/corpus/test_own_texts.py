"""Texts and mentions at character offsets, as a corpus: `cdec corpus import --mentions`."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import cdec as package
from cdec import CdecWarning, build_corpus, load_corpus
from cdec.corpus import Corpus, installed
from tests.cli.conftest import Run, cdec
from tests.refusals import refused

__all__ = ["cdec"]  # the fixture
DECOMPOSED, COMPOSED = "cafe\u0301", "caf\u00e9"
CRLF = f"A fire broke out.\r\n\r\nThe 🔥 blaze in the {COMPOSED} was put out.\r\n"
LF = f"The {DECOMPOSED} fire hurt two.\n"
TEXTS = {"a": CRLF, "b": LF}
MENTIONS = (
    *(("a", "fire", "F"), ("a", "broke out", "F"), ("a", "blaze", "F"), ("a", COMPOSED, "C")),
    *(("a", "put out", "P"), ("b", "fire", "F"), ("b", DECOMPOSED, "C"), ("b", "hurt", "H")),
)
Count = Callable[[str, int], int]


def rows(first: Count, last: Count | None = None, *, text: bool = True) -> list[dict[str, Any]]:
    """The mentions, with offsets as these functions of text and character count them."""
    made = []
    for doc, words, chain in MENTIONS:
        begin = TEXTS[doc].index(words)
        places = first(TEXTS[doc], begin), (last or first)(TEXTS[doc], begin + len(words))
        row = {"doc": doc, "from_char": places[0], "to_char": places[1], "chain": chain}
        made.append({**row, "text": words} if text else row)
    return made


def characters(_: str, at: int) -> int:
    return at


def one_more(_: str, at: int) -> int:
    return at + 1


def one_less(_: str, at: int) -> int:
    return at - 1


def utf_16(text: str, at: int) -> int:
    return len(text[:at].encode("utf-16-le")) // 2


def utf_8(text: str, at: int) -> int:
    return len(text[:at].encode())


def lines_in_lf(text: str, at: int) -> int:
    return len(text[:at].replace("\r\n", "\n"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The texts, the first with a byte-order mark."""
    made = tmp_path / "texts"
    made.mkdir()
    (made / "a.txt").write_bytes(b"\xef\xbb\xbf" + CRLF.encode())
    (made / "b.txt").write_bytes(LF.encode())
    return made


def table(path: Path, records: Iterable[dict[Any, Any]]) -> Path:
    """Write the records as the ending says."""
    records = list(records)
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        return path
    with path.open("w", newline="", encoding="utf-8") as file:
        separator = "\t" if path.suffix == ".tsv" else ","
        names = dict.fromkeys(name for record in records for name in record)
        writer = csv.DictWriter(file, list(names), delimiter=separator)
        writer.writeheader()
        writer.writerows(records)
    return path


def words(corpus: Corpus) -> list[str]:
    found: list[str] = corpus.mentions["text"].tolist()
    return found


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
    ("first", "last", "hint"),
    [
        (one_more, one_more, "one too large"),
        (characters, one_less, "last character as to_char"),
        (one_more, characters, "count from 1 and"),
        (utf_16, utf_16, "UTF-16"),
        (utf_8, utf_8, "bytes of UTF-8"),
        (lines_in_lf, lines_in_lf, "CR LF"),
    ],
)
def test_another_count_is_refused_and_recognised(first: Count, last: Count, hint: str) -> None:
    given = rows(first, last)
    wrong = next(
        n
        for n, (row, good) in enumerate(zip(given, rows(characters), strict=True), start=1)
        if row != good
    )
    with refused("offsets-invalid", "rows do not fit", place=f"mentions, row {wrong}") as caught:
        build_corpus(given, TEXTS)
    assert hint in str(caught.value.hint)
    assert "8 of 8" in str(caught.value.hint)


def test_a_single_wrong_text_has_row_and_share(folder: Path, cdec: Run, tmp_path: Path) -> None:
    given = rows(characters)
    given[3]["text"] = "tea"
    ran = cdec("corpus", "import", folder, "--mentions", table(tmp_path / "m.csv", given))
    assert (ran.code, ran.error) == (1, "offsets-invalid")
    assert "m.csv:5" in ran.err
    assert "1 of 8 rows do not fit (12.5%)" in ran.err
    assert "the offsets" not in ran.err
    assert installed() == {}


def test_text_may_differ_in_white_space_and_normal_form() -> None:
    given = rows(characters)
    given[1]["text"], given[3]["text"], given[6]["text"] = "broke\n  out", DECOMPOSED, COMPOSED
    assert len(build_corpus(given, TEXTS).mentions) == 8


@pytest.mark.parametrize(("count", "hint"), [(characters, ""), (one_more, "one too large")])
def test_cut_tokens_are_counted(count: Count, hint: str) -> None:
    given = rows(count, text=False)
    if not hint:
        given[0]["to_char"] -= 1
    cut = len(given) if hint else 1
    with pytest.warns(CdecWarning, match=rf"{cut} of 8 .*inside a token.*{hint}.*\[token-cut\]"):
        corpus = build_corpus(given, TEXTS)
    assert words(corpus)[0] == "fire"


def test_overlapping_and_discontinuous_mentions(tmp_path: Path, cdec: Run) -> None:
    text = "Police shut the road down quickly."
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "a.txt").write_text(text, "utf-8")
    mentions = tmp_path / "m.csv"
    mentions.write_text(
        "doc,from_char,to_char,chain,text,id\n"
        "a,7;21,11;25,S,shut down,m1\na,7,25,S2,shut the road down,m2\na,7,11,,shut,m3\n"
    )
    assert cdec("corpus", "import", tmp_path / "t", "--mentions", mentions, "-q").code == 0
    table_ = load_corpus("t").mentions
    assert table_["tokens"].to_dict() == {"a/m3": (1,), "a/m1": (1, 4), "a/m2": (1, 2, 3, 4)}
    assert table_["chain"]["a/m3"] == "a/m3"
    lists = [{"doc": "a", "from_char": [7, 21], "to_char": [11, 25], "chain": "S"}]
    assert build_corpus(lists, {"a": text}).mentions["tokens"].tolist() == [(1, 4)]


def test_topics_of_mentions_are_those_of_their_documents() -> None:
    given = [{**row, "topic": row["doc"] * 2, "kind": "entity"} for row in rows(characters)]
    corpus = build_corpus(given, TEXTS)
    assert [document.topic for document in corpus.documents.values()] == ["aa", "bb"]
    assert corpus.kinds == ("entity",)
    given[1]["topic"] = "other"
    with refused("corpus-record-invalid", "different topics", place="row 2"):
        build_corpus(given, TEXTS)


@pytest.mark.parametrize(
    ("row", "code", "value"),
    [
        ({"from_char": 500, "to_char": 504}, "offsets-invalid", "which has"),
        ({"from_char": 4, "to_char": 4}, "offsets-invalid", "no characters 4 to 4"),
        ({"from_char": -3, "to_char": 4}, "offsets-invalid", "-3"),
        ({"from_char": 17, "to_char": 19}, "offsets-invalid", "no word"),
        ({"from_char": 2}, "offsets-invalid", "to_char"),
        ({"from_char": "x", "to_char": 4}, "offsets-invalid", "'x'"),
        ({"from_char": "1 3", "to_char": 4}, "offsets-invalid", "2 values"),
        ({"from_char": 10**400, "to_char": 4}, "offsets-invalid", "not an integer"),
        ({"from_char": 2.5, "to_char": 4}, "offsets-invalid", "2.5"),
        ({"from_char": [], "to_char": []}, "offsets-invalid", "from_char"),
        ({"doc": "a.txt", "from_char": 1, "to_char": 4}, "corpus-record-invalid", "such as a, b"),
        ({"from_char": 2, "to_char": 6, "kind": "x"}, "corpus-record-invalid", "'kind'"),
        ({"tokens": [500]}, "corpus-record-invalid", "tokens"),
        ({}, "corpus-record-invalid", "tokens"),
    ],
)
def test_an_invalid_mention_has_its_row(row: dict[str, Any], code: str, value: str) -> None:
    good = {"doc": "b", "from_char": 4, "to_char": 9, "chain": "1"}
    with refused(code, value, place="mentions, row 2"):
        build_corpus([good, {"doc": "a", "chain": "1", **row}], TEXTS)


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


def test_offsets_that_fit_two_readings_are_named_by_the_rarer_unit(folder: Path, cdec: Run) -> None:
    """One emoji before every mention shifts UTF-16 by one, as counting from 1 does."""
    (folder / "a.txt").write_text("🔥 A fire.", "utf-8")
    row = {"doc": "a", "from_char": 5, "to_char": 9, "chain": "F", "text": "fire"}
    mentions = table(folder.parent / "m.csv", [row])
    ran = cdec("corpus", "import", folder, "--mentions", mentions)
    assert ran.error == "offsets-invalid"
    assert "UTF-16" in ran.err
    assert "start and end count tokens" in ran.err


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
    assert (ran.error, "no mentions" in ran.err) == ("corpus-empty", True)


def test_files_that_no_format_recognises_name_the_formats_and_the_guide(
    folder: Path, cdec: Run
) -> None:
    ran = cdec("eval", "--corpus", folder)
    assert ran.error == "corpus-empty"
    for named in ("ECB+", "CoNLL", "cdec JSON Lines", "--mentions", "your-own-articles.md"):
        assert named in ran.err
    assert ".xml" not in ran.err


def test_a_saved_corpus_opens_everywhere(tmp_path: Path, cdec: Run) -> None:
    given = [{**row, "topic": row["doc"]} for row in rows(characters)]
    corpus = build_corpus(given, TEXTS, name="mine")
    path = tmp_path / "mine.jsonl"
    corpus.save(path)
    again = load_corpus(str(path))
    assert again.digest == corpus.digest
    assert again.mentions.equals(corpus.mentions)
    assert cdec("eval", "--system", "lemma", "--corpus", path, "-q").code == 0
    with refused("output-ending", place="mine.csv"):
        corpus.save(tmp_path / "mine.csv")


def test_a_saved_corpus_opens_in_the_review_page(tmp_path: Path, cdec: Run) -> None:
    path, cases, page = (tmp_path / name for name in ("s.jsonl", "cases.jsonl", "review.html"))
    load_corpus("sample").save(path)
    only = ("--detector", "companions", "--top", "2")
    ran = cdec("audit", "run", *only, "--corpus", path, "-o", cases, "-q")
    assert ran.code == 0, ran.err
    ran = cdec("audit", "review", cases, "--corpus", path, "-o", page, "-q")
    assert ran.code == 0, ran.err
    first = json.loads(cases.read_text("utf-8").splitlines()[1])
    assert first["case"] in page.read_text("utf-8")


def test_what_predict_writes_is_imported_with_the_same_tokens(
    folder: Path, tmp_path: Path, cdec: Run
) -> None:
    """The rows have token numbers; ``text`` is compared with these tokens too."""
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


def test_an_interrupted_import_leaves_nothing(
    folder: Path, tmp_path: Path, cdec: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cdec.corpus.frames.with_tokens", interrupt)
    mentions = table(tmp_path / "m.csv", rows(characters))
    assert cdec("corpus", "import", folder, "--mentions", mentions).code == 130
    assert installed() == {}


def test_a_table_of_texts_in_memory() -> None:
    documents = [
        {"id": "a", "text": CRLF, "topic": 1, "language": "en"},
        {"id": "b", "sentences": [["The", "fire"]], "topic": 2},
    ]
    given = [rows(characters)[0], {"doc": "b", "tokens": [1], "chain": "F"}]
    corpus = package.build_corpus(given, documents)
    assert words(corpus) == ["fire", "fire"]
    assert corpus.documents["a"].attributes == {"language": "en"}

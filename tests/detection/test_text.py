"""Plain text files: tokens, sentences and offsets, and `cdec predict --text`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cdec import formats
from cdec.detection import Detector, PlainText
from tests.cli.conftest import Run, cdec
from tests.detection.made import DEV, NEWS, TRAIN, news
from tests.refusals import refused

__all__ = ["cdec"]  # the fixture


@pytest.fixture
def detector(tmp_path: Path) -> Path:
    path = tmp_path / "made.detector"
    Detector("detector-lexicon").fit(TRAIN, DEV).save(path)
    return path


def test_a_text_has_documents_sentences_and_offsets(tmp_path: Path) -> None:
    plain = PlainText.read(news(tmp_path))
    assert list(plain.corpus.documents) == list(NEWS)
    document = plain.corpus.documents["council"]
    assert [len(sentence) for sentence in document.sentences] == [6, 20, 8]
    assert list(document.sentences[0]) == plain.texts["council"].text.split()[:6]
    text = plain.texts["council"]
    words = tuple(text.text[a:b] for a, b in zip(text.begin, text.end, strict=True))
    assert words == document.tokens
    assert plain.corpus.levels == {}


def test_files_in_folders_are_read_in_natural_order(tmp_path: Path) -> None:
    for name in ("10.txt", "2.txt", "sub/1.txt", ".hidden.txt", "notes.md"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("Rain fell.\r\nIt stopped.", "utf-8")
    corpus = PlainText.read(tmp_path).corpus
    assert list(corpus.documents) == ["2", "10", "sub/1"]
    assert corpus.documents["2"].sentences == (("Rain", "fell", "."), ("It", "stopped", "."))


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "file-empty"),
        (b" \n \n", "file-empty"),
        (b"... ---\n", "file-empty"),
        ("Tremblement à Paris".encode("latin-1"), "file-encoding"),
        ("Fire".encode("utf-16"), "file-encoding"),
        (b"a\0b", "file-encoding"),
        (b"PK\x03\x04 zip", "file-compressed"),
    ],
)
def test_a_file_without_text_is_refused(content: bytes, code: str, tmp_path: Path) -> None:
    folder = news(tmp_path)
    (folder / "bad.txt").write_bytes(content)
    with refused(code) as caught:
        PlainText.read(folder)
    assert "bad.txt" in str(caught.value.place)


def test_a_folder_without_texts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    folders = (tmp_path / "empty", tmp_path / "missing", news(tmp_path) / "arrest.txt")
    for folder in folders:
        with refused("corpus-empty", place=folder.name):
            PlainText.read(folder)


def test_mentions_and_chains_of_texts_are_written_with_offsets(
    cdec: Run, tmp_path: Path, detector: Path
) -> None:
    target = tmp_path / "chains.jsonl"
    call = ("predict", "--system", "lemma", "--text", news(tmp_path))
    ran = cdec(*call, "--detector", detector, "-o", target)
    assert ran.code == 0, ran.err
    assert "detector-lexicon" in ran.err
    mentions = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    for mention in mentions:
        at = slice(mention["from_char"], mention["to_char"])
        assert NEWS[mention["doc"]][at] == mention["text"]
    chains = {(m["doc"], m["text"].lower()): m["chain"] for m in mentions}
    assert chains["arrest", "fire"] == chains["harbour", "fire"] == chains["council", "fire"]
    assert chains["harbour", "said"] != chains["harbour", "fire"]
    assert [m["doc"] for m in mentions] == sorted(m["doc"] for m in mentions)
    again = formats.read(target)
    assert len(again) == len(mentions)


@pytest.mark.parametrize("ending", ["conll", "csv", "tsv", "json", "jsonl"])
def test_every_format_can_be_read_again(
    ending: str, cdec: Run, tmp_path: Path, detector: Path
) -> None:
    folder = news(tmp_path)
    contents = []
    for name in ("a", "b"):
        target = tmp_path / f"{name}.{ending}"
        call = ("predict", "-q", "--system", "lemma", "--text", folder)
        ran = cdec(*call, "--detector", detector, "-o", target)
        assert ran.code == 0, ran.err
        contents.append(target.read_bytes())
    assert contents[0] == contents[1]
    table = formats.read(target).mentions
    expected = Detector().load(detector).find(PlainText.read(folder).corpus)
    columns = ["doc", "start", "end"]
    assert table[columns].to_numpy().tolist() == expected[columns].to_numpy().tolist() != []
    if ending in ("csv", "tsv"):
        assert {"text", "from_char", "to_char"} <= set(
            contents[0].decode().split("\n")[0].split("," if ending == "csv" else "\t")
        )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--text", "none"], "corpus-empty"),
        (["--detector", "detector-lexicon"], "option-requires"),
        (["--text", "news", "--detector", "mine"], "name-unknown"),
        (["--text", "news", "--mentions", "predicted:mine"], "name-unknown"),
        (["--text", "news", "--detector", "news/arrest.txt"], "model-invalid"),
    ],
)
def test_a_wrong_call_is_refused(
    arguments: list[str],
    code: str,
    cdec: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    news(tmp_path)
    monkeypatch.chdir(tmp_path)
    ran = cdec("predict", "-o", "out.jsonl", *arguments)
    assert ran.code in (1, 2)
    assert ran.error == code
    assert not Path("out.jsonl").exists()


def test_an_interrupted_run_leaves_nothing(
    cdec: Run, tmp_path: Path, detector: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = news(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cdec.formats.json_files.to_records", interrupt)
    ran = cdec("predict", "--text", folder, "--detector", detector, "-o", tmp_path / "o.jsonl")
    assert ran.code == 130
    assert sorted(path.name for path in tmp_path.iterdir()) == before

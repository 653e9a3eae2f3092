"""What a user can get wrong: one line on stderr that names it, the exit code, no output.

What can be wrong with a file is in ``tests/faults``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, Run
from tests.faults.inputs import DOCUMENT

FILE = "ECB+/1/1_1ecb.xml"

Corpus = Callable[..., Path]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Write a corpus of one document, with one thing in it replaced."""

    def write(old: str = "", new: str = "", name: str = FILE) -> Path:
        assert old in DOCUMENT
        file = tmp_path / "corpus" / name
        file.parent.mkdir(parents=True)
        file.write_text(DOCUMENT.replace(old, new) if old else DOCUMENT)
        return tmp_path / "corpus"

    return write


def assert_one_line(ran: Ran, code: int, *parts: str) -> None:
    assert ran.out == ""
    assert ran.err.startswith("cdec: error: "), ran.err
    assert ran.err.count("\n") == 1
    for part in parts:
        assert part in ran.err, ran.err
    assert ran.code == code


def test_the_document_itself_is_sound(corpus: Corpus, cdec: Run) -> None:
    assert cdec("eval", "-q", "--corpus", corpus(), "--split", "all").code == 0


@pytest.mark.parametrize("command", ["eval", "stats", "predict", "corpus export"])
def test_a_bad_file_is_named_with_its_line(command: str, corpus: Corpus, cdec: Run) -> None:
    folder = corpus("</Markables>", "")
    assert_one_line(cdec(*command.split(), "-q", "--corpus", folder), 1, "1_1ecb.xml:12: not well")


def test_an_empty_folder(tmp_path: Path, cdec: Run) -> None:
    assert_one_line(cdec("eval", "--corpus", tmp_path), 1, str(tmp_path), "no ECB+ documents")


def test_a_missing_corpus(tmp_path: Path, cdec: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = tmp_path / "lost"
    assert_one_line(cdec("eval", "--corpus", lost), 1, str(lost), "cdec corpus fetch")
    assert_one_line(cdec("eval", "--corpus", "ecb+"), 1, "ECB+ is not installed")
    monkeypatch.setenv("CDEC_ECBPLUS", str(lost))
    assert_one_line(cdec("eval"), 1, f"CDEC_ECBPLUS={lost}")


def test_a_topic_missing_from_the_split(corpus: Corpus, cdec: Run) -> None:
    folder = corpus(name="99/99_1ecb.xml")
    for command in ("eval", "stats"):
        assert_one_line(cdec(command, "--corpus", folder), 1, "topic 99", "split 'ycf'")


NEAREST = [
    (["eval", "--setting", "puer"], "unknown setting 'puer' (did you mean 'pure'?"),
    (["eval", "--setting", "scope=subtopics"], "did you mean 'subtopic'?"),
    (["eval", "--system", "lema"], "unknown system 'lema' (did you mean 'lemma'?"),
    (["eval", "--metric", "ceaf_e"], "unknown metric 'ceaf_e' (did you mean 'ceafe'?"),
    (["eval", "--format", "jsno"], "unknown format 'jsno' (did you mean 'json'?"),
    (["eval", "--split", "tset"], "(did you mean 'test'?"),
    (["eval", "--split", "cybuslka/test"], "unknown split 'cybuslka' (did you mean 'cybulska'?"),
    (["eval", "--scorer", "nelval"], "unknown scorer 'nelval' (did you mean 'neleval'?"),
    (["eval", "--nlp", "hnata"], "unknown language pipeline 'hnata' (did you mean 'hanta'?"),
    (["eval", "--by", "subtopics"], "unknown unit 'subtopics' (did you mean 'subtopic'?"),
    (["eval", "--corpus", "sampel"], "unknown corpus 'sampel' (did you mean 'sample'?"),
    (["predict", "--system", "lemma-dw"], "(did you mean 'lemma-wd'?"),
    (["predict", "--to", "conl"], "unknown format 'conl' (did you mean 'conll'?"),
    (["stats", "--split", "yfc"], "unknown split 'yfc' (did you mean 'ycf'?"),
    (["stats", "--format", "tabel"], "(did you mean 'table'?"),
    (["corpus", "export", "--setting", "simpel"], "(did you mean 'simple'?"),
    (["corpus", "info", "--format", "htm"], "(did you mean 'html'?"),
    (["score", "KEY", "KEY", "--scope", "corpsu"], "(did you mean 'corpus'?"),
    (["score", "KEY", "KEY", "--repeated", "frist"], "(did you mean 'first'?"),
]


@pytest.fixture
def key(tmp_path: Path) -> Path:
    file = tmp_path / "key.jsonl"
    file.write_text('{"doc": "d", "start": 0, "end": 0, "chain": "x"}\n')
    return file


@pytest.mark.parametrize(("arguments", "hint"), NEAREST, ids=[" ".join(a) for a, _ in NEAREST])
def test_an_unknown_name_has_the_nearest_one(
    arguments: list[str], hint: str, key: Path, cdec: Run
) -> None:
    given = [str(key) if argument == "KEY" else argument for argument in arguments]
    quiet = [] if arguments[:2] == ["corpus", "info"] else ["--quiet"]
    assert_one_line(cdec(*given, *quiet), 2, hint)


WRONG_CALLS = [
    (["eval", "--scorer", "neleval", "--metric", "lea"], "the scorer 'neleval' has no lea"),
    (["corpus", "export", "--response", "x.conll"], "--response without --setting"),
    (["corpus", "export", "--setting", "all"], "six settings where one is wanted"),
    (["corpus", "install", "SAMPLE", "--name", "my corpus"], "cannot be the name of a corpus"),
    (["score", "KEY", "KEY", "--by", "topic"], "do not tell their topic"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG_CALLS, ids=[s for _, s in WRONG_CALLS])
def test_a_wrong_call_is_exit_2(
    arguments: list[str], said: str, key: Path, corpus: Corpus, cdec: Run
) -> None:
    names = {"KEY": str(key)} | ({"SAMPLE": str(corpus())} if "SAMPLE" in arguments else {})
    ran = cdec(*(names.get(argument, argument) for argument in arguments), "--quiet")
    assert_one_line(ran, 2, said)


@pytest.mark.parametrize(
    "arguments", [["evl"], ["eval", "--bogus"], ["score", "one"], ["eval", "x"]]
)
def test_a_call_that_cannot_be_parsed_is_exit_2(arguments: list[str], cdec: Run) -> None:
    ran = cdec(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "command",
    [
        "eval",
        "stats",
        "predict",
        "corpus export",
        "corpus info",
        "tune lemma-delta",
        "train sac",
        "report scores.json",
    ],
)
def test_a_place_that_cannot_be_written_is_told_first(
    command: str, tmp_path: Path, cdec: Run
) -> None:
    assert_one_line(cdec(*command.split(), "-o", tmp_path / "no" / "x"), 1, "no such folder")
    assert_one_line(cdec(*command.split(), "-o", tmp_path), 1, "this is a folder")

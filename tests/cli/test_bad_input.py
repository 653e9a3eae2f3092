"""Careless calls: the code of the error, its exit code, one line on stderr, no output.

The wording is in ``golden/messages``; files with errors are in ``tests/faults``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cdec.cli.failure import ErrorFormat
from tests.cli.conftest import Ran, Run
from tests.faults.inputs import DOCUMENT

FILE = "ECB+/1/1_1ecb.xml"

Corpus = Callable[..., Path]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Write a corpus of one document, with one replacement in its text."""

    def write(old: str = "", new: str = "", name: str = FILE) -> Path:
        assert old in DOCUMENT
        file = tmp_path / "corpus" / name
        file.parent.mkdir(parents=True)
        file.write_text(DOCUMENT.replace(old, new) if old else DOCUMENT)
        return tmp_path / "corpus"

    return write


def assert_one_line(ran: Ran, code: int, error: str, *values: object) -> None:
    assert (ran.code, ran.error, ran.out) == (code, error, ""), ran.err
    assert ran.err.startswith("cdec: error: ")
    assert ran.err.count("\n") == 1
    for value in values:
        assert str(value) in ran.err


def test_the_document_itself_is_valid(corpus: Corpus, cdec: Run) -> None:
    assert cdec("eval", "-q", "--corpus", corpus(), "--split", "all").code == 0


@pytest.mark.parametrize("command", ["eval", "corpus stats", "predict", "corpus export"])
def test_a_bad_file_is_named_with_its_line(command: str, corpus: Corpus, cdec: Run) -> None:
    ran = cdec(*command.split(), "-q", "--corpus", corpus("</Markables>", ""))
    assert_one_line(ran, 1, "corpus-file-invalid", "1_1ecb.xml:12: ")


def test_an_empty_folder(tmp_path: Path, cdec: Run) -> None:
    assert_one_line(cdec("eval", "--corpus", tmp_path), 1, "corpus-empty", tmp_path)


def test_a_missing_corpus(tmp_path: Path, cdec: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = tmp_path / "lost"
    assert_one_line(cdec("eval", "--corpus", lost), 1, "corpus-not-found", lost)
    assert_one_line(cdec("eval", "--corpus", "ecb+"), 1, "corpus-not-found", "cdec corpus fetch")
    monkeypatch.setenv("CDEC_ECBPLUS", str(lost))
    assert_one_line(cdec("eval"), 1, "corpus-not-found", f"CDEC_ECBPLUS={lost}")


def test_a_topic_missing_from_the_split(corpus: Corpus, cdec: Run) -> None:
    folder = corpus(name="99/99_1ecb.xml")
    call = ("eval", "--corpus", folder, "--split", "ycf/test")
    assert_one_line(cdec(*call), 1, "split-invalid", "26", "'ycf'")


NEAREST = [
    ("eval --setting puer", "name-unknown", "pure"),
    ("eval --setting scope=subtopics", "name-unknown", "subtopic"),
    ("eval --system lema", "name-unknown", "lemma"),
    ("eval --metric ceaf_e", "name-unknown", "ceafe"),
    ("eval --format html --metric ceaf_e", "name-unknown", "ceafe"),
    ("eval --format htmk", "name-unknown", "html"),
    ("eval --split tset", "name-unknown", "test"),
    ("eval --split cybuslka/test", "name-unknown", "cybulska"),
    ("eval --scorer nelval", "name-unknown", "neleval"),
    ("eval --nlp hnata", "name-unknown", "hanta"),
    ("eval --by subtopics", "name-unknown", "subtopic"),
    ("eval --corpus sampel", "name-unknown", "sample"),
    ("predict --system lemma-dw", "name-unknown", "lemma-wd"),
    ("predict --to conl", "name-unknown", "conll"),
    ("corpus stats --split yfc", "name-unknown", "ycf"),
    ("corpus stats --format tabel", "name-unknown", "table"),
    ("corpus export --setting simpel", "name-unknown", "simple"),
    ("corpus info --format htm", "name-unknown", "html"),
    ("score KEY KEY --scope corpsu", "name-unknown", "corpus"),
    ("score KEY KEY --repeated frist", "name-unknown", "first"),
]


@pytest.fixture
def key(tmp_path: Path) -> Path:
    file = tmp_path / "key.jsonl"
    file.write_text('{"doc": "d", "start": 0, "end": 0, "chain": "x"}\n')
    return file


@pytest.mark.parametrize(("call", "error", "nearest"), NEAREST)
def test_an_unknown_name_has_the_nearest_one(
    call: str, error: str, nearest: str, key: Path, cdec: Run
) -> None:
    ran = cdec(*call.replace("KEY", str(key)).split(), "--quiet")
    assert_one_line(ran, 2, error, f"'{nearest}'?")


WRONG_CALLS = [
    ("eval --scorer neleval --metric lea", "metric-unsupported"),
    ("corpus export --response x.conll", "option-requires"),
    ("corpus export --setting all", "argument-type"),
    ("explain -m muc --system lemma --setting all", "argument-type"),
    ("explain -m muc", "argument-missing"),
    ("explain -m muc KEY", "argument-missing"),
    ("explain -m muc KEY KEY --setting pure", "option-conflict"),
    ("explain -m muc --system lemma --scope corpus", "option-requires"),
    ("explain -m muc --system lemma --response KEY", "option-conflict"),
    ("eval --ci --by topic", "option-conflict"),
    ("reproduce figure3 --chart x.svg", "option-requires"),
    ("reproduce ranking --chart x.pdf", "output-ending"),
    ("audit benchmark --seeds 0", "parameter-invalid"),
    ("train --split KEY.toml", "name-unknown"),
    ("corpus install SAMPLE --name a,b", "option-invalid"),
    ("score KEY KEY --by topic", "level-missing"),
]


@pytest.mark.parametrize(("call", "error"), WRONG_CALLS)
def test_a_wrong_call_is_exit_2(
    call: str, error: str, key: Path, corpus: Corpus, cdec: Run
) -> None:
    Path(f"{key}.toml").write_text('[topics]\nnone = []\nrest = ["1-6"]\n', "utf-8")
    names = {"SAMPLE": str(corpus())} if "SAMPLE" in call else {}
    arguments = (names.get(word, word.replace("KEY", str(key))) for word in call.split())
    assert_one_line(cdec(*arguments, "--quiet"), 2, error)


UNPARSED = {
    "evl": "name-unknown",
    "eval --bogus": "name-unknown",
    "audit documents x": "call-invalid",
    "compare": "argument-missing",
    "eval --jobs none": "option-invalid",
    "eval --jobs 0": "option-invalid",
}


@pytest.mark.parametrize(("call", "error"), UNPARSED.items())
def test_a_call_that_cannot_be_parsed_is_exit_2(call: str, error: str, cdec: Run) -> None:
    assert_one_line(cdec(*call.split()), 2, error)
    ran = cdec(*call.split(), "--verbose")
    assert (ran.code, ran.out, ran.error) == (2, "", error)
    assert ran.err.startswith(f"cdec: error[{error}]: ")
    ran = cdec(*call.split(), "-f", "json")
    assert (ran.code, ran.out) == (2, "")
    assert json.loads(ran.err)["error"]["code"] == error


def test_an_option_without_its_value(cdec: Run) -> None:
    assert_one_line(cdec("eval", "--setting"), 2, "call-invalid")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("evl", "did you mean 'eval'? see `cdec --help`"),
        ("eval --settings pure", "did you mean '--setting'? see `cdec eval --help`"),
        ("audit rn", "did you mean 'run'? see `cdec audit --help`"),
        ("diagnose lemma --top x", "--top must be a valid integer"),
        ("explain", "missing --metric"),
    ],
)
def test_an_error_of_the_parser_says_what_to_do(call: str, said: str, cdec: Run) -> None:
    assert said in cdec(*call.split()).err


def test_json_output_has_json_errors(cdec: Run, tmp_path: Path) -> None:
    lost = str(tmp_path / "lost.conll")
    for options in ("-f json", "--format=json", "-qvf json -o scores.json"):
        ran = cdec("score", lost, lost, *options.split())
        assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
        content = json.loads(ran.err)["error"]
        assert (content["code"], content["place"]) == ("file-unreadable", lost)
        assert content.keys() == {"code", "message", "place", "hint"}
    for options in ("-o scores.json", "-qo scores.JSON"):
        ran = cdec("score", lost, lost, *options.split())
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith("cdec: error: ")


@pytest.mark.parametrize(
    ("call", "verbose", "as_json"),
    [
        ("eval", False, False),
        ("eval -v", True, False),
        ("eval -qv", True, False),
        ("eval -fjson", False, True),
        ("eval -qf json -r x.json", False, True),
        ("eval -r x.json", False, False),
        ("eval --output", False, False),
        ("eval -vo x.json", True, False),
        ("predict --to json", False, False),
        ("eval --format csv --verbose", True, False),
    ],
)
def test_the_call_sets_the_format_of_errors(call: str, verbose: bool, as_json: bool) -> None:
    quiet = call.startswith("eval -q")
    assert ErrorFormat.from_arguments(call.split()) == ErrorFormat(verbose, as_json, quiet)


@pytest.mark.parametrize(
    "command",
    [
        "eval",
        "corpus stats",
        "predict",
        "corpus export",
        "corpus info",
        "tune lemma-delta",
        "train sac",
        "report scores.json",
    ],
)
def test_a_path_that_cannot_be_written_is_rejected_first(
    command: str, tmp_path: Path, cdec: Run
) -> None:
    for path, place in ((tmp_path / "no" / "x", tmp_path / "no"), (tmp_path, tmp_path)):
        ran = cdec(*command.split(), "-o", path)
        assert_one_line(ran, 1, "file-unwritable", f"error: {place}: ")


def test_a_key_without_a_response_is_exit_2(cdec: Run) -> None:
    ran = cdec("score", "key.conll")
    assert (ran.code, ran.out, ran.error) == (2, "", "argument-missing")

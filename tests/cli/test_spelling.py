"""What users type: ids in any case, numbers out of range, lists with blanks, packed files."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path
from typing import Any

import pytest

import cdec as library
from cdec import FilePolicy, Plan
from cdec.corpus import Corpus
from cdec.evaluation import parse_response
from cdec.formats import from_corpus, read, write
from tests.cli.conftest import Run
from tests.refusals import refused


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return library.load_corpus("sample", "test")


def test_ids_in_any_case_are_those_of_the_signature(sample: Corpus) -> None:
    results = library.evaluate(sample, "Lemma", setting="PURE", metrics=["CoNLL", "MUC", "conll"])
    same = library.evaluate(sample, "lemma", setting="pure", metrics=["conll", "muc"])
    assert str(results.signature) == str(same.signature)
    assert results["Pure"]["LEMMA"]["MUC"] == same["muc"]
    assert library.predict(sample, "LEMMA-WD").labels.equals(
        library.predict(sample, "lemma-wd").labels
    )
    assert library.score({"a": 1}, {"a": 1}, metrics="B3")["b3"].f1 == 1
    with refused("name-duplicate", "'lemma'"):
        library.evaluate(sample, ["lemma", "Lemma"])


def test_a_file_named_as_a_system_in_another_case_is_a_file(
    sample: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(from_corpus(sample, sample.gold), "Lemma", "jsonl")
    assert library.evaluate(sample, "Lemma")["conll"].f1 == 1


def test_the_command_line_takes_ids_in_any_case(cdec: Run) -> None:
    call = ("eval", "-q", "-f", "csv", "--corpus", "sample")
    exact = cdec(*call, "--system", "lemma", "-s", "pure", "--metric", "muc")
    any_case = cdec(*call, "--system", "LEMMA", "-s", "PURE", "--metric", "MUC")
    assert (any_case.code, any_case.out) == (0, exact.out)
    explained = cdec("explain", "--corpus", "sample", "--system", "Lemma", "--metric", "MUC")
    assert explained.error == "argument-missing"


def test_a_word_that_is_neither_system_nor_file_suggests_a_system(
    sample: Corpus, cdec: Run
) -> None:
    for responses in ("lema", {"mine": "lema"}, ["lemma", "lema"]):
        with refused("name-unknown", "unknown system", "did you mean 'lemma'?", "FILE"):
            library.evaluate(sample, responses)
    assert cdec("diagnose", "--corpus", "sample", "lema").error == "name-unknown"
    with refused("file-unreadable", place="lema.conll"):
        library.evaluate(sample, "lema.conll")


NAN, HUGE = float("nan"), pytest.param(10**5000, id="huge")


@pytest.mark.parametrize("field", ["resamples", "seed", "exchanges", "level"])
@pytest.mark.parametrize("value", [-1, 10**20, HUGE])
def test_a_number_of_a_plan_out_of_its_range_is_refused(field: str, value: int) -> None:
    with refused("parameter-invalid", f"{field} is "):
        Plan(**{field: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["resamples", "seed", "exchanges"])
@pytest.mark.parametrize("value", ["10", None, True, NAN, 1.5])
def test_a_plan_has_whole_numbers(field: str, value: Any) -> None:
    with refused("argument-type", f"{field} must be a whole number"):
        Plan(**{field: value})


def test_numbers_out_of_range_are_refused_in_python(sample: Corpus) -> None:
    with refused("parameter-invalid", "top is -1"):
        library.diagnose(sample, sample.gold, top=-1)
    with refused("parameter-invalid", "jobs is 0"):
        library.train(sample, "sac", jobs=0)
    for text in ("overlap:2", "overlap:-1", "overlap:nan", "overlap:0"):
        with refused("name-unknown", "above 0 and at most 1"):
            FilePolicy(alignment=text)


def test_a_policy_is_a_file_policy(sample: Corpus) -> None:
    with refused("argument-type", "FilePolicy"):
        library.evaluate(sample, "lemma", policy="drop")  # type: ignore[arg-type]
    with refused("argument-type", "FilePolicy"):
        library.score({"a": 1}, {"a": 1}, policy={"missing": "drop"})  # type: ignore[arg-type]


def test_a_list_in_one_name_is_named(sample: Corpus, cdec: Run) -> None:
    with refused("name-unknown", "unknown metric", "2 names", "each one separately"):
        library.evaluate(sample, "lemma", metrics="MUC, b3")
    with refused("name-unknown", "unknown setting", "2 names"):
        library.evaluate(sample, "lemma", setting="pure,simple")
    call = ("eval", "-q", "--corpus", "sample")
    assert cdec(*call, "--metric", "muc,", "b3").error == "call-invalid"
    assert cdec(*call, "-r", "mine=a.conll,", "b.conll").error == "call-invalid"
    assert [file.path.name for file in parse_response("mine=a.conll, b.conll").files] == [  # type: ignore[union-attr]
        "a.conll",
        "b.conll",
    ]


@pytest.mark.parametrize("text", ["", " ", "mine=", "mine= "])
def test_a_response_without_a_file_is_named(text: str, sample: Corpus, cdec: Run) -> None:
    with refused("response-missing", "names no file"):
        library.evaluate(sample, text)
    assert cdec("eval", "--corpus", "sample", "-r", text).error == "response-missing"


def test_a_packed_response_is_its_content(sample: Corpus, tmp_path: Path) -> None:
    plain, packed = tmp_path / "mine.jsonl", tmp_path / "mine.jsonl.gz"
    write(from_corpus(sample, sample.gold), plain, "jsonl")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read(packed).digest == read(plain).digest
    one, other = library.evaluate(sample, plain), library.evaluate(sample, packed)
    assert one.to_frame().equals(other.to_frame())
    assert str(one.signature) == str(other.signature)
    packed.write_bytes(gzip.compress(plain.read_bytes())[:-20])
    with refused("format-undetected", "damaged gzip", place="mine.jsonl.gz"):
        library.evaluate(sample, packed)


def test_a_spreadsheet_is_named(sample: Corpus, tmp_path: Path) -> None:
    file = tmp_path / "mine.xlsx"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    with refused("file-compressed", "spreadsheet", "CSV", place="mine.xlsx"):
        library.evaluate(sample, file)


@pytest.mark.parametrize("text", ["", " "])
def test_a_corpus_without_a_name_is_not_the_working_directory(text: str, cdec: Run) -> None:
    with refused("option-invalid", "empty"):
        library.load_corpus(text)
    assert cdec("stats", "--corpus", text).error == "option-invalid"

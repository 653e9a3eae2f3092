"""One signature, one result: every input that changes a result changes the signature.

Each case changes one input of a command. Then either the signature differs, or no byte of the rows
does.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from cdec.corpus import open_source, sample_path
from tests.cli.conftest import Run

Change = Callable[[Path], None]
LIST = "corpus/ECBplus_coreference_sentences.csv"
SPLIT = 'reviewed_only = {}\n[topics]\ntrain = ["1-2"]\ndev = ["3"]\ntest = [{}]\n'
EVAL = ("eval", "--corpus", "corpus", "--split", "my.toml/test", "--setting", "pure")
LEMMA = (*EVAL, "--system", "lemma")
DELTA = (*EVAL, "--system", "lemma-delta", "--config", "delta.toml")
SAC = (*EVAL, "--system", "sac")
MINE = (*EVAL, "--response", "mine.jsonl")
SCORE = ("score", "key.jsonl", "mine.jsonl", "--scope", "corpus")
TWICE = (*EVAL, "--response", "twice.jsonl")
CI = (*LEMMA, "--ci", "--resamples", "30")


def written(name: str, content: str) -> Change:
    def change(folder: Path) -> None:
        (folder / name).write_text(content, "utf-8")

    return change


def replaced(name: str, old: str, new: str) -> Change:
    def change(folder: Path) -> None:
        text = (folder / name).read_text("utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1), "utf-8")

    return change


def without_lines(name: str, number: int) -> Change:
    def change(folder: Path) -> None:
        lines = (folder / name).read_text("utf-8").splitlines(keepends=True)
        (folder / name).write_text("".join(lines[:1] + lines[1 + number :]), "utf-8")

    return change


def moved(name: str, target: str) -> Change:
    def change(folder: Path) -> None:
        (folder / name).rename(folder / target)

    return change


DOCUMENT = "corpus/ECB+/4/4_1ecb.xml"
FILES: dict[str, tuple[Sequence[str], Change]] = {
    "a chain of the corpus": (LEMMA, replaced(DOCUMENT, 'note="ACT', 'note="X')),
    "a word of the corpus": (LEMMA, replaced(DOCUMENT, ">earthquake<", ">flood<")),
    "a training document": (SAC, replaced("corpus/ECB+/1/1_1ecb.xml", "</token>", "x</token>")),
    "the name of a document": (LEMMA, moved(DOCUMENT, "corpus/ECB+/4/4_99ecb.xml")),
    "the topics of a split": (
        LEMMA,
        written("my.toml", SPLIT.format("false", '"4-5"').replace('"3"', '"3", "6"')),
    ),
    "reviewed sentences only": (LEMMA, written("my.toml", SPLIT.format("true", '"4-6"'))),
    "parameters": (DELTA, written("delta.toml", 'system = "lemma-delta"\ndelta = 0.05\n')),
    "a chain of the response": (MINE, replaced("mine.jsonl", '"chain": "', '"chain": "x')),
    "a chain of the key": (SCORE, replaced("key.jsonl", '"chain": "', '"chain": "x')),
    "a chain of the scored response": (SCORE, without_lines("mine.jsonl", 5)),
    "the patch": (
        (*LEMMA, "--key-patch", "patch.json"),
        replaced("patch.json", '["4_1ecb/1"]', '["4_1ecb/2"]'),
    ),
}
OPTIONS: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "setting": (LEMMA, ("--setting", "simple")),
    "scorer": (LEMMA, ("--scorer", "neleval", "--metric", "muc")),
    "metric": (LEMMA, ("--metric", "muc")),
    "system": (LEMMA, ("--system", "lemma-wd")),
    "key patch": (LEMMA, ("--key-patch", "patch.json")),
    "part": (LEMMA, ("--split", "my.toml/dev")),
    "repeated": (TWICE, ("--repeated", "drop")),
    "words": (MINE, ("--words", "ignore")),
    "scope": (SCORE, ("--scope", "document")),
    "seed": (CI, ("--seed", "1")),
    "resamples": (CI, ("--resamples", "31")),
    "level": (CI, ("--level", "0.9")),
    "method": (CI, ("--ci-method", "bca")),
    "unit": (CI, ("--unit", "subtopic")),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cdec: Run) -> Path:
    """A folder with a corpus and every kind of input file, the working directory."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(sample_path(), tmp_path / "corpus")
    written("my.toml", SPLIT.format("false", '"4-6"'))(tmp_path)
    written("delta.toml", 'system = "lemma-delta"\ndelta = 0.3\n')(tmp_path)
    about = {"corpus": "corpus", "digest": open_source(tmp_path / "corpus").digest}
    groups = {"merge": [], "move": [["4_1ecb/1"]]}
    patch = {"format": "cdec-key-patch/1", "about": about, **groups}
    written("patch.json", json.dumps(patch))(tmp_path)
    part = ("--corpus", "corpus", "--split", "my.toml/test", "-q")
    assert cdec("predict", "--system", "lemma", *part, "-o", "mine.jsonl").code == 0
    assert cdec("corpus", "export", *part, "-o", "key.jsonl").code == 0
    lines = (tmp_path / "mine.jsonl").read_text().splitlines(keepends=True)
    other = json.loads(lines[0]) | {"chain": "another"}
    written("twice.jsonl", "".join([*lines, json.dumps(other) + "\n"]))(tmp_path)
    return tmp_path


def result(cdec: Run, call: Sequence[str]) -> tuple[Any, Any]:
    """Return the signatures and the rows of a call."""
    ran = cdec(*call, "-q", "--format", "json")
    assert ran.code == 0, ran.err
    content = json.loads(ran.out)
    return (content["signature"], content["signatures"]), content["rows"]


@pytest.mark.parametrize("name", FILES)
def test_a_changed_file_changes_the_signature_or_nothing(
    name: str, folder: Path, cdec: Run
) -> None:
    call, change = FILES[name]
    signed, rows = result(cdec, call)
    assert result(cdec, call) == (signed, rows)
    change(folder)
    signed_then, rows_then = result(cdec, call)
    assert signed_then[0] != signed[0] or rows_then == rows
    assert signed_then[1] != signed[1] or rows_then == rows


@pytest.mark.parametrize("name", OPTIONS)
def test_a_changed_option_changes_the_signature_or_nothing(
    name: str, folder: Path, cdec: Run
) -> None:
    call, option = OPTIONS[name]
    before = [item for pair in _pairs(call) if pair[0] != option[0] for item in pair]
    signed, rows = result(cdec, call)
    signed_then, rows_then = result(cdec, (*before, *option))
    assert signed_then[0] != signed[0] or rows_then == rows


def test_the_list_of_reviewed_sentences_is_signed(folder: Path, cdec: Run) -> None:
    written("my.toml", SPLIT.format("true", '"4-6"'))(folder)
    signed, rows = result(cdec, LEMMA)
    without_lines(LIST, 30)(folder)
    signed_then, rows_then = result(cdec, LEMMA)
    assert rows_then == rows or signed_then != signed
    text = (folder / LIST).read_text().splitlines(keepends=True)
    kept = [line for line in text if not line.startswith("4,")]
    (folder / LIST).write_text("".join(kept))
    signed_then, rows_then = result(cdec, LEMMA)
    assert rows_then != rows
    assert signed_then[0] != signed[0]


def test_a_split_with_the_name_of_a_shipped_one_is_told_apart(folder: Path, cdec: Run) -> None:
    written("sample.toml", SPLIT.format("false", '"4-6"'))(folder)
    shipped = ("eval", "--corpus", "corpus", "--setting", "pure", "--system", "lemma", "--split")
    own, rows = result(cdec, (*shipped, "sample.toml/test"))
    signed, same = result(cdec, (*shipped, "sample/test"))
    assert rows == [{**row, "corpus": mine["corpus"]} for row, mine in zip(same, rows, strict=True)]
    assert own[0] != signed[0]


def _pairs(call: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the arguments of a call, each option with its value."""
    items, pairs = list(call), []
    while items:
        size = 2 if items[0].startswith("--") and items[0] != "--ci" else 1
        pairs.append(tuple(items[:size]))
        items = items[size:]
    return pairs

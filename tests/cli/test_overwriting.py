"""A command does not write to a file that it reads, nor twice to one file."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from cdec.corpus import open_source, pack, sample_path
from tests.cli.conftest import Run
from tests.faults.inputs import PATCH

KEY = '{"mention": "d/1", "doc": "d", "start": 1, "end": 1, "chain": "a"}\n'
MODEL, SPLIT = "any bytes", '[topics]\ntrain = ["1"]\ndev = ["2"]\ntest = ["5"]\n'
FILES = {
    "key.jsonl": KEY,
    "mine": KEY,
    "s.json": "{}",
    "patch.json": json.dumps(PATCH),
    "cases.jsonl": "{}",
    "best.toml": "",
    "my.toml": SPLIT,
    "m.model": MODEL,
}
READ = {
    "score key.jsonl mine -o key.jsonl": "key.jsonl",
    "score key.jsonl mine -f json -o mine": "mine",
    "score key.jsonl name=mine -o mine": "mine",
    "score key.jsonl mine -o ./link": "link",
    "explain key.jsonl mine -m muc -o mine": "mine",
    "report s.json -o s.json": "s.json",
    "report s.json -r mine.json -o mine.json": "mine.json",
    "compare lemma name=mine -o mine": "mine",
    "diagnose mine -o mine": "mine",
    "eval -r mine -o mine": "mine",
    "eval --key-patch patch.json -o patch.json": "patch.json",
    "eval --corpus ./c.zip -o c.zip": "c.zip",
    "eval --model m.model -o m.model": "m.model",
    "corpus export -s pure -r mine -o mine": "mine",
    "reproduce table2 --response mine -o mine": "mine",
    "reproduce table2 --response mine.svg --chart mine.svg": "mine.svg",
    "tune lemma-delta --split my.toml/dev -o my.toml": "my.toml",
    "audit apply patch.json": "patch.json",
    "audit report patch.json -o patch.json": "patch.json",
    "audit review cases.jsonl -o review.html": "review.html",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    for name in ("mine.svg", "mine.json"):
        shutil.copy(tmp_path / "mine", tmp_path / name)
    (tmp_path / "c.zip").write_bytes(pack(open_source(sample_path())))
    (tmp_path / "link").symlink_to("key.jsonl")
    os.link(tmp_path / "cases.jsonl", tmp_path / "review.html")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("call", READ)
def test_what_is_read_is_not_written(call: str, cdec: Run, folder: Path) -> None:
    path = folder / READ[call]
    before = path.read_bytes()
    ran = cdec(*call.split())
    assert (ran.code, ran.error) == (2, "output-is-input"), ran.err
    assert f" {READ[call]}: --" in ran.err or f'"place": "{READ[call]}"' in ran.err
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "call",
    [
        "reproduce table2 --chart r.svg -o r.svg",
        "reproduce table2 --chart r.svg -o ./r.svg",
        "tune lemma-delta --plot r.toml -o r.toml",
    ],
)
def test_two_outputs_are_two_files(call: str, cdec: Run, folder: Path) -> None:
    ran = cdec(*call.split())
    assert ran.error == "output-is-input", ran.err
    assert not list(folder.glob("r.*"))


@pytest.mark.parametrize(
    "call",
    [
        "eval -q --corpus sample -s pure --system lemma -f json -o lemma",
        "diagnose lemma -q -f json -o lemma",
    ],
)
def test_a_name_is_no_file(call: str, cdec: Run, folder: Path) -> None:
    for _ in range(2):  # the second run overwrites what the first wrote
        ran = cdec(*call.split())
        assert ran.code == 0, ran.err
    assert json.loads((folder / "lemma").read_text())


def test_devices_can_be_both(cdec: Run) -> None:
    assert cdec("score", "key.jsonl", "mine", "-o", "/dev/null").code == 0
    assert cdec("score", "/dev/null", "mine", "-o", "/dev/null").error == "file-empty"

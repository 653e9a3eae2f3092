"""A metric of another package on the command line, from ``eval`` to ``compare``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugin_packages import install

SAMPLE = ("--corpus", "sample", "--quiet", "--setting", "simple")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    install(tmp_path)
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cdec", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_scored_with_intervals_and_compared(folder: Path) -> None:
    options = ("--metric", "min", "--metric", "muc", "--metric", "b3", *SAMPLE)
    drawn = ("--resamples", "20", "--unit", "subtopic")
    done = run(folder, "eval", "--system", "lemma", "--ci", *options, *drawn, "-f", "json")
    assert done.returncode == 0, done.stderr
    f1 = {row["metric"]: row["f1"] for row in json.loads(done.stdout)["rows"]}
    assert list(f1) == ["muc", "b3", "min"]
    assert f1["min"] == min(f1["muc"], f1["b3"])
    done = run(folder, "compare", "lemma", "lemma-delta", *options, *drawn, "-f", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["signatures"][0]["plugins"] == "extra-1.2"


def test_explained_and_read_again(folder: Path) -> None:
    only = ("--system", "lemma", "--metric", "best", *SAMPLE)
    done = run(folder, "explain", *only, "--document", "4_1ecb")
    assert done.returncode == 0, done.stderr
    assert "exact, b3" in done.stdout
    assert run(folder, "eval", *only, "-f", "json", "-o", "saved.json").returncode == 0
    done = run(folder, "report", "saved.json", "-o", "page.html")
    assert done.returncode == 0, done.stderr
    assert "Best" in (folder / "page.html").read_text("utf-8")


def test_other_tables_do_not_change(folder: Path) -> None:
    done = run(folder, "eval", "--system", "lemma", *SAMPLE, "-f", "json")
    assert "exact" not in done.stdout
    done = run(folder, "eval", "--system", "lemma", "--metric", "number", *SAMPLE, "-v")
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[plugin-invalid]: " in done.stderr
    assert "extra-1.2" in done.stderr

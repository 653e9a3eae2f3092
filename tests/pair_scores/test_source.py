"""Scored pairs as a response: ``pairs:FILE@THRESHOLD/CLUSTERING``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cdec as package
from cdec.errors import CdecWarning
from cdec.evaluation import (
    MentionPairs,
    ResponseFile,
    run_on,
)
from cdec.pair_scores.clusterings import Linking
from cdec.pair_scores.source import ScoredPairs
from cdec.pair_scores.tuning import linking
from tests.cli.conftest import Run
from tests.pair_scores.test_clusterings import IDS, SAMPLE, listed, scores
from tests.refusals import refused


def test_a_threshold_is_a_finite_number(cdec: Run, tmp_path: Path) -> None:
    path = scores(tmp_path / "s.csv", f"{IDS[0]},{IDS[1]},.9", f"{IDS[0]},{IDS[2]},.3")
    for value in ("nan", "inf", "-inf"):
        done = cdec("pairs", path, "--corpus", "sample", "--threshold", value, "-f", "json", "-v")
        assert done.code == 2
        assert "parameter-invalid" in done.err
        with refused("parameter-invalid", value):
            package.score_pairs(SAMPLE, path, threshold=float(value))
        with refused("option-invalid", value):
            ScoredPairs.parse(f"{path}@{value}")
    single: Any = np.float32(0.5)
    assert linking(listed({(0, 1): 0.9}), single, None) == Linking(0.5)
    with refused("argument-type", "0.5"):
        package.score_pairs(SAMPLE, path, threshold="0.5")


def test_the_source_that_a_text_names(tmp_path: Path) -> None:
    at = scores(tmp_path / "with@0.5", f"{IDS[0]},{IDS[1]},1")
    for text, expected in {
        "a/b.csv": ("b", "a/b.csv", None, "closure"),
        "b.csv@": ("b", "b.csv", None, "closure"),
        "a/b.csv@.25": ("b", "a/b.csv", 0.25, "closure"),
        "b.csv@-1/complete": ("b", "b.csv", -1.0, "complete"),
        "b.csv@/average": ("b", "b.csv", None, "average"),
        str(at): ("with@0", str(at), None, "closure"),
    }.items():
        source = ScoredPairs.parse(text)
        assert (source.name, source.path, source.threshold, source.clustering) == expected
    with refused("option-invalid"):
        ScoredPairs.parse("b.csv@high")
    with refused("name-unknown"):
        ScoredPairs.parse("b.csv@0.5/averge")


def test_holes_keep_their_warning(tmp_path: Path) -> None:
    a, b, c = IDS[:3]
    path = scores(tmp_path / "s.csv", f"{a},{b},.9", f"{a},{c},")
    with pytest.warns(CdecWarning, match="1 pair has no score"):
        results = package.evaluate(SAMPLE, {"mine": f"pairs:{path}"}, metrics="conll")
    fields = results.signature.fields
    assert fields["system"] == "mine"
    assert fields["threshold"] == 0.5
    assert fields["pairs"] == MentionPairs.read(str(path), SAMPLE).digest  # type: ignore[union-attr]
    chains = run_on(SAMPLE, f"pairs:{path}").response.labels
    assert chains[a] == chains[b] != chains[c]


def test_what_is_not_a_response(tmp_path: Path) -> None:
    a, b = IDS[:2]
    (tmp_path / "s.csv").write_text(f"a,b\n{a},{b}\n", "utf-8")
    with refused("table-invalid", place="s.csv"):
        run_on(SAMPLE, f"pairs:{tmp_path / 's.csv'}")
    with refused("file-unreadable"):
        run_on(SAMPLE, f"pairs:{tmp_path / 'no.csv'}@0.5")
    with refused("option-invalid"):
        ResponseFile.parse(f"pairs:{tmp_path / 's.csv'}")


def test_the_commands(cdec: Run, tmp_path: Path) -> None:
    a, b, c = IDS[:3]
    path = scores(tmp_path / "s.csv", f"{a},{b},.9", f"{a},{c},.3")
    end = ("--corpus", "sample", "-s", "simple")
    first = cdec("eval", f"mine=pairs:{path}@0.5/average", *end, "-f", "csv")
    again = cdec("eval", "--pairs", f"mine={path}@0.5/average", *end, "-f", "csv")
    assert first.code == 0, first.err
    assert first.out == again.out
    assert cdec("compare", f"pairs:{path}", "lemma", *end, "--resamples", "20").code == 0
    assert cdec("diagnose", f"pairs:{path}@0.2", "--corpus", "sample").code == 0
    assert cdec("compare", "lemma", "--pairs", path, *end, "--resamples", "20").code == 0
    shown = [
        cdec("diagnose", *named, "--corpus", "sample").out
        for named in ((f"mine=pairs:{path}@0.2",), ("--pairs", f"mine={path}@0.2"))
    ]
    assert shown[0] == shown[1] != ""
    assert cdec("diagnose", "--corpus", "sample").error == "argument-missing"
    lost = cdec("eval", f"pairs:{path}", *end, "-o", path)
    assert lost.code == 2
    assert path.read_text("utf-8").startswith("a,b,score\n")


def test_report_and_a_leaderboard_take_pairs(cdec: Run, tmp_path: Path) -> None:
    a, b, c = IDS[:3]
    path = scores(tmp_path / "s.csv", f"{a},{b},.9", f"{a},{c},.3")
    saved, html = tmp_path / "scores.json", tmp_path / "report.html"
    call = ("--corpus", "sample")
    assert cdec("eval", "--pairs", f"mine={path}", *call, "-f", "json", "-o", saved).code == 0
    pages = []
    for named in (("-r", f"mine=pairs:{path}"), ("--pairs", f"mine={path}")):
        done = cdec("report", saved, *named, *call, "-o", html)
        assert done.code == 0, done.err
        pages.append(html.read_text("utf-8"))
    assert pages[0] == pages[1]
    assert "Links" in pages[0]
    other = cdec("report", saved, "--pairs", f"mine={path}@0.2", *call, "-o", html)
    assert "are not those of the given response" in other.err
    board = tmp_path / "board"
    board.mkdir()
    task = '[[tasks]]\nname = "sample"\ntitle = "T"\ncorpus = "sample"\nsplit = "test"\n'
    text = f'format = "cdec-leaderboard/1"\ntitle = "Ours"\n{task}'
    (board / "leaderboard.toml").write_text(text, "utf-8")
    end = ("--name", "mine", "--task", "sample", "--folder", board)
    added = cdec("leaderboard", "add", f"pairs:{path}@0.5", *end)
    assert added.code == 0, added.err
    assert 'pairs = "0.5"' in (board / "systems" / "mine.toml").read_text("utf-8")


def test_a_response_of_pairs_does_not_import_scikit_learn(tmp_path: Path) -> None:
    path = scores(tmp_path / "s.csv", f"{IDS[0]},{IDS[1]},.9")
    code = (
        "import sys, cdec\n"
        f"cdec.evaluate(cdec.load_corpus('sample', 'test'), 'pairs:{path}', metrics='muc')\n"
        "print('sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"

"""A board in a folder: what is added, refused, and shown, with scores checked by hand."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.program import Ran, Run

BOARD = """format = "cdec-leaderboard/1"
title = "Made"
[[tasks]]
name = "sample"
title = "The test part"
corpus = "sample"
split = "test"
[[tasks]]
name = "dev"
title = "The dev part"
corpus = "sample"
split = "dev"
"""
SETTINGS = ("simple", "pure", "bh", "st", "is", "ycf")
Board = Callable[..., Ran]


@pytest.fixture
def board(cdec: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Board:
    """Return a function that runs a command of a new board; beside it are responses."""
    monkeypatch.chdir(tmp_path)
    Path("board").mkdir()
    Path("board/leaderboard.toml").write_text(BOARD, "utf-8")
    for name in ("lemma", "lemma-wd"):
        for part, file in (("test", name), ("dev", f"{name}-dev")):
            call = ("predict", "--system", name, "--split", part, "-o", f"{file}.conll")
            assert cdec(*call).exit == 0

    def run(command: str, *more: object) -> Ran:
        return cdec("leaderboard", *command.split(), *more, "--folder", "board")

    return run


def saved(task: str, name: str) -> dict[tuple[str, str], float]:
    """Return setting, metric → F1 in the saved results, of several runs the mean."""
    rows = json.loads(Path(f"board/results/{task}/{name}.json").read_text("utf-8"))["rows"]
    return {(row["setting"], row["metric"]): row["f1"] for row in rows}


def test_the_saved_scores_are_those_of_eval(board: Board, cdec: Run) -> None:
    for task, end in (("sample", ""), ("dev", "-dev")):
        assert board(f"add lemma{end}.conll --name one --task {task}").exit == 0
    assert board("score -j 1").exit == 0
    for task, end in (("sample", ""), ("dev", "-dev")):
        call = f"eval lemma{end}.conll -s all --metric conll --metric lea -f json"
        rows = cdec(call).json["rows"]
        expected = {(row["setting"], row["metric"]): row["f1"] for row in rows}
        assert {key: saved(task, "one")[key] for key in expected} == expected
    shown = board("show --task sample -f json").json["rows"]
    values = {row["setting"]: row["f1"] for row in shown}
    assert values == {name: saved("sample", "one")[name, "conll"] for name in SETTINGS}


def test_runs_are_shown_as_mean_and_standard_deviation(board: Board, cdec: Run) -> None:
    assert board("add lemma.conll lemma-wd.conll --name two --task sample").exit == 0
    assert board("score -j 1").exit == 0
    f1 = [
        cdec(f"eval {name}.conll -s pure --metric conll -f json").json["rows"][0]["f1"]
        for name in ("lemma", "lemma-wd")
    ]
    mean, deviation = sum(f1) / 2, abs(f1[0] - f1[1]) / math.sqrt(2)
    assert saved("sample", "two")["pure", "conll"] == pytest.approx(mean)
    assert f"{100 * mean:.1f} ± {100 * deviation:.1f}" in board("show --task sample").out


def test_responses_to_a_task_are_replaced_by_new_ones(board: Board) -> None:
    board("add lemma.conll lemma-wd.conll --name one --task sample")
    board("add lemma-dev.conll --name one --task dev")
    system = Path("board/systems/one.toml")
    assert system.read_text("utf-8").count("[[responses]]") == 3
    assert board("add lemma-wd.conll --name one --task sample").exit == 0
    assert system.read_text("utf-8").count("[[responses]]") == 2


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("add lemma.conll --name One --task sample", "file-invalid"),
        ("add lemma.conll --name ../one --task sample", "file-invalid"),
        ("add lemma.conll --name one --task nope", "name-unknown"),
        ("add none.conll --name one --task sample", "file-unreadable"),
        ("show nobody --task sample", "name-unknown"),
        ("show --task sample --metric nope", "name-unknown"),
        ("show --task sample --column nope", "name-unknown"),
        ("score nobody", "name-unknown"),
    ],
)
def test_a_wrong_call_is_refused(board: Board, call: str, code: str) -> None:
    assert board("add lemma.conll --name mine --task sample").exit == 0
    assert board("score -j 1").exit == 0
    before = sorted(Path("board").rglob("*"))
    ran = board(call)
    assert (ran.exit != 0, ran.error) == (True, code), ran.err
    assert sorted(Path("board").rglob("*")) == before


@pytest.mark.parametrize(
    "meta",
    ["modle = 'x'", "year = 'y'", "[uses]\ntopics = 'guess'", "[[published]]\ntask = 'sample'",
     "[[published]]\ntask = 'sample'\nf1 = 52\nsource = 'x'", "title = 1"],
)  # fmt: skip
def test_a_wrong_description_is_refused(board: Board, meta: str) -> None:
    Path("meta.toml").write_text(meta, "utf-8")
    ran = board("add lemma.conll --name one --task sample --meta meta.toml")
    assert (ran.exit, ran.error) == (1, "file-invalid"), ran.err
    assert "meta.toml" in ran.said
    assert not Path("board/systems/one.toml").exists()


def test_an_unknown_field_of_the_board_or_a_system_is_refused(board: Board) -> None:
    board("add lemma.conll --name one --task sample")
    for path in (Path("board/leaderboard.toml"), Path("board/systems/one.toml")):
        text = path.read_text("utf-8")
        path.write_text(f"bogus = 1\n{text}", "utf-8")
        for command in ("score", "show"):
            ran = board(command)
            assert (ran.exit, ran.error) == (1, "file-invalid"), ran.err
            assert path.name in ran.said
        path.write_text(text, "utf-8")
    assert board("score -j 1").exit == 0


def test_a_changed_or_missing_response_is_refused(board: Board) -> None:
    board("add lemma.conll --name one --task sample")
    copy = Path("board/responses/one/sample/lemma.conll")
    assert copy.read_bytes() == Path("lemma.conll").read_bytes()
    shutil.copy("lemma-wd.conll", copy)
    assert board("score").error == "input-mismatch"
    copy.unlink()
    assert board("score").error == "argument-missing"


def test_a_response_that_is_not_copied_is_scored_from_its_folder(board: Board) -> None:
    board("add lemma.conll --name one --task sample --no-copy")
    assert not list(Path("board").rglob("*.conll"))
    assert board("score").error == "argument-missing"
    assert board("score --responses . -j 1").exit == 0
    shutil.copy("lemma-wd.conll", "lemma.conll")
    assert board("score --responses .").error == "input-mismatch"


def test_check_needs_every_result_and_no_other(board: Board) -> None:
    board("add lemma.conll --name one --task sample")
    assert board("score --check -j 1").exit == 1
    assert board("score -j 1").exit == 0
    assert board("score --check -j 1").exit == 0
    shutil.copy("board/results/sample/one.json", "board/results/sample/two.json")
    assert board("score --check -j 1").exit == 1


def test_the_site_asks_nothing_of_others(board: Board, cdec: Run) -> None:
    board("add lemma.conll --name one --task sample")
    board("score -j 1")
    assert cdec("leaderboard", "site", "board", "-o", "site").exit == 0
    pages = list(Path("site").rglob("*.html"))
    assert len(pages) > 2
    for page in pages:
        text = page.read_text("utf-8")
        assert "Content-Security-Policy" in text
        assert 'src="http' not in text and "<script>" not in text and "@import" not in text
    first = {path: path.read_bytes() for path in Path("site").rglob("*") if path.is_file()}
    assert cdec("leaderboard", "site", "board", "-o", "again").exit == 0
    assert {path: Path("again", path.relative_to("site")).read_bytes() for path in first} == first
    Path("other").mkdir()
    Path("other/mine.txt").write_text("x")
    assert cdec("leaderboard", "site", "board", "-o", "other").exit != 0
    assert [path.name for path in Path("other").iterdir()] == ["mine.txt"]

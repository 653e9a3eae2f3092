"""A board in a folder: what is added, refused, and shown, with scores checked by hand."""

from __future__ import annotations

import csv
import io
import json
import math
import re
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
    with Path("board/results.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if (row["task"], row["system"]) == (task, name)]
    return {(row["setting"], row["metric"]): float(row["f1"]) for row in rows}


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


def test_runs_in_folders_of_their_own_may_have_one_name(board: Board) -> None:
    for number, run in enumerate(("lemma", "lemma-wd")):
        Path(f"seed{number}").mkdir()
        Path(f"{run}.conll").rename(f"seed{number}/out.conll")
    assert board("add seed0/out.conll seed1/out.conll --name two --task sample").exit == 0
    assert len({*Path("board/responses/two/sample").iterdir()}) == 2
    assert board("score -j 1").exit == 0


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("add lemma.conll --name One --task sample", "file-invalid"),
        ("add lemma.conll --name ../one --task sample", "file-invalid"),
        ("add lemma.conll --name one --task nope", "name-unknown"),
        ("add none.conll --name one --task sample", "file-unreadable"),
        ("show nobody --task sample", "name-unknown"),
        ("show --task sample --metric nope", "name-unknown"),
        ("score nobody", "name-unknown"),
        ("score mine --corpus nowhere=board", "name-unknown"),
    ],
)
def test_a_wrong_call_is_refused(board: Board, call: str, code: str) -> None:
    assert board("add lemma.conll --name mine --task sample").exit == 0
    assert board("score -j 1").exit == 0
    before = sorted(Path("board").rglob("*"))
    ran = board(call)
    assert (ran.exit != 0, ran.error) == (True, code), ran.err
    assert sorted(Path("board").rglob("*")) == before


def test_a_response_to_another_part_or_corpus_is_refused_when_it_is_added(board: Board) -> None:
    Path("other.jsonl").write_text('{"doc": "x", "start": 0, "end": 0, "chain": "1"}\n', "utf-8")
    Path("pairs.csv").write_text("a,b,score\nx/0-0,x/1-1,0.9\n", "utf-8")
    before = sorted(Path("board").rglob("*"))
    for file in ("lemma-dev.conll", "other.jsonl", "pairs:pairs.csv@0.5"):
        ran = board(f"add {file} --name one --task sample")
        assert ran.exit == 1, ran.out
        assert ran.error in ("mentions-disjoint", "mention-unknown"), ran.err
    assert sorted(Path("board").rglob("*")) == before
    assert board("add lemma.conll --name one --task sample").exit == 0


def test_a_site_is_a_folder(board: Board, cdec: Run) -> None:
    ran = cdec("leaderboard", "site", "board", "-o", "/dev/full")
    assert (ran.exit, ran.error) == (1, "file-unwritable")
    assert "space" not in ran.err
    assert "folder" in ran.err


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
    table = Path("board/results.csv")
    text = table.read_text("utf-8")
    head, *rows = text.splitlines(keepends=True)
    table.write_text("".join([head, *rows, *(r.replace(",one,", ",two,") for r in rows)]), "utf-8")
    assert board("score --check -j 1").exit == 1
    assert board("score -j 1").exit == 0
    assert table.read_text("utf-8") == text


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


def test_every_change_of_a_result_is_found_or_has_no_effect(board: Board, cdec: Run) -> None:
    board("add lemma-wd-dev.conll --name two --task dev")
    board("add lemma.conll lemma-wd.conll --name one --task sample")
    assert board("score -j 1").exit == 0
    assert cdec("leaderboard", "site", "board", "-o", "site").exit == 0
    table = Path("board/results.csv")
    text = table.read_text("utf-8")
    lines = list(csv.reader(text.splitlines()))
    head = lines[0]
    signature = head.index("signature")

    def found(rows: list[list[str]]) -> bool:
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows(rows)
        table.write_text(written.getvalue(), "utf-8")
        return board("score two --check -j 1").exit == 1

    def with_one(row: int, column: int, value: str) -> list[list[str]]:
        return [
            [*each[:column], value, *each[column + 1 :]] if n == row else each
            for n, each in enumerate(lines)
        ]

    # The rows of two come last.
    of_two = [n for n, row in enumerate(lines) if row[:2] == ["dev", "two"]]
    for column, name in enumerate(head):
        full = [n for n in of_two if lines[n][column]]
        for number in full[:1] or of_two[:1]:
            for new in ("0.123", "") if full else ("0.123",):
                assert found(with_one(number, column, new)), (name, new)
        assert found([[*row[:column], *row[column + 1 :]] for row in lines]), name
    assert found([[*row, "0.9" if n else "f1_low"] for n, row in enumerate(lines)])
    assert found([*lines, lines[-1]])
    assert found(lines[:-1])
    assert found([*lines[: of_two[0]], *lines[: of_two[0] - 1 : -1]])
    fields = json.loads(lines[of_two[0]][signature])
    for field in fields:
        changed = json.dumps({**fields, field: "x y"})
        assert found(with_one(of_two[0], signature, changed)), field
    changed = json.dumps({**fields, "bogus": 1})
    assert found(with_one(of_two[0], signature, changed))
    assert board("score -j 1").exit == 0
    assert table.read_text("utf-8") == text


DECLARED = {
    "uses": {"topics": "predicted", "pairs": "none"},
    "trained_on": "nothing",
    "tuned_on": "nothing",
    "seed": 3,
    "model": "gpt-4",
    "calls": 12,
    "saw_test": "unknown",
    "cost": 1.5,
    "currency": "USD",
    "date": "2024-05-31",
}


def test_every_change_of_what_a_response_declares_is_found(board: Board) -> None:
    text = Path("lemma.conll").read_text("utf-8")
    Path("lemma.conll").write_text(f"# cdec: {json.dumps(DECLARED)}\n{text}", "utf-8")
    assert board("add lemma.conll --name one --task sample").exit == 0
    assert board("score -j 1").exit == 0
    assert board("score --check -j 1").exit == 0
    system = Path("board/systems/one.toml")
    lines = system.read_text("utf-8").splitlines()
    assert "copied = true" in lines
    free = ("format", "title", "family", "copied", "people")  # only the declaration has these
    seen = set()
    for number, line in enumerate(lines):
        name, _, value = line.partition(" = ")
        if not value or name in free:
            continue
        seen.add(name)
        others = {"date": "'2024-01-01'", "currency": "'EUR'", "saw_test": "'no'"}
        other = others.get(name, "7" if value[0].isdigit() else "'gold'")
        for new in (f"{name} = {other}", ""):
            changed = [*lines[:number], new, *lines[number + 1 :]]
            system.write_text("\n".join(changed), "utf-8")
            assert board("score --check -j 1").exit != 0, (line, new)
    assert seen >= {*DECLARED} - {"uses"} | {"topics", "pairs", "digest", "path", "task", "name"}


@pytest.mark.parametrize("other", ["file", "chains"])
def test_a_response_that_another_system_has_is_found(board: Board, other: str) -> None:
    assert board("add lemma.conll --name one --task sample").exit == 0
    lines = Path("lemma.conll").read_text("utf-8").splitlines(keepends=True)
    if other == "chains":  # with other labels
        label = re.compile(r"(?<=[(|\t ])(\d+)(?=[)|\n(])")
        lines = [line if line.startswith("#") else label.sub(r"9\1", line) for line in lines]
    Path("copy.conll").write_text("".join(lines), "utf-8")
    assert board("add copy.conll --name mine --task sample").exit == 0
    assert board("score -j 1").exit == 0
    assert board("score --check -j 1").error == "check-failed"

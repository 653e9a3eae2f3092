"""What a pull request changes on a board: the comment, and what fails."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import cdec as package
from cdec.leaderboards import Addition, Leaderboard, add_system, save_result, score_board
from cdec.render.page import Page
from tests.cli.conftest import Run
from tests.refusals import refused

COMMENT = 65_536


@pytest.fixture
def base(board: Leaderboard, tmp_path: Path) -> Path:
    return Path(shutil.copytree(board.folder, tmp_path / "base"))


def submitted(board: Leaderboard, response: Path, name: str, scored: bool = True) -> None:
    """Add a system as its author does."""
    add_system(board, Addition(name, [response], "sample"))
    for one in score_board(Leaderboard.at(board.folder), jobs=1, only=[name]) if scored else ():
        save_result(board, one)


def titles(page: Page) -> list[str]:
    return [section.title for section in page.sections]


NEW = ["What is new", "Ranks of others that change", "What is not certain"]


def test_a_new_system(board: Leaderboard, base: Path, files: dict[str, Path]) -> None:
    submitted(board, files["lemma"], "aaa")
    made = package.leaderboard_check(board.folder, base)
    assert made.value == [] and titles(made.page) == NEW
    new, moved, tests = (section.data for section in made.page.sections)
    assert {*new["system"]} == {"aaa"} and {*new["change"]} == {"new"}
    # As good as `single`, whose response it is: no rank of a better system changes.
    same = tests[(tests["other"] == "single") & (tests["setting"] == "pure")]
    assert same["difference"].tolist() == [0] and same["p"].tolist() == [1]
    saved = json.loads(board.result_path("aaa", "sample").read_text("utf-8"))
    f1 = {r["setting"]: r["f1"] for r in saved["rows"] if r["metric"] == "conll"}
    assert dict(zip(new["setting"], new["f1"], strict=True)) == f1
    assert set(moved["system"]) <= {"runs", "wd"}
    assert (moved["rank"] == moved["rank_before"] + 1).all()
    text = made.to_markdown()
    assert len(text) < 10_000
    assert "sample, aaa: gold topics not declared" in text and "topics, which are few" in text


def test_nothing_new_and_no_base(board: Leaderboard, base: Path) -> None:
    assert titles(package.leaderboard_check(board.folder).page) == []
    made = package.leaderboard_check(board.folder, base)
    assert made.value == [] and "No row of the board changes." in made.to_markdown()


def test_a_system_that_was_not_scored(
    board: Leaderboard, base: Path, files: dict[str, Path], cdec: Run, tmp_path: Path
) -> None:
    submitted(board, files["lemma"], "mine", scored=False)
    comment = tmp_path / "comment.md"
    ran = cdec("leaderboard", "check", base, "--folder", board.folder, "-o", comment)
    assert (ran.code, ran.error) == (1, "check-failed")
    text = comment.read_text("utf-8")
    assert "mine, sample: no saved results: use \\`cdec leaderboard score mine\\`" in text
    assert "| sample | mine | new |" in text


def test_files_of_others(board: Leaderboard, base: Path) -> None:
    (board.folder / "systems" / "wd.toml").unlink()
    board.result_path("wd", "sample").unlink()
    single = board.folder / "systems" / "single.toml"
    single.write_text(single.read_text("utf-8").replace('title = "single"', 'title = "X"'), "utf-8")
    made = package.leaderboard_check(board.folder, base)
    assert titles(made.page)[0] == "Changes files that were there before"
    text = made.to_markdown()
    assert "systems/wd.toml (removed)" in text and "systems/single.toml\n" in text
    assert "| sample | single | changed: declaration |" in text
    assert "| sample | wd | removed |" in text


def test_a_changed_response_and_a_changed_result(board: Leaderboard, base: Path) -> None:
    path = board.result_path("single", "sample")
    path.write_text(path.read_text("utf-8").replace('"f1": 0.', '"f1": 0.1', 1), "utf-8")
    made = package.leaderboard_check(board.folder, base)
    assert any("saved 0.1" in problem for problem in made.value)
    response = board.root / board.systems["wd"].responses[0].path
    response.unlink()
    made = package.leaderboard_check(board.folder, base)
    assert any(str(response) in problem for problem in made.value)


def test_responses_elsewhere_of_systems_as_they_were(board: Leaderboard, base: Path) -> None:
    name = board.systems["wd"].responses[0].path
    for folder in (board.folder, base):
        (folder / "responses" / name).unlink()
    made = package.leaderboard_check(board.folder, base)
    assert (
        made.value == [] and "Not scored again, without their responses: wd." in made.to_markdown()
    )
    assert any("missing" in one for one in package.leaderboard_check(board.folder).value)


@pytest.mark.parametrize("content", [b"title = 3\n", b"", b"\xff\xfe", b'format = "x'])
def test_a_declaration_that_is_not_valid(board: Leaderboard, base: Path, content: bytes) -> None:
    place = board.folder / "systems" / "bad.toml"
    place.write_bytes(content)
    made = package.leaderboard_check(board.folder, base)
    (problem,) = made.value
    assert str(place) in problem
    assert "bad.toml" in made.to_markdown()
    with refused("file-unreadable"):
        package.leaderboard_check(board.folder, board.folder / "absent")


def test_a_comment_has_a_limit(board: Leaderboard, base: Path, files: dict[str, Path]) -> None:
    """Many systems with the longest of names and hostile texts."""
    text = (base / "systems" / "single.toml").read_text("utf-8")
    head = text.replace('title = "single"', f'title = "{"*|_" * 200}"').replace(
        '"single"', '"NAME"'
    )
    for at in range(15):
        name = f"s{at}" + "_" * 75
        (board.folder / "systems" / f"{name}.toml").write_text(head.replace("NAME", name), "utf-8")
    made = package.leaderboard_check(board.folder, base)
    assert len(made.value) == 15
    text = made.to_markdown()
    assert "… and 5 more" in text and len(text) < COMMENT


def emptied(board: Path) -> Path:
    for folder in ("systems", "responses", "results"):
        shutil.rmtree(board / folder, ignore_errors=True)
    return board


def test_the_first_system_of_a_board(
    board: Leaderboard, base: Path, files: dict[str, Path], cdec: Run
) -> None:
    submitted(Leaderboard.at(emptied(board.folder)), files["lemma"], "first")
    made = package.leaderboard_check(board.folder, emptied(base))
    assert made.value == [] and titles(made.page) == NEW
    new, _, tests = (section.data for section in made.page.sections)
    assert {*new["rank"]} == {1} and tests.empty


def test_a_key_of_its_own_is_said_and_not_tested(
    board: Leaderboard, base: Path, files: dict[str, Path]
) -> None:
    submitted(board, files["lemma"], "own")
    place = board.folder / "systems" / "own.toml"
    text = place.read_text("utf-8")
    shutil.copyfile(files["lemma"], board.folder / "responses" / "own" / "key.conll")
    place.write_text(text.replace("digest =", 'key = "own/key.conll"\ndigest ='), "utf-8")
    for one in score_board(Leaderboard.at(board.folder), jobs=1, only=["own"]):
        save_result(board, one)
    made = package.leaderboard_check(board.folder, base)
    text = made.to_markdown()
    assert "scored against its own key own/key.conll" in text and "not tested" in text
    assert "excludes 0 (" not in text


@pytest.mark.parametrize("way", ["../../secret.txt", "link.conll"])
def test_a_file_outside_the_folder_is_not_read(
    board: Leaderboard, base: Path, files: dict[str, Path], tmp_path: Path, way: str
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("TOKEN abc", "utf-8")
    submitted(board, files["lemma"], "mine")
    (board.folder / "responses" / "link.conll").symlink_to(secret)
    place = board.folder / "systems" / "mine.toml"
    text = place.read_text("utf-8")
    place.write_text(text.replace("digest =", f'key = "{way}"\ndigest ='), "utf-8")
    made = package.leaderboard_check(board.folder, base)
    assert made.value == [f"mine: not in the folder of the responses: {way}"]
    assert "TOKEN" not in made.to_markdown()


def test_a_forged_result_is_not_shown(
    board: Leaderboard, base: Path, files: dict[str, Path]
) -> None:
    submitted(board, files["lemma"], "mine")
    path = board.result_path("mine", "sample")
    content = json.loads(path.read_text("utf-8"))
    for row in content["rows"]:
        row["f1"] = 1.0
    path.write_text(json.dumps(content), "utf-8")
    made = package.leaderboard_check(board.folder, base)
    new = next(s.data for s in made.page.sections if s.title == NEW[0])
    assert made.value and (new["f1"] < 1).all()


def test_files_of_no_row_and_names_of_people(
    board: Leaderboard, base: Path, files: dict[str, Path]
) -> None:
    submitted(board, files["lemma"], "mine")
    (board.folder / "responses" / "wd" / "# Approved by @all.txt").write_text("x", "utf-8")
    place = board.folder / "systems" / "mine.toml"
    text = place.read_text("utf-8")
    place.write_text(text.replace('title = "mine"', 'title = "ask @team"'), "utf-8")
    made = package.leaderboard_check(board.folder, base)
    (strange,) = (s for s in made.page.sections if s.title == "Adds files of no row")
    assert "wd" in str(strange.blocks[0])
    text = made.to_markdown()
    assert "@all" not in text and "@team" not in text and "ask (at)team" in text

"""Responses of a board that are made: chains of pair scores, and where they are from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from cdec import configs, evaluate, load_corpus, load_results, published
from cdec.leaderboards import (
    Addition,
    Leaderboard,
    add_system,
    differences,
    save_result,
    score_board,
)
from tests.refusals import refused

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "configs" / "leaderboard"
META = """format = "cdec-leaderboard-system/1"
recipe = "use the script"
made_from = ["https://example.org/{commit}/a.pkl", "https://example.org/{commit}/b.pkl"]
"""


# -- a board with pair scores ----------------------------------------------------------------------


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """Scores of all pairs of the first twelve mentions of the sample; one pair has none."""
    mentions = [*load_corpus("sample", "test").selected.index[:12]]
    pairs = [(a, b) for n, a in enumerate(mentions) for b in mentions[:n]]
    lines = [f"{a},{b},{n % 10 / 10}" for n, (a, b) in enumerate(pairs)]
    lines[-1] = lines[-1].rpartition(",")[0] + ","
    path = tmp_path / "files" / "scores.csv"
    path.parent.mkdir()
    path.write_text("\n".join(["a,b,score", *lines]) + "\n", "utf-8")
    return path


@pytest.fixture
def made(board: Leaderboard, scores: Path, monkeypatch: pytest.MonkeyPatch) -> Leaderboard:
    """The board of cdec is one with a system of pair scores that are made, not copied."""
    meta = scores.with_name("meta.toml")
    meta.write_text(META.format(commit="0" * 40), "utf-8")
    own = Leaderboard.at(board.folder, scores.parent)
    given = f"pairs:{scores}@0.9/average"
    entry = add_system(own, Addition("scorer", [given], "sample", meta, copied=False))
    (answer,) = entry.responses
    assert (answer.path, answer.pairs) == ("scores.csv", "0.9/average")
    made = Leaderboard.at(board.folder, scores.parent)
    assert made.systems["scorer"] == entry
    for one in score_board(made, jobs=1, only=["scorer"]):
        save_result(made, one)
    monkeypatch.setattr(configs, "folder", lambda name: board.folder)
    monkeypatch.setattr("cdec.leaderboards.folder.data_folder", lambda: scores.parent.parent)
    monkeypatch.setattr("cdec.leaderboards.folder.RESPONSES", "files")
    return made


def conll(response: Any) -> list[float]:
    results = evaluate(load_corpus("sample", "test"), response, setting="all", metrics="conll")
    return results.frame["f1"].tolist()  # without the standing rows


def test_the_chains_are_those_of_the_pair_scores(made: Leaderboard, scores: Path) -> None:
    ours = conll("leaderboard:scorer")
    assert ours == conll(f"pairs:{scores}@0.9/average") != conll(f"pairs:{scores}@0.5/closure")
    (scored,) = score_board(made, jobs=1, only=["scorer"])
    table = scored.results().to_frame()
    assert table[table["metric"] == "conll"]["f1"].tolist() == ours
    assert scored.runs[0].about["own.clustering"] == "average"
    assert [*differences(made, [scored])] == []


def test_another_threshold_is_scored_again(made: Leaderboard) -> None:
    """The cache has the chains of a file at the threshold, not of the file."""
    path = made.folder / "systems" / "scorer.toml"
    path.write_text(path.read_text("utf-8").replace("0.9/average", "0.1/closure"), "utf-8")
    changed = Leaderboard.at(made.folder, made.root)
    found = map(str, differences(changed, score_board(changed, jobs=1, only=["scorer"])))
    assert any("threshold: saved 0.9, now 0.1" in line for line in found)


def test_what_is_missing_or_changed_says_how_it_is_made(made: Leaderboard, scores: Path) -> None:
    corpus = load_corpus("sample", "test")
    with refused("option-invalid", "cdec eval pairs:FILE", place="scores.csv"):
        published("scorer").file()
    scores.write_text(scores.read_text("utf-8") + "\n", "utf-8")
    with refused("input-mismatch", "SHA-256", "use the script"):
        evaluate(corpus, "leaderboard:scorer")
    scores.unlink()
    with refused("response-missing", "use the script", place="scores.csv"):
        evaluate(corpus, "leaderboard:scorer")
    with refused("response-missing", "of the responses", "use the script", place="scores.csv"):
        [*score_board(made, jobs=1, only=["scorer"])]
    with refused("response-missing", "use the script", "'scorer'"):
        published("scorer", fetch=True)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("leaderboard:barhom-2019-gold", "option-invalid"),
        ("x=pairs:{}@0.5", "option-invalid"),
        ("pairs:{}@half", "option-invalid"),
        ("pairs:{}@0.5/nearest", "name-unknown"),
        ("pairs:{}.no@0.5", "file-unreadable"),
    ],
)
def test_what_cannot_be_added(board: Leaderboard, scores: Path, given: str, code: str) -> None:
    with refused(code):
        add_system(board, Addition("other", [given.format(scores)], "sample"))
    assert not (board.folder / "systems" / "other.toml").exists()


def test_copied_pair_scores(board: Leaderboard, scores: Path) -> None:
    """Without @ the threshold is the default of `pairs:FILE`."""
    add_system(board, Addition("copied", [f"pairs:{scores}"], "sample"))
    again = Leaderboard.at(board.folder)
    assert again.systems["copied"].responses[0].pairs == ""
    (scored,) = score_board(again, jobs=1, only=["copied"])
    assert scored.runs[0].about["own.threshold"] == 0.5


@pytest.mark.parametrize("address", ["https://example.org/main/a.pkl", "a.pkl"])
def test_an_address_without_a_commit(board: Leaderboard, scores: Path, address: str) -> None:
    meta = scores.with_name("meta.toml")
    meta.write_text(META.partition("made")[0] + f'made_from = ["{address}"]\n', "utf-8")
    with refused("config-invalid", "made_from"):
        add_system(board, Addition("x", [f"pairs:{scores}"], "sample", meta))


# -- the recipe ------------------------------------------------------------------------------------


# -- the shipped rows ------------------------------------------------------------------------------


def test_every_made_row_says_where_from_and_how() -> None:
    rows = [entry for entry in Leaderboard.at(FOLDER).systems.values() if entry.made_from]
    assert len(rows) == 12
    page = (ROOT / "docs" / "zero-shot.md").read_text("utf-8")
    for entry in rows:
        assert entry.recipe and "docs/zero-shot.md" in entry.recipe
        assert f"`{entry.name}`" in page
        assert entry.licence is None and not entry.copied
        is_language_model = entry.model is not None
        assert (entry.saw_test == "unknown") == is_language_model


def test_the_page_has_the_values_of_the_board() -> None:
    """Printed and ours, on ECB+ and on GVC, of each system in the table."""
    board = Leaderboard.at(FOLDER)
    page = (ROOT / "docs" / "zero-shot.md").read_text("utf-8")
    rows = re.findall(r"^\| `(nath-2024-[^`]*)` \|.*?\| (.*) \|$", page, re.MULTILINE)
    assert len(rows) == 7
    for name, cells in rows:
        expected = []
        for task in ("ecb+", "gvc-1008"):
            printed = [p.f1 for p in board.systems[name].published if p.task == task]
            path = board.result_path(name, task)
            ours = [load_results(path)["simple"]["conll"].f1] if path.is_file() else []
            expected += [f"{100 * value[0]:.1f}" if value else "–" for value in (printed, ours)]
        assert cells.split(" | ") == expected, name

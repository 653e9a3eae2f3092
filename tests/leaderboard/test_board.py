"""A made leaderboard: results, changes that the check finds, page and study."""

from __future__ import annotations

import json
import shutil
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau

import cdec
from cdec import evaluate, load_corpus
from cdec.errors import CdecError
from cdec.evaluation import load_results
from cdec.leaderboards import (
    COMBINATIONS,
    Addition,
    Leaderboard,
    Run,
    Study,
    add_system,
    compare_orders,
    differences,
    results_text,
    save_result,
    saved_results,
    score_board,
    scored_run,
    study_page,
    table_page,
)
from cdec.leaderboards.board_page import board_page
from cdec.leaderboards.rows import BoardRow, published_fields
from cdec.leaderboards.study.tables import study
from cdec.render import render
from cdec.settings import SETTINGS
from cdec.statistics import Plan
from tests.leaderboard.conftest import BOARD
from tests.refusals import refused

PLAN = Plan(unit="topic", resamples=20)


def found(board: Leaderboard) -> list[str]:
    board = Leaderboard.at(board.folder)
    return [str(one) for one in differences(board, score_board(board, jobs=1))]


def test_the_scores_are_those_of_evaluate(board: Leaderboard, files: dict[str, Path]) -> None:
    corpus = load_corpus("sample", "test")
    ours = load_results(_path(board, "single"))
    theirs = evaluate(corpus, str(files["lemma"]), setting="all").to_frame()
    assert len(ours) == len(SETTINGS.own)
    for row in theirs.to_dict("records"):
        assert ours[row["setting"]][row["metric"]].f1 == pytest.approx(row["f1"], abs=1e-12)


def test_runs_are_pooled(board: Leaderboard) -> None:
    (scored,) = [s for s in score_board(board, jobs=1) if s.entry.name == "runs"]
    mean = scored.result(SETTINGS["pure"])
    each = [run.scores(SETTINGS["pure"])["conll"].f1 for run in scored.runs]
    assert mean["conll"].f1 == pytest.approx(np.mean(each))
    assert mean.signature.fields["runs"] == 2
    assert len(scored.settings) == len(COMBINATIONS)


def test_a_second_run_gives_the_same_text(board: Leaderboard) -> None:
    for one in score_board(board, jobs=1):
        path = board.result_path(one.entry.name, "sample")
        assert results_text(one, board.file.settings) == path.read_text("utf-8")
    assert found(board) == []


def _path(board: Leaderboard, name: str) -> Path:
    return board.result_path(name, "sample")


def _changed(path: Path, change: Any) -> None:
    content = json.loads(path.read_text("utf-8"))
    change(content)
    path.write_text(json.dumps(content), "utf-8")


def test_results_that_excuse_missing_mentions_are_refused(board: Leaderboard) -> None:
    _changed(_path(board, "wd"), lambda c: c["signatures"][0].update(missing="drop"))
    assert any("missing" in line for line in found(board))
    for read in (saved_results, board_page):
        with refused("file-invalid", "wd", "missing=drop"):
            read(Leaderboard.at(board.folder))


def test_a_changed_score_is_found(board: Leaderboard) -> None:
    _changed(_path(board, "wd"), lambda c: c["rows"][0].update(f1=0.99))
    (line,) = found(board)
    assert "wd" in line and "saved 0.990000" in line


def test_a_changed_signature_is_found(board: Leaderboard) -> None:
    _changed(_path(board, "wd"), lambda c: c["signatures"][0].update(repeated="drop"))
    (line,) = found(board)
    assert "repeated" in line


def test_a_result_that_is_missing_or_left_over_is_found(board: Leaderboard) -> None:
    shutil.copy(_path(board, "wd"), _path(board, "ghost"))
    _path(board, "single").unlink()
    lines = found(board)
    assert [line.split(",")[0] for line in lines] == ["ghost", "single"]


def test_a_changed_response_is_an_error(board: Leaderboard) -> None:
    place = board.root / board.systems["wd"].responses[0].path
    place.write_text(place.read_text("utf-8") + "\n", "utf-8")
    with refused("input-mismatch"):
        list(score_board(board, jobs=1))


def test_a_response_elsewhere_is_found_by_its_digest(
    board: Leaderboard, files: dict[str, Path]
) -> None:
    folder = files["lemma"].parent
    elsewhere = Leaderboard.at(board.folder, folder)
    entry = add_system(elsewhere, Addition("far", [files["lemma"]], "sample", copied=False))
    assert not entry.copied and entry.responses[0].path == "lemma.conll"
    elsewhere = Leaderboard.at(board.folder, folder)
    (scored,) = score_board(elsewhere, jobs=1, only=["far"])
    assert scored.runs[0].about["own.response_digest"] == entry.responses[0].digest
    with refused("response-missing"):
        list(score_board(Leaderboard.at(board.folder), jobs=1, only=["far"]))


def test_declarations_fill_the_entry(board: Leaderboard, files: dict[str, Path]) -> None:
    path = files["lemma"].parent / "declared.conll"
    text = files["lemma"].read_text("utf-8")
    path.write_text('# cdec: {"uses": {"mentions": "gold"}, "seed": 3}\n' + text, "utf-8")
    entry = add_system(board, Addition("declared", [path], "sample"))
    assert entry.uses.mentions == "gold" and entry.responses[0].seed == 3


@pytest.mark.parametrize(
    ("toml", "code"),
    [("name = 3", "config-invalid"), ('name = "WD"', "config-invalid")],
)
def test_a_system_that_is_not_valid(board: Leaderboard, toml: str, code: str) -> None:
    head = 'format = "cdec-leaderboard-system/1"\ntitle = "x"\nfamily = "x"\n'
    (board.folder / "systems" / "bad.toml").write_text(head + toml, "utf-8")
    with refused(code):
        _ = Leaderboard.at(board.folder).systems


def test_an_unknown_task(board: Leaderboard, files: dict[str, Path]) -> None:
    with refused("name-unknown", "unknown task"):
        add_system(board, Addition("new", [files["lemma"]], "nowhere"))


def test_missing_results(board: Leaderboard) -> None:
    _path(board, "wd").unlink()
    with refused("results-missing"):
        saved_results(board)


def test_page_and_study(board: Leaderboard, tmp_path: Path) -> None:
    made = study(board, list(score_board(board, jobs=1)), PLAN, jobs=1)
    made.save(board.folder / "study")
    again = Study.read(board.folder / "study")
    assert again.scores["f1"].round(6).tolist() == made.scores["f1"].round(6).tolist()
    page = study_page(again)
    assert [section.id for section in page.sections][-1] == "limits"
    html = render(page, "html")
    assert html.count("<svg") == 3
    assert "<script" not in html
    assert render(study_page(again, pictures=False), "markdown").startswith("# ")


def test_the_study_is_deterministic(board: Leaderboard) -> None:
    scored = list(score_board(board, jobs=1))
    one, two = (study(board, scored, PLAN, jobs=1) for _ in range(2))
    for name in ("intervals", "tests", "taus"):
        assert getattr(one, name).equals(getattr(two, name))
    other = study(board, scored, replace(PLAN, seed=1), jobs=1)
    assert not one.intervals.equals(other.intervals)


def test_orders_agree_with_kendall() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.random((2, 12))
    orders = compare_orders(first, second, ["x"] * 6 + ["y"] * 6)
    assert orders.tau == pytest.approx(kendalltau(first, second).statistic)
    assert orders.share == pytest.approx((1 - orders.tau) / 2)


def test_an_interrupted_call_keeps_what_is_done(
    board: Leaderboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(board.folder / "results")

    def interrupted(*arguments: Any) -> Run:
        if arguments[0][1].path.startswith("wd/"):
            raise KeyboardInterrupt
        return scored_run(*arguments)

    monkeypatch.setattr("cdec.leaderboards.score.scored_run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        for one in score_board(board, jobs=1):
            save_result(board, one)
    assert [path.stem for path in sorted(board.folder.glob("results/*/*"))] == ["runs", "single"]


def test_an_error_of_a_worker_arrives(board: Leaderboard) -> None:
    error = CdecError("corpus-file-invalid", "invalid", place="x:1", hint="cure")
    assert deepcopy(error).to_dict() == error.to_dict()
    place = board.root / board.systems["wd"].responses[0].path
    place.write_text(place.read_text("utf-8") + "\n", "utf-8")
    with refused("input-mismatch"):
        list(score_board(board, jobs=2))


def test_a_leaderboard_without_systems(tmp_path: Path) -> None:
    (tmp_path / "leaderboard.toml").write_text(BOARD, "utf-8")
    empty = Leaderboard.at(tmp_path)
    with refused("results-missing"):
        table_page(empty, "sample", [], "conll")
    with refused("results-missing"):
        study(empty, [], PLAN)


def test_a_table_of_chosen_systems_and_published_values(board: Leaderboard) -> None:
    table = table_page(board, "sample", ["wd", "runs"], "lea").table
    assert table is not None
    assert [row[0] for row in table.texts] == ["wd", "runs"]
    with refused("name-unknown", "unknown system"):
        table_page(board, "sample", ["nobody"], "lea")
    path = board.folder / "systems" / "wd.toml"
    value = '\n[[published]]\ntask = "sample"\nf1 = 0.5\nsource = "Table 1"\n'
    path.write_text(path.read_text("utf-8") + value, "utf-8")
    known = Leaderboard.at(board.folder)
    row = BoardRow(known, known.systems["wd"], "sample", load_results(_path(board, "wd")))
    (fields,) = published_fields(row)
    assert [*fields.values()][:4] == ["wd", "SIMPLE-CDEC", "CoNLL", "50.0"]


def test_an_error_has_a_place(tmp_path: Path) -> None:
    with pytest.raises(CdecError):
        _ = Leaderboard.at(tmp_path).systems


def test_the_verb_in_python_scores_saves_and_shows(board: Leaderboard) -> None:
    paths = sorted((board.folder / "results").glob("*/*.json"))
    before = [path.read_bytes() for path in paths]
    for path in paths:
        path.unlink()
    for _ in range(2):  # the package of this name, once imported, is the same call
        made = cdec.leaderboard(board.folder)
        assert [one.entry.name for one in made.value] == ["runs", "single", "wd"]
        assert "single" in made.to_markdown()
    assert [path.read_bytes() for path in paths] == before

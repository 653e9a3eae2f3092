"""Systems against the corrected key: equal to scoring again, paired, by product and finder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from cdec import evaluate, load_corpus
from cdec.auditing import Correction, Patch
from cdec.leaderboards import Leaderboard
from cdec.leaderboards.by_name import PublishedResponse
from cdec.leaderboards.rescore import Choice, rescored
from cdec.statistics import Plan
from tests.cli.conftest import Run
from tests.refusals import refused

SAMPLE = load_corpus("sample")
PLAN = Plan(unit="topic", resamples=30)


def a_patch() -> Patch:
    """Links of mentions of the test part: three of reviewed ones, one of them found by systems."""
    part = load_corpus("sample", "test").selected
    ids, out = (
        [*map(str, part.index[part["reviewed"]])],
        [*map(str, part.index[~part["reviewed"]])],
    )
    operations = (
        Correction(merge=(ids[0], ids[9]), evidence=("systems", "svm")),
        Correction(merge=(ids[3], ids[20]), evidence=("svm",)),
        Correction(merge=(ids[7], ids[30])),
        Correction(merge=(out[0], out[5])),
    )
    return Patch(operations, {"corpus": "sample", "digest": SAMPLE.digest}, name="p.json")


def test_the_scores_are_those_of_the_corrected_key(
    board: Leaderboard, files: dict[str, Path], tmp_path: Path
) -> None:
    page = rescored(board, "sample", a_patch(), PLAN, Choice(contributors=("wd",)))
    data = page.sections[0].data
    assert isinstance(data, pd.DataFrame)
    assert set(zip(data["product"], data["found"], data["operations"], strict=True)) == {
        *(("A", "", 3), ("A", "systems", 1), ("A", "others", 2), ("B", "", 1))
    }
    file = tmp_path / "a.json"
    file.write_text(replace(a_patch(), operations=a_patch().operations[:3]).to_json(), "utf-8")
    keys = {"before": None, "after": file}
    rows = data[(data["product"] == "A") & (data["found"] == "") & (data["system"] == "wd")]
    for own in rows[rows["metric"].isin(["conll", "lea"])].to_dict("records"):
        for name, patch in keys.items():
            key = load_corpus("sample", "test", key_patch=patch)
            wanted = evaluate(key, str(files["lemma-wd"]), setting="pure", metrics=own["metric"])
            score = wanted.values[own["metric"]].f1
            assert own[f"f1_{name}"] == pytest.approx(score, abs=1e-9)
        assert own["low"] <= own["difference"] <= own["high"]
        assert own["certain"] == (own["low"] > 0 or own["high"] < 0)
    notes = " ".join(map(str, page.sections[0].blocks))
    assert "of contributors minus others" in notes
    assert "found with the answers of systems" in notes


def test_an_empty_product_changes_nothing(board: Leaderboard) -> None:
    patch = replace(a_patch(), operations=a_patch().operations[3:])
    page = rescored(board, "sample", patch, PLAN, Choice(systems=("wd",), scope="only"))
    data = page.sections[0].data
    assert isinstance(data, pd.DataFrame)
    assert (data[["difference", "low", "high", "rank_low", "rank_high"]] == 0).all(axis=None)
    assert not data["certain"].any()


def test_two_runs_with_one_seed_are_two(board: Leaderboard) -> None:
    entry = board.systems["runs"]
    same = tuple(answer.model_copy(update={"seed": 1}) for answer in entry.responses)
    board.systems["runs"] = entry.model_copy(update={"responses": same})
    answers = PublishedResponse("runs", "runs", board=board).responses("sample")
    assert [answer.name for answer in answers] == ["runs/1", "runs/2"]


def test_the_command_and_its_refusals(board: Leaderboard, tmp_path: Path, cdec: Run) -> None:
    file = tmp_path / "p.json"
    file.write_text(a_patch().to_json(), "utf-8")
    call = ("audit", "rescore", file, "--folder", board.folder, "--resamples", "5")
    ran = cdec(*call, "--task", "sample", "-f", "markdown")
    assert ran.code == 0, ran.err
    assert "| A " in ran.out
    assert "| B " in ran.out
    with refused("name-unknown", "'none'"):
        rescored(board, "none", a_patch(), PLAN)
    with refused("name-unknown", "'no'"):
        rescored(board, "sample", a_patch(), PLAN, Choice(systems=("no",)))
    with refused("name-unknown", "'muc'"):
        rescored(board, "sample", a_patch(), PLAN, Choice(metric="muc"))
    with refused("input-mismatch", place="patch"):
        rescored(board, "sample", Patch((), {"corpus": "ecb+", "digest": "0"}), PLAN)

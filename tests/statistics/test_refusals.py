"""Calls that intervals and tests refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cdec.evaluation import Experiment, SystemRun, Task, check_same_response, load_results
from cdec.render import render
from cdec.settings import find_settings
from cdec.statistics import Plan, compare, compare_saved
from cdec.statistics.confidence import confidence
from tests.refusals import refused
from tests.tiny_corpora import tiny

FEW = Plan(resamples=20, exchanges=20)
CORPUS = tiny([0, 0, 1, 4, 4], key=[0, 0, 0, 1, 1], response=[0, 0, 0, 1, 2])
Change = Callable[[dict[str, Any]], None]


def experiment(
    *systems: str, setting: str = "bh", columns: tuple[str, ...] = (), scorer: str = "cdec"
) -> Experiment:
    table = CORPUS.table[list(columns)] if columns else CORPUS.table
    runs = tuple(SystemRun(name, table, *CORPUS.sides) for name in systems)
    task = Task("tiny", "", {}, ("muc", "b3"), scorer)
    return Experiment(task, runs, tuple(find_settings([setting])))


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({"resamples": 0}, "resamples is 0"),
        ({"exchanges": 2_000_000}, "exchanges is 2,000,000"),
        ({"level": 1.0}, "1.0"),
        ({"seed": -1}, "-1"),
    ],
)
def test_numbers_out_of_range(options: dict[str, Any], value: str) -> None:
    with refused("parameter-invalid", value):
        Plan(**options)


def test_unknown_unit_and_method() -> None:
    with refused("name-unknown", "unknown unit", "'document'"):
        Plan(unit="document")
    with refused("name-unknown", "unknown interval method", "'bca'"):
        Plan(method="bcaa")


def test_experiments_without_intervals() -> None:
    with refused("metric-unsupported", "'neleval'"):
        confidence(experiment("a", scorer="neleval"), FEW)
    with refused("level-missing", "topic"):
        confidence(experiment("a", setting="simple", columns=("doc",)), FEW)
    one_topic = CORPUS.table.assign(topic="t")
    run = SystemRun("a", one_topic, *CORPUS.sides)
    with refused("part-too-small", "topic", 1):
        confidence(Experiment(Task("", "", {}), (run,), tuple(find_settings(["bh"]))), FEW)


def test_a_comparison_needs_two_systems_of_different_names() -> None:
    with refused("response-missing", 1):
        compare(experiment("a"), FEW)
    with refused("response-missing", 1):  # two runs of one system
        compare(experiment("a", "a"), FEW)


def write(file: Path, system: str, change: Change = lambda _: None) -> Path:
    page = experiment(system).results("topic").page
    content = json.loads(render(page, "json"))
    change(content)
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def no_counts(content: dict[str, Any]) -> None:
    content["rows"][0]["p_num"] = None


def counts_of_a_merged_unit(content: dict[str, Any]) -> None:
    content["rows"][0]["p_den"] += 1


def another_unit(content: dict[str, Any]) -> None:
    content["by"] = "document"


def another_topic(content: dict[str, Any]) -> None:
    for row in content["rows"]:
        row["unit"] = row["unit"].replace("t0", "t9")


def another_corpus(content: dict[str, Any]) -> None:
    content["signatures"][0]["corpus"] = "other"


def one_topic(content: dict[str, Any]) -> None:
    content["rows"] = [row for row in content["rows"] if row["unit"] != "t1"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (no_counts, "results-missing"),
        (another_unit, "results-missing"),
        (counts_of_a_merged_unit, "results-missing"),
        (another_topic, "input-mismatch"),
        (one_topic, "part-too-small"),
    ],
)
def test_saved_results_without_comparable_counts(change: Change, code: str, tmp_path: Path) -> None:
    files = write(tmp_path / "a.json", "a"), write(tmp_path / "b.json", "b", change=change)
    with refused(code, place="b.json"):
        compare_saved([result for file in files for result in load_results(file)], FEW)


def test_saved_results_of_different_tasks(tmp_path: Path) -> None:
    files = write(tmp_path / "a.json", "a"), write(tmp_path / "b.json", "b", change=another_corpus)
    with refused("input-mismatch", "'other'"):
        compare_saved([result for file in files for result in load_results(file)], FEW)


def test_saved_results_of_another_response(tmp_path: Path) -> None:
    (result,) = load_results(write(tmp_path / "a.json", "a"))
    check_same_response([result], "b", {"response_digest": "1"})
    with refused("input-mismatch", "'a'", place="a.json"):
        check_same_response([result], "a", {"response_digest": "1"})

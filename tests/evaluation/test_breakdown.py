"""Breakdowns by unit: legend, undefined values (0/0), and saved breakdowns read back."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from cdec.evaluation import AVERAGES, UNITS, Experiment, Results, SystemRun, Task, load_results
from cdec.metrics import ALL
from cdec.render import render
from cdec.settings import SETTINGS, find_settings
from cdec.statistics import Comparison, Plan, compare_saved, summary_page
from tests.pages import notes_of, view_of
from tests.refusals import refused
from tests.tiny_corpora import tiny

PLAN = Plan(resamples=20, exchanges=20)
# Topic t0 has links, t1 has singletons only: there MUC is 0/0.
KEY = [0, 0, 1, 0, 1, 2, 3]
CORPUS = tiny([0, 0, 0, 1, 1, 4, 4], key=KEY, response=KEY)


def experiment(
    settings: Sequence[str] = ("simple",), systems: Sequence[str] = ("gold",)
) -> Experiment:
    key, response = CORPUS.sides
    runs = tuple(SystemRun(name, CORPUS.table, key, response) for name in systems)
    return Experiment(
        Task("tiny", "test", {"split": "test"}), runs, tuple(find_settings([*settings]))
    )


def saved(file: Path, *systems: str) -> dict[str, Any]:
    page = experiment(["bh"], systems).results("topic").page
    file.write_text(render(page, "json"), encoding="utf-8")
    content: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return content


@pytest.mark.parametrize("unit", ["topic", "subtopic"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_perfect_response_has_macro_100_for_every_metric(setting: str, unit: str) -> None:
    frame = experiment([setting]).results(unit).units
    macro = frame[frame["unit"] == "macro"].set_index("metric")["f1"]
    assert list(macro.index) == list(ALL)
    assert set(macro) == {1}


# Groups are those of two files.
@pytest.mark.parametrize("unit", sorted({*UNITS} - {"group"}))
def test_only_units_and_their_mean_have_undefined_values(unit: str) -> None:
    frame = experiment(["all"]).results(unit).units
    undefined = frame[frame["f1"].isna()]
    assert len(undefined)
    assert "micro" not in set(undefined["unit"])
    parts = undefined[~undefined["unit"].isin(AVERAGES) & undefined["p_den"].notna()]
    assert (parts[["p_den", "r_den"]] == 0).all(axis=None)


def test_an_undefined_value_is_a_dash_null_and_empty(tmp_path: Path) -> None:
    page = experiment().results("topic").page
    view = view_of(page).set_index(("Topic", ""))
    assert list(view["MUC", "F"]) == ["100.0", "–", "100.0", "100.0"]
    assert list(view["CoNLL", "F"]) == ["100.0", "–", "100.0", "100.0"]
    assert list(view["B³", "F"]) == ["100.0"] * 4
    rows = json.loads(render(page, "json"))["rows"]
    muc = next(row for row in rows if (row["unit"], row["metric"]) == ("t1", "muc"))
    assert muc["precision"] is muc["recall"] is muc["f1"] is None
    assert (muc["p_den"], muc["r_den"]) == (0, 0)
    cells = next(
        row
        for row in csv.DictReader(render(page, "csv").splitlines())
        if (row["unit"], row["metric"]) == ("t1", "muc")
    )
    assert cells["precision"] == cells["recall"] == cells["f1"] == ""


def test_the_notes_count_the_units_left_out() -> None:
    legend, left_out, _ = notes_of(experiment().results("topic").page)
    assert "macro" in legend
    assert "0/0" in legend
    assert "macro MUC, BLANC PW: 1 of 2 topics undefined" in left_out
    assert "CoNLL" in left_out
    assert "B³" not in left_out


def test_results_with_the_same_numbers_share_a_note() -> None:
    two = experiment(["simple", "bh"], ["one", "two"])
    assert len(notes_of(two.results("topic").page)) == 3
    # Without singletons the topic t1 has no mention.
    two = experiment(["simple", "is"], ["one", "two"])
    _, left_out, _ = notes_of(two.results("topic").page)
    assert left_out.endswith("(SIMPLE-CDEC, one; SIMPLE-CDEC, two)")


def test_precision_and_recall_are_counted_where_they_differ() -> None:
    corpus = tiny([0, 0, 4, 4], key=[0, 0, 1, 1], response=[0, 0, 1, 2])
    runs = (SystemRun("one", corpus.table, *corpus.sides),)
    one = Experiment(Task("tiny", "", {}, ("muc", "b3")), runs, tuple(find_settings(["simple"])))
    _, left_out, _ = notes_of(one.results("topic").page)
    assert "MUC: P 1, R 0, F 0 of 2 topics undefined" in left_out


def test_a_saved_breakdown_with_nulls_is_read_back(tmp_path: Path) -> None:
    saved(tmp_path / "topics.json", "one", "two")
    results = load_results(tmp_path / "topics.json")
    assert [result.system for result in results] == ["one", "two"]
    first, _ = results
    parts = first.parts.set_index(["unit", "metric"])["f1"]
    assert parts["t0", "muc"] == 1
    assert parts.isna().sum() == 4  # MUC, BLANC PW, CoNLL, Avg-4
    assert results.frame["f1"].eq(1).all()
    assert compare(results).table["difference"].eq(0).all()
    page = summary_page(results)
    assert "–" in render(page, "markdown")
    assert "nan" not in render(page, "html").lower()


# Groups are those of two files.
@pytest.mark.parametrize("unit", sorted({*UNITS} - {"group"}))
def test_units_with_the_name_of_an_average(unit: str, tmp_path: Path) -> None:
    """They differ from the averages, and from each other, also in the saved file."""
    key, response = CORPUS.sides
    names = {"d0": "micro", "d1": f"{unit}:micro", "t0": "macro", "s0": "macro"}
    table = CORPUS.table.replace(names)
    runs = (SystemRun("one", table, key, response),)
    one = Experiment(Task("tiny", "", {}), runs, tuple(find_settings(["simple"])))
    frame = one.results(unit).units
    assert not frame.duplicated(["unit", "metric"]).any()
    assert set(frame["unit"]) & set(AVERAGES) == set(AVERAGES)
    parts = set(table[UNITS[unit]])
    assert frame["unit"].nunique() == len(parts) + len(AVERAGES)
    file = tmp_path / "units.json"
    file.write_text(render(one.results(unit).page, "json"), "utf-8")
    (result,) = load_results(file)
    assert result.parts["unit"].nunique() == len(parts)
    assert result.frame["f1"].tolist() == [value.f1 for value in one.results().values.values()]


def compare(results: Iterable[Results]) -> Comparison:
    return compare_saved(results, PLAN)


def test_a_report_of_units_that_are_all_undefined(tmp_path: Path) -> None:
    content = saved(tmp_path / "topics.json", "one")
    for row in content["rows"]:
        if row["unit"] not in AVERAGES:
            row["f1"] = None
    (tmp_path / "topics.json").write_text(json.dumps(content), encoding="utf-8")
    page = summary_page(load_results(tmp_path / "topics.json"))
    assert "nan" not in render(page, "html").lower()


def test_notices_of_older_files_are_accepted(tmp_path: Path) -> None:
    """The key of a notice's code was ``kind``."""
    file = tmp_path / "topics.json"
    content = saved(file, "one")
    for key in ("kind", "code"):
        content["notices"] = [{key: "twinless", "count": 1, "message": "1", "examples": []}]
        file.write_text(json.dumps(content), encoding="utf-8")
        assert load_results(file).system == "one"
        assert load_results(file).notices[0].code == "twinless"


def test_zeros_of_older_files_are_accepted(tmp_path: Path) -> None:
    """Undefined values were written as 0."""
    file = tmp_path / "topics.json"
    content = saved(file, "one")
    for row in content["rows"]:
        row["f1"] = row["f1"] or 0.0
    file.write_text(json.dumps(content), encoding="utf-8")
    assert load_results(file).parts["f1"].notna().all()


def test_the_overall_score_is_never_null(tmp_path: Path) -> None:
    file = tmp_path / "topics.json"
    content = saved(file, "one")
    for row in content["rows"]:
        row["f1"] = None if row["unit"] == "micro" else row["f1"]
    file.write_text(json.dumps(content), encoding="utf-8")
    with refused("file-invalid", "micro", place="topics.json"):
        load_results(file)

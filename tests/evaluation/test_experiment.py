"""Systems × settings, and their breakdown by unit."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import cdec
from cdec.evaluation import COLUMNS, UNITS, Experiment, SystemRun, Task
from cdec.metrics import ALL
from cdec.settings import find_settings
from tests.refusals import refused
from tests.tiny_corpora import tiny

CORPUS = tiny([0, 0, 1, 2, 4, 4], key=[0, 0, 0, 0, 1, 1], response=[0, 1, 0, 0, 1, 1])
TASK = Task("tiny", "test", {"corpus": "tiny", "split": "test"})


def experiment(
    *settings: str, task: Task = TASK, mentions: pd.DataFrame | None = None
) -> Experiment:
    table = CORPUS.table if mentions is None else mentions
    key, response = CORPUS.sides
    runs = (
        SystemRun("one", table, key, response, {"delta": 0.5}),
        SystemRun("gold", table, key, key),
    )
    return Experiment(task, runs, tuple(find_settings(list(settings))))


def test_one_result_per_setting_and_system_in_order() -> None:
    results = experiment("pure", "bh").results()
    assert [(r.setting, r.system) for r in results] == [
        ("pure", "one"),
        ("pure", "gold"),
        ("bh", "one"),
        ("bh", "gold"),
    ]
    assert all(r["b3"].f1 == 1 for r in results if r.system == "gold")


def test_rows_have_the_columns_of_the_tidy_table() -> None:
    (result, _) = experiment("pure").results()
    rows = result.frame.to_dict("records")
    assert [row["metric"] for row in rows] == list(ALL)
    assert tuple(result.frame.columns) == COLUMNS
    assert {(row["corpus"], row["split"], row["setting"], row["system"]) for row in rows} == {
        ("tiny", "test", "pure", "one")
    }


def test_the_signature_has_the_fields_of_task_and_run() -> None:
    task = Task("tiny", "test", {"corpus": "tiny"}, ("muc", "b3"), "neleval")
    (result, _) = experiment("scope=topic", task=task).results()
    fields = result.signature.fields
    assert dict(fields) == {
        "corpus": "tiny",
        "setting": "bh",
        "system": "one",
        "mentions": "gold",
        "delta": 0.5,
        "metrics": "muc,b3",
        "scorer": "neleval",
        "cdec": fields["cdec"],
    }


def test_breakdown_shows_units_then_macro_then_micro() -> None:
    table = experiment("simple").results("document").units
    assert list(table.columns) == ["unit", *COLUMNS]
    muc = table[(table["metric"] == "muc") & (table["system"] == "one")].set_index("unit")
    assert list(muc.index) == ["d0", "d1", "d2", "d4", "macro", "micro"]
    # d0: its one link is missed, the response has none; d1, d2: no link; d4: one of one.
    # Over all: 3 of 4 both ways.
    assert muc["recall"].fillna(-1).tolist() == [0, -1, -1, 1, 1 / 2, 3 / 4]
    assert muc["precision"].fillna(-1).tolist() == [-1, -1, -1, 1, 1, 3 / 4]
    assert muc["f1"].fillna(-1).tolist() == [0, -1, -1, 1, 1 / 2, 3 / 4]
    assert muc["r_den"].isna().to_dict() == dict.fromkeys(muc.index, False) | {"macro": True}


# Groups are those of two files.
@pytest.mark.parametrize("unit", sorted({*UNITS} - {"group"}))
def test_the_micro_row_is_the_overall_result(unit: str) -> None:
    two = experiment("pure", "ycf")
    table = two.results(unit).units
    micro = table[table["unit"] == "micro"].drop(columns="unit").reset_index(drop=True)
    expected = two.results().frame
    pd.testing.assert_frame_equal(
        micro.sort_values(["setting", "system"], kind="stable", ignore_index=True),
        expected.sort_values(["setting", "system"], kind="stable", ignore_index=True),
        check_dtype=False,
    )


def test_unknown_and_missing_units_are_errors() -> None:
    with refused("name-unknown", "unknown unit", "'subtopic'"):
        experiment("pure").results("sub-topic")
    bare = CORPUS.table[["doc"]]
    with refused("level-missing", "topic"):
        experiment("simple", mentions=bare).results("topic")


def test_settings_that_all_leaves_out_are_named() -> None:
    """A corpus without levels has neither topics nor sub-topics."""
    corpus = replace(cdec.load_corpus("sample", "test"), levels={})
    made = cdec.evaluate(corpus, ["lemma", "lemma-wd"], setting="all", metrics="muc")
    (left,) = (notice for notice in made.notices if notice.code == "settings-left-out")
    assert (left.count, left.warning) == (3, False)
    assert left.message.endswith(": bh, st, ycf left out")
    named = cdec.evaluate(corpus, "lemma", setting=["simple", "pure"], metrics="muc")
    assert not named.notices

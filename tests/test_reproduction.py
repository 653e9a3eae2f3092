"""The tables of the paper: its printed counts beside ours, and its worked example."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from tests.program import Run


@pytest.fixture
def table1(cdec: Run, ecbplus: Path) -> pd.DataFrame:
    ran = cdec("reproduce", "table1", "--corpus", ecbplus, "-f", "json")
    return pd.DataFrame(ran.json["rows"])


def test_every_printed_count_is_close_or_has_a_note(table1: pd.DataFrame) -> None:
    printed = table1[table1["printed"].notna()]
    assert len(printed) == 36
    assert (printed["difference"] == printed["ours"] - printed["printed"]).all()
    # The one printed count that is not the sum of its row.
    noted = printed[printed["notes"] != ""]
    assert noted[["row", "part", "notes"]].values.tolist() == [["ev. mentions", "total", "total"]]
    assert printed.loc[printed["notes"] == "", "difference"].abs().max() <= 4


def test_the_parts_of_the_table_add_up(table1: pd.DataFrame) -> None:
    counts = table1[table1["view"] == "annotation"].pivot(
        index="row", columns="part", values="ours"
    )
    kinds = counts.loc[["singleton", "WD", "CD"]].sum()
    assert kinds.to_dict() == counts.loc["ev. mentions"].to_dict()
    mentions = counts.loc[["docs", "ev. mentions"], ["train", "dev", "test"]].sum(axis=1)
    assert mentions.to_dict() == counts.loc[["docs", "ev. mentions"], "total"].to_dict()


def test_the_worked_example_needs_no_corpus(cdec: Run) -> None:
    """docs/paper.md: PURE-CDEC ranks the system with the only link of the reduced key first."""
    rows = pd.DataFrame(cdec("reproduce figure3 -f json").json["rows"])
    conll = rows[(rows["metric"] == "conll") & (rows["field"] == "f1")]
    values = conll.set_index(["setting", "system"])["ours"]
    for setting, expected in (("simple", [63.7, 63.7, 46.0]), ("pure", [37.0, 66.7, 72.2])):
        assert [round(100 * value, 1) for value in values[setting].sort_index()] == expected


def test_an_unknown_table_is_refused(cdec: Run) -> None:
    ran = cdec("reproduce table4")
    assert (ran.exit, ran.error) == (2, "name-unknown")

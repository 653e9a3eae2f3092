"""The published values as data: complete, labelled, contradictory only where a note says so."""

from __future__ import annotations

from statistics import fmean

import pytest

from cdec.configs import read_table, read_toml
from cdec.evaluation import LAYOUT
from cdec.metrics import ALL
from cdec.reproduction import SCORE_TABLES, noted, notes, paper, printed_counts, printed_scores
from cdec.settings import SETTINGS

F = ("muc_f", "b3_f", "ceafe_f")
# Published values are rounded: the error of a mean of rounded values is less than this.
ROUNDING = 0.11
PLACES = [place for note in read_toml("tables/notes.toml")["note"] for place in note["place"]]


def rows(table: str) -> dict[str, dict[str, str]]:
    """The rows of a published table by the cells before the first number."""
    return {
        " ".join(row[head] for head in ("setting", "system", "row") if head in row): row
        for row in read_table(f"tables/{table}.csv")
    }


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place["table"])
def test_notes_are_on_existing_cells(place: dict[str, list[str]]) -> None:
    printed = rows(str(place["table"]))
    assert set(place["rows"]) <= set(printed)
    assert all(set(place["columns"]) <= set(printed[row]) for row in place["rows"])


def test_notes_have_a_text_and_one_id_each() -> None:
    ids = [note["id"] for note in read_toml("tables/notes.toml")["note"]]
    assert len(ids) == len(set(ids)) == len(notes())
    assert all(notes().values())


@pytest.mark.parametrize("table", SCORE_TABLES)
def test_every_printed_number_is_in_the_tidy_form(table: str) -> None:
    tidy = printed_scores(table)
    assert len(tidy) == len(rows(table)) * len(paper().columns)
    assert set(tidy["setting"]) <= set(SETTINGS)
    assert set(tidy["system"]) <= set(paper().systems.values())
    assert set(tidy["metric"]) <= set(ALL)
    assert tidy["printed"].between(0, 1).all()


def test_published_columns_are_shown() -> None:
    shown = {(metric, field) for _, _, metric, field in LAYOUT}
    assert {(column.metric, column.field) for column in paper().columns} <= shown


def test_published_cells() -> None:
    tidy = printed_scores("table3").set_index(["setting", "system", "column"])
    assert tidy.loc[("pure", "lemma-delta", "muc_r"), "printed"] == pytest.approx(0.424)
    assert tidy.loc[("pure", "lemma-delta", "avg4"), "notes"] == "averages;threshold"
    assert tidy.loc[("pure", "lemma", "avg4"), "notes"] == ""


def test_only_the_total_with_a_note_is_wrong() -> None:
    wrong = {
        row["row"]
        for row in read_table("tables/table1.csv")
        if sum(int(row[part]) for part in ("train", "dev", "test")) != int(row["total"])
    }
    assert (
        wrong == {"ev. mentions"} == {row for row, column in noted("table1") if column == "total"}
    )
    columns = rows("table1")["ev. mentions"]
    sum_ = sum(int(columns[part]) for part in ("train", "dev", "test"))
    assert str(sum_) in notes()["total"]


@pytest.mark.parametrize("table", SCORE_TABLES)
def test_only_the_averages_with_a_note_are_wrong(table: str) -> None:
    wrong = set()
    for name, row in rows(table).items():
        three, four = F, (*F, "blanc_f")
        for column, parts in (("conll_avg", three), ("avg4", four)):
            if abs(fmean(float(row[part]) for part in parts) - float(row[column])) > ROUNDING:
                wrong.add((name, column))
    assert wrong == {cell for cell, ids in noted(table).items() if "averages" in ids.split(";")}


def test_the_note_on_averages() -> None:
    row = rows("table3")["PURE-CDEC Lemma-δ"]
    conll = fmean(float(row[part]) for part in F)
    four = fmean(float(row[part]) for part in (*F, "blanc_f"))
    assert f"{conll:.1f} (CoNLL) and {four:.1f} (four)" in notes()["averages"]


def test_swapped_columns() -> None:
    """If singletons are kept, CEAF_e precision of Lemma is above recall, except in one row."""
    kept = [name for name in rows("table2") if name not in ("I.S.", "YCF")]
    odd = {
        n for n in kept if float(rows("table2")[n]["ceafe_p"]) < float(rows("table2")[n]["ceafe_r"])
    }
    assert odd == {row for (row, _), ids in noted("table2").items() if ids == "exchanged"}


def test_notes_of_counts() -> None:
    tidy = printed_counts().set_index(["row", "part"])
    assert tidy.loc[("ev. mentions", "total"), "notes"] == "total"
    assert (tidy["notes"] != "").sum() == 1
    assert tidy.loc[("docs", "total"), "printed"] == 982

"""The tables that Upadhyay et al. (2016) print, and our values beside them.

``configs/tables`` has the printed values, our names of their rows and columns (paper.toml), and
notes on the cells that contradict other cells or the corpus (notes.toml).
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from cdec.configs import read_table, read_toml
from cdec.evaluation.results import VALUES, Results
from cdec.records import Row
from cdec.settings import find_setting

CELL = ["setting", "system", "metric", "field"]


@cache
def paper() -> Row:
    """Return the description of the printed tables: corpus, split, part, systems, columns, …."""
    return read_toml("tables/paper.toml")


@cache
def notes() -> dict[str, str]:
    """Return note id → text, in the order of their marks."""
    return {note["id"]: note["text"] for note in read_toml("tables/notes.toml")["note"]}


def _notes_by_cell(table: str) -> dict[Any, str]:
    """Return (row, column) of a printed table → ids of the notes on that cell, joined by ``;``."""
    ids: dict[Any, list[str]] = {}
    for note in read_toml("tables/notes.toml")["note"]:
        for place in note["place"]:
            if place["table"] == table:
                for cell in product(place["rows"], place["columns"]):
                    ids.setdefault(cell, []).append(note["id"])
    return {cell: ";".join(ids_of_cell) for cell, ids_of_cell in ids.items()}


def printed_counts() -> pd.DataFrame:
    """Return the printed Table 1, which counts events. Columns: row, part, printed and notes."""
    wide = pd.DataFrame(read_table("tables/table1.csv"))
    long = wide.melt("row", var_name="part", value_name="printed")
    notes_by_cell = _notes_by_cell("table1")
    cells = zip(long["row"], long["part"], strict=True)
    notes_of_rows = [notes_by_cell.get(cell, "") for cell in cells]
    return long.astype({"printed": int}).assign(notes=notes_of_rows)


def counts_beside(counts: pd.DataFrame, printed: pd.DataFrame | None) -> pd.DataFrame:
    """Return the counts of a corpus with printed, notes and difference, missing without print."""
    table = counts.rename(columns={"count": "ours"})
    if printed is None:
        return table.assign(printed=np.nan, notes="", difference=np.nan)
    table = table.merge(printed, on=["row", "part"], how="left")
    return table.assign(
        difference=table["ours"] - table["printed"], notes=table["notes"].fillna("")
    )


def scores_beside(table: str, results: Results, of_paper: bool) -> pd.DataFrame:
    """Return our scores and those of the printed ``table2`` or ``table3``, in [0, 1].

    Columns: setting, system, metric, field, ours, column (of the printed table), printed, notes and
    difference. First the printed cells in their order (``ours`` is missing without a result), then
    our other results under their settings. Only ours, if the print is about another part.
    """
    records = _printed_scores(table) if of_paper else []
    printed = pd.DataFrame(records, columns=[*CELL, "column", "printed", "notes"])
    printed = printed.astype({**dict.fromkeys(CELL, "object"), "printed": float})
    scores = tidy(results)
    cells = pd.concat([printed[CELL], scores[CELL]]).drop_duplicates()
    both = cells.merge(printed, on=CELL, how="left").merge(scores, on=CELL, how="left")
    both = both[[*CELL, "ours", "column", "printed", "notes"]]
    return both.assign(
        difference=both["ours"] - both["printed"], notes=both["notes"].fillna("")
    )


def _printed_scores(table: str) -> list[tuple[object, ...]]:
    """Return the cells of a printed table: CELL, column, value and notes."""
    notes_by_cell = _notes_by_cell(table)
    records: list[tuple[object, ...]] = []
    for row in read_table(f"tables/{table}.csv"):
        setting = find_setting(row["setting"]).name
        # All of Table 2 is about Lemma.
        system = paper()["systems"][row.get("system", "Lemma")]
        heads = " ".join(row[head] for head in ("setting", "system") if head in row)
        for column, (metric, field) in paper()["columns"].items():
            value = float(row[column]) / 100
            notes_of_cell = notes_by_cell.get((heads, column), "")
            records.append(
                (setting, system, metric, field, column, value, notes_of_cell)
            )
    return records


def tidy(results: Results) -> pd.DataFrame:
    """Return one row per value: setting, system, metric, field (precision, recall, f1), ours."""
    frame = results.frame[[*CELL[:3], *VALUES]]
    # By row, then by value: as a table is read.
    long = frame.melt(
        CELL[:3],
        var_name="field",
        value_name="ours",
        ignore_index=False,
    )
    return long.sort_index(kind="stable").dropna(subset="ours").astype({"ours": float})


def agreement(beside: pd.DataFrame) -> str:
    """Return a sentence on the differences of F columns, mean and largest; '' without any.

    Cells with a note are left out, and a row that is in two tables counts once.
    """
    rule = paper()["agreement"]
    has_column = beside["column"].isin(rule["columns"])
    has_system = beside["system"].isin(rule["systems"])
    cells = (
        beside[has_column & has_system]
        .dropna(subset="difference")
        .drop_duplicates(CELL)
    )
    sizes = 100 * cells.loc[cells["notes"] == "", "difference"].abs()
    if sizes.empty:
        return ""
    labels = {name: label for label, name in paper()["systems"].items()}
    systems = ", ".join(labels[name] for name in rule["systems"])
    return (
        f"Mean absolute difference of the {len(sizes)} F cells without a note (MUC, B³, CEAF_e, "
        f"BLANC, CoNLL, Avg-4; {systems}): "
        f"{sizes.mean():.2f} points; largest: {sizes.max():.1f}. {len(cells) - len(sizes)} F cells "
        "with a note are not included."
    )

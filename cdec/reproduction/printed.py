"""The tables that Upadhyay et al. (2016) print, and our values beside them.

``configs/tables`` has the printed values, our names of their rows and columns (paper.toml), and
notes on the cells that contradict other cells or the corpus (notes.toml).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pandas as pd

from cdec.configs import read_table, read_toml
from cdec.corpus.model import EVENT
from cdec.evaluation.results import VALUES, Results
from cdec.evaluation.view import LAYOUT
from cdec.render.numbers import points
from cdec.settings import find_setting, label_of

CELL = ["setting", "system", "metric", "field"]


@cache
def paper() -> dict[str, Any]:
    """Return the description of the printed tables: corpus, split, part, systems, columns, …."""
    return read_toml("tables/paper.toml")


def is_about(corpus: str, part: str) -> bool:
    """Return whether the printed tables are about this part of this corpus."""
    return (corpus, part) == (paper()["corpus"], f"{paper()['split']}-{paper()['part']}")


@cache
def notes() -> dict[str, str]:
    """Return note id → text, in the order of their marks."""
    return {note["id"]: note["text"] for note in read_toml("tables/notes.toml")["note"]}


def _noted(table: str) -> dict[tuple[str, str], str]:
    """Return (row, column) of a printed table → ids of the notes on that cell, joined by ``;``."""
    ids: dict[tuple[str, str], list[str]] = {}
    for note in read_toml("tables/notes.toml")["note"]:
        for place in note["place"]:
            for row in place["rows"] if place["table"] == table else ():
                for column in place["columns"]:
                    ids.setdefault((row, column), []).append(note["id"])
    return {cell: ";".join(names) for cell, names in ids.items()}


def scores_beside(table: str, results: Results) -> pd.DataFrame:
    """Return our scores and those of the printed ``table2`` or ``table3``, in [0, 1].

    Columns: setting, system, metric, field, ours, column (of the printed table), printed, notes and
    difference. First the printed cells in their order (``ours`` is missing without a result), then
    our other results under their settings. Only ours, if they are of another part.
    """
    noted, records = _noted(table), []
    for row in read_table(f"tables/{table}.csv"):
        setting, name = row["setting"], row.get("system", "Lemma")  # Table 2 is Lemma throughout
        heads = " ".join(row[head] for head in ("setting", "system") if head in row)
        for column, (metric, field) in paper()["columns"].items():
            cell = (find_setting(setting).name, paper()["systems"][name], metric, field)
            note = noted.get((heads, column), "")
            records.append((*cell, column, float(row[column]) / 100, note))
    print_ = pd.DataFrame(records, columns=[*CELL, "column", "printed", "notes"])
    ours = tidy(results)
    ours = ours[ours["setting"].isin(print_["setting"])]
    about = results.frame[["corpus", "split"]].drop_duplicates().to_numpy().tolist()
    if about != [[paper()["corpus"], f"{paper()['split']}-{paper()['part']}"]]:
        print_ = print_.iloc[:0]
    order = pd.concat([print_[CELL], ours[CELL]]).drop_duplicates()
    both = order.merge(print_, on=CELL, how="left").merge(ours, on=CELL, how="left")
    both = both[[*CELL, "ours", "column", "printed", "notes"]]
    return both.assign(difference=both["ours"] - both["printed"], notes=both["notes"].fillna(""))


def tidy(results: Results) -> pd.DataFrame:
    """Return one row per value: setting, system, metric, field (precision, recall, f1), ours."""
    frame = results.frame[[*CELL[:3], *VALUES]]
    # By row, then by value: as a table is read.
    long = frame.melt(CELL[:3], var_name="field", value_name="ours", ignore_index=False)
    return long.sort_index(kind="stable").dropna(subset="ours").astype({"ours": float})


def counts_of(corpus: str, split: str, kind: str) -> pd.DataFrame | None:
    """Return the printed Table 1 if it is about this corpus and split; it counts events.

    Columns: table, view, row, part, printed and notes.
    """
    if (corpus, split, kind) != (paper()["corpus"], paper()["split"], EVENT):
        return None
    noted = _noted("table1")
    records = [
        ("table1", "annotation", row["row"], part, int(count), noted.get((row["row"], part), ""))
        for row in read_table("tables/table1.csv")
        for part, count in row.items()
        if part != "row"
    ]
    columns = ["table", "view", "row", "part", "printed", "notes"]
    return pd.DataFrame(records, columns=columns)


def counts_beside(counts: pd.DataFrame, printed: pd.DataFrame | None) -> pd.DataFrame:
    """Return the counts of a corpus with printed, notes and difference, missing without print."""
    keys = ["view", "row", "part"]
    table = counts.rename(columns={"count": "ours"})
    if printed is None:
        table = table.assign(printed=float("nan"), notes="")
    else:
        table = table.merge(printed.drop(columns="table"), on=keys, how="left")
    return table.assign(
        difference=table["ours"] - table["printed"], notes=table["notes"].fillna("")
    )


def agreement(beside: pd.DataFrame) -> tuple[str, ...]:
    """Return lines on the difference of F columns: mean and largest, and the outlying cells.

    Cells with a note are left out, and a row that is in two tables counts once. Empty if no cell is
    compared.
    """
    rule = paper()["agreement"]
    cells = beside[
        beside["column"].isin(rule["columns"])
        & beside["system"].isin(rule["systems"])
        & beside["difference"].notna()
    ].drop_duplicates(CELL)
    plain = cells[cells["notes"] == ""]
    if plain.empty:
        return ()
    labels = {name: label for label, name in paper()["systems"].items()}
    sizes = 100 * plain["difference"].abs()
    line = (
        f"Mean absolute difference of the {len(plain)} F cells without a note (MUC, B³, CEAF_e, "
        f"BLANC, CoNLL, Avg-4; {', '.join(labels[name] for name in rule['systems'])}): "
        f"{sizes.mean():.2f} points; largest: {sizes.max():.1f}. {len(cells) - len(plain)} F cells "
        "with a note are not included."
    )
    outside = plain[sizes > rule["fair"]]
    if outside.empty:
        return (f"{line} None exceeds {rule['fair']} points.",)
    titles = {(metric, field): f"{group} {name}" for group, name, metric, field in LAYOUT}
    listed = (
        f"{label_of(row['setting'])} {labels[row['system']]} "
        f"{titles[row['metric'], row['field']]} {points(row['difference'])}"
        for row in outside.to_dict("records")
    )
    return (line, f"Above {rule['fair']} points without a note: {'; '.join(listed)}.")

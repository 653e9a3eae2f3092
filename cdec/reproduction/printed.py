"""The paper's published values, the notes on contradictory cells, and our differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import pandas as pd

from cdec.configs import read_table, read_toml
from cdec.corpus.model import EVENT
from cdec.evaluation.results import VALUES, Results
from cdec.settings import find_setting

COUNTS_TABLE = "table1"
_HEADS = ("setting", "system")
# Table 2 has no column for its system: it is Lemma throughout.
_SYSTEM_OF_TABLE_2 = "Lemma"


class Column(NamedTuple):
    """A column of Tables 2 and 3: its id in the CSV, and the metric and field of our results."""

    id: str
    metric: str
    field: str


@dataclass(frozen=True)
class Paper:
    """The mapping of the paper's rows and columns to ours (configs/tables/paper.toml).

    ``systems`` maps published label → system id. ``agreement`` has the columns, systems and marks
    of ``Agreement``, ``figure3`` the chains of a minimal form of Figure 3 and the metric of its
    text.
    """

    citation: str
    corpus: str
    split: str
    part: str
    systems: Mapping[str, str]
    columns: tuple[Column, ...]
    agreement: Mapping[str, Any]
    figure3: Mapping[str, Any]

    def is_about(self, corpus: str, part: str) -> bool:
        """Return whether the paper's tables are about this part of this corpus."""
        return (corpus, part) == (self.corpus, f"{self.split}-{self.part}")


@cache
def paper() -> Paper:
    """Return the description of the published tables."""
    data = read_toml("tables/paper.toml")
    columns = tuple(Column(name, *pair) for name, pair in data.pop("columns").items())
    return Paper(columns=columns, **data)


@cache
def notes() -> dict[str, str]:
    """Return note id → text, in the order of the marks."""
    return {note["id"]: note["text"] for note in read_toml("tables/notes.toml")["note"]}


@cache
def noted(table: str) -> dict[tuple[str, str], str]:
    """Return (row, column) of a published table → ids of the cell's notes, joined by ``;``."""
    ids: dict[tuple[str, str], str] = {}
    for note in read_toml("tables/notes.toml")["note"]:
        places = [place for place in note["place"] if place["table"] == table]
        cells = ((r, c) for place in places for r in place["rows"] for c in place["columns"])
        for cell in cells:
            ids[cell] = ";".join(filter(None, [ids.get(cell), note["id"]]))
    return ids


def printed_scores(table: str) -> pd.DataFrame:
    """Return the published ``table2`` or ``table3``, tidy, in its order.

    Columns: table, setting and system (ids), column, metric, field, printed (in [0, 1]) and
    notes (ids joined by ``;``).
    """
    note_ids = noted(table)
    records = []
    for row in read_table(f"tables/{table}.csv"):
        heads = " ".join(row[head] for head in _HEADS if head in row)
        name = paper().systems[row.get("system", _SYSTEM_OF_TABLE_2)]
        about = {"table": table, "setting": find_setting(row["setting"]).name, "system": name}
        records += [
            about
            | column._asdict()
            | {
                "printed": float(row[column.id]) / 100,
                "notes": note_ids.get((heads, column.id), ""),
            }
            for column in paper().columns
        ]
    return pd.DataFrame(records).rename(columns={"id": "column"})


def counts_of(corpus: str, split: str, kind: str) -> pd.DataFrame | None:
    """Return the published Table 1 if it is about this corpus and split; it counts events."""
    about = (paper().corpus, paper().split, EVENT)
    return printed_counts() if (corpus, split, kind) == about else None


def printed_counts() -> pd.DataFrame:
    """Return the published Table 1, tidy: table, view, row, part, printed and notes."""
    note_ids = noted(COUNTS_TABLE)
    records = [
        {
            "table": COUNTS_TABLE,
            "view": "annotation",
            "row": row["row"],
            "part": part,
            "printed": int(count),
            "notes": note_ids.get((row["row"], part), ""),
        }
        for row in read_table(f"tables/{COUNTS_TABLE}.csv")
        for part, count in row.items()
        if part != "row"
    ]
    return pd.DataFrame(records)


_CELL = ["setting", "system", "metric", "field"]


def compared_scores(table: str, results: Results, printed: bool = True) -> pd.DataFrame:
    """Return our scores and those of the published ``table``, in [0, 1].

    Columns: setting, system, metric, field, ours, column, printed, notes and difference. First the
    cells of the published table in its order (``ours`` is missing without a result), then our other
    results under the settings of that table. ``printed=False`` omits the published values.
    """
    print_ = printed_scores(table).drop(columns="table")
    ours = tidy(results)
    ours = ours[ours["setting"].isin(print_["setting"])]
    if not printed:
        print_ = print_.iloc[:0]
    both = print_.merge(ours, on=_CELL, how="outer")
    order = pd.concat([print_[_CELL], ours[_CELL]]).drop_duplicates()
    both = order.merge(both, on=_CELL, how="left")
    return both.assign(difference=both["ours"] - both["printed"], notes=both["notes"].fillna(""))


def tidy(results: Results) -> pd.DataFrame:
    """Return one row per value: setting, system, metric, field (precision, recall, f1), ours."""
    rows = [
        (row["setting"], row["system"], row["metric"], field, row[field])
        for row in results.frame.to_dict("records")
        for field in VALUES
        if pd.notna(row[field])
    ]
    return pd.DataFrame(rows, columns=[*_CELL, "ours"]).astype({"ours": float})


def compared_counts(counts: pd.DataFrame, printed: bool = True) -> pd.DataFrame:
    """Return ``cdec.corpus.statistics.statistics`` with printed, notes and difference.

    These are missing in rows that the paper lacks (counts by cluster size), and in all rows if
    ``printed=False``.
    """
    ours = counts.rename(columns={"count": "ours"})
    print_ = printed_counts() if printed else printed_counts().iloc[:0]
    table = ours.merge(print_.drop(columns="table"), on=["view", "row", "part"], how="left")
    return table.assign(
        difference=table["ours"] - table["printed"], notes=table["notes"].fillna("")
    )


@dataclass(frozen=True)
class Agreement:
    """Agreement of F columns with the published values; differences in [0, 1].

    ``cells`` cells are compared: the F columns of the systems in configs/tables/paper.toml, without
    the ``noted`` cells that have a note. ``mean`` and ``largest`` are of absolute differences;
    ``outside`` are the compared cells with a difference above ``fair``.
    """

    cells: int
    mean: float
    largest: float
    noted: int
    outside: pd.DataFrame

    @classmethod
    def from_compared(cls, compared: pd.DataFrame) -> Agreement | None:
        """Return the agreement of ``compared_scores`` tables; None if no cell is compared.

        A row that is in two tables counts once.
        """
        rule = paper().agreement
        candidates = compared[
            compared["column"].isin(rule["columns"])
            & compared["system"].isin(rule["systems"])
            & compared["difference"].notna()
        ].drop_duplicates(_CELL)
        without_note = candidates["notes"] == ""
        cells = candidates[without_note]
        if cells.empty:
            return None
        sizes = cells["difference"].abs()
        return cls(
            cells=len(cells),
            mean=float(sizes.mean()),
            largest=float(sizes.max()),
            noted=int((~without_note).sum()),
            outside=cells[sizes * 100 > rule["fair"]],
        )

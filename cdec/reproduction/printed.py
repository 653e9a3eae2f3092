"""The paper's published values as data, and the notes on contradictory cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import pandas as pd

from cdec.configs import read_table, read_toml
from cdec.corpus.model import EVENT
from cdec.settings import find_setting

COUNTS_TABLE = "table1"
SCORE_TABLES = ("table2", "table3")
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
    of ``Agreement``, ``sensitivity`` the parameters of the simulation of lost mentions.
    """

    citation: str
    corpus: str
    split: str
    part: str
    systems: Mapping[str, str]
    columns: tuple[Column, ...]
    agreement: Mapping[str, Any]
    sensitivity: Mapping[str, Any]

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

"""The rows that a run measures: a CSV file that grows by one row a measurement."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

NOT_RUN = "not run"
"""The note of a tool that had no result on a smaller file."""


@dataclass(frozen=True)
class Row:
    """``table`` and ``case`` and ``tool`` name the row; what was not measured is ''.

    Seconds are medians of ``runs``, ``peak`` is in MiB, ``ratio`` is of processor time to cdec on
    the same files, ``difference`` the largest one of any precision, recall or F1 in points.
    """

    table: str
    case: str
    tool: str = ""
    version: str = ""
    metrics: str = ""
    mentions: str = ""
    runs: str = ""
    wall: str = ""
    cpu: str = ""
    peak: str = ""
    ratio: str = ""
    difference: str = ""
    values: str = ""
    note: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.table, self.case, self.tool


def read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return [Row(**row) for row in csv.DictReader(file)]


def write(rows: list[Row], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        to = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        to.writeheader()
        to.writerows(map(asdict, rows))


def as_text(values: Mapping[str, tuple[float, ...]]) -> str:
    """Metrics with precision, recall and F1 in percent: ``muc 80.42268 74.153846 77.161153; …``."""
    named = (" ".join([name, *map("{:.6f}".format, each)]) for name, each in values.items())
    return "; ".join(named)


def difference(one: str, other: str) -> float:
    """The largest difference of any value of a metric that both texts have, in points.

    Raises ValueError if they have no metric in common.
    """
    sides = [
        {name: [*map(float, each)] for name, *each in map(str.split, text.split("; "))}
        for text in (one, other)
    ]
    return max(
        abs(ours - theirs)
        for name in sides[0].keys() & sides[1].keys()
        for ours, theirs in zip(sides[0][name], sides[1][name], strict=True)
    )


class Log:
    """Rows in the file ``path``; those of an interrupted run with the same ``about`` are kept."""

    def __init__(self, path: Path, about: list[Row]) -> None:
        earlier = read(path) if path.exists() else []
        same = path.exists() and [row for row in earlier if row.table == "about"] == about
        self.path, self.rows = path, earlier if same else list(about)
        self.is_new = not same

    def row(self, row: Row, measure: Callable[[Row], Row]) -> Row:
        """Return the row as it was measured before, or ``measure`` it and save it."""
        for known in self.rows:
            if known.key == row.key:
                return known
        self.rows.append(measure(row))
        if self.rows[-1] is not row:
            print(*filter(None, (*row.key, self.rows[-1].note)), sep=" | ", flush=True)
        write(self.rows, self.path)
        return self.rows[-1]

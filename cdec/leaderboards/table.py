"""The results of a board: one table, whose rows are scores and nothing else.

A row is a metric of a system on a task under a setting. The first row of each setting has its
signature as JSON. ``cdec leaderboard score`` replaces rows; a table with another column, two rows
of one score or a value that is no score is refused.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdec.errors import FormatError
from cdec.evaluation.results import FORMAT, Results
from cdec.files.input import FileKind
from cdec.files.output import save_bytes
from cdec.leaderboards.board import Leaderboard
from cdec.metrics import COUNT_COLUMNS
from cdec.settings.catalog import STRICT_TO_LENIENT
from cdec.signature import Signature, in_json

HEAD = ["task", "system", "setting", "metric"]
SCORES = ["precision", "recall", "f1", "precision_sd", "recall_sd", "f1_sd"]
NUMBERS = [*SCORES, "runs", *COUNT_COLUMNS]
COLUMNS = [*HEAD, *NUMBERS, "signature"]
_NAMES = ("results.csv.gz", "results.csv")
_HINT = "use `cdec leaderboard score`"
_KIND = FileKind("a table of results", FormatError, "file-invalid", _HINT, 2**28)


def place_of(board: Leaderboard) -> Path:
    """Return the path of the table, which is compressed if it was."""
    there = [board.folder / name for name in _NAMES if (board.folder / name).is_file()]
    return there[0] if there else board.folder / _NAMES[-1]


@dataclass(frozen=True, eq=False)
class ResultTable:
    """The saved results of a board: ``rows`` with the columns COLUMNS, in the order of its jobs."""

    board: Leaderboard
    rows: pd.DataFrame

    @classmethod
    def of(cls, board: Leaderboard) -> ResultTable:
        """Read the table of a board, empty if there is none. Raises FormatError."""
        path = place_of(board)
        if not path.is_file():
            return cls.empty(board)
        data = _KIND.read_bytes(path)
        try:
            text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
            return cls(board, _read(text))
        except (OSError, EOFError, ValueError, csv.Error) as error:
            raise _KIND.refuse(path, str(error).splitlines()[0]) from None

    @classmethod
    def empty(cls, board: Leaderboard) -> ResultTable:
        """Return a table without rows."""
        kinds = {**dict.fromkeys(COLUMNS, "object"), **dict.fromkeys(NUMBERS, "float64")}
        return cls(board, pd.DataFrame(columns=COLUMNS).astype(kinds))

    @cached_property
    def jobs(self) -> dict[tuple[str, str], pd.DataFrame]:
        """Task and system → its rows, of every system with responses to the task.

        Raises FormatError for a system whose results on a task have not been saved.
        """
        known = {(str(t), str(s)): rows for (t, s), rows in self._groups}
        for entry, task in self.board.jobs():
            if (task.name, entry.name) not in known:
                raise self._missing(f"{entry.name} on {task.name}")
        return {(t.name, e.name): known[t.name, e.name] for e, t in self.board.jobs()}

    @property
    def _groups(self) -> Iterable[Any]:
        return self.rows.groupby(["task", "system"], sort=False)

    def _missing(self, of: str) -> FormatError:
        message = f"the results of {of} have not been saved"
        return FormatError("argument-missing", message, place=place_of(self.board), hint=_HINT)

    @cached_property
    def signatures(self) -> dict[tuple[str, str], list[Signature]]:
        """Task and system → the signature of each setting."""
        given = self.rows[self.rows["signature"] != ""]
        found: dict[tuple[str, str], list[Signature]] = {}
        for task, system, text in given[["task", "system", "signature"]].itertuples(index=False):
            found.setdefault((task, system), []).append(_signature(text))
        return found

    def signature(self, task: str, system: str) -> Signature:
        """Return the first signature. Raises FormatError if there is none."""
        if (task, system) not in self.signatures:
            raise self._missing(f"{system} on {task}")
        return self.signatures[task, system][0]

    def of_task(self, task: str, systems: Iterable[str] | None = None) -> pd.DataFrame:
        """Return the rows of a task, with corpus and split before them. Raises FormatError.

        ``systems`` chooses and orders them.
        """
        known = [system for name, system in self.jobs if name == task]
        parts = [self.jobs[task, system] for system in (known if systems is None else systems)]
        rows = pd.concat(parts, ignore_index=True) if parts else self.rows.iloc[:0]
        for field in ("split", "corpus"):
            values = [
                self.signatures[task, system][0].fields.get(field, "") for system in rows["system"]
            ]
            rows.insert(0, field, values)
        return rows

    def replaced(self, new: Iterable[pd.DataFrame]) -> ResultTable:
        """Return the table with new rows instead of those of the same task and system.

        Rows without a system, or without responses to the task, go.
        """
        groups = dict(iter(self._groups))
        groups |= {(rows["task"].iloc[0], rows["system"].iloc[0]): rows for rows in new}
        jobs = [(task.name, entry.name) for entry, task in self.board.jobs()]
        kept = [groups[job] for job in jobs if job in groups]
        rows = pd.concat(kept, ignore_index=True) if kept else self.rows.iloc[:0]
        return ResultTable(self.board, rows)

    def save(self) -> None:
        """Write the table. Raises FormatError."""
        path, counts = place_of(self.board), ["runs", *COUNT_COLUMNS]
        whole = {name: self.rows[name].map(_plain) for name in counts}
        data = self.rows.assign(**whole).to_csv(index=False, lineterminator="\n").encode()
        save_bytes(gzip.compress(data, 9, mtime=0) if path.suffix == ".gz" else data, path)

    def text(self, task: str, system: str) -> str:
        """Return the results of a system on a task as JSON of `cdec eval`, one row a line."""
        signatures = self.signatures[task, system]
        first = signatures[0].fields
        head = {"format": FORMAT, **in_json(*signatures)}
        signed = head.pop("signatures")
        place = {"corpus": first.get("corpus", ""), "split": first.get("split", "")}
        names = ["setting", "system", "metric", *SCORES[:3], *COUNT_COLUMNS, *SCORES[3:], "runs"]
        values = self.jobs[task, system][names].astype(object)
        values["runs"] = values["runs"].map(_plain)
        known = values.notna().to_numpy() & (values != "").to_numpy()
        rows = [
            place | {name: row[n] for n, name in enumerate(names) if there[n]}
            for row, there in zip(values.to_numpy().tolist(), known.tolist(), strict=True)
        ]
        parts = [f"{json.dumps(name)}: {_json(value)}" for name, value in head.items()]
        for name, records in (("signatures", signed), ("rows", rows)):
            lines = ",\n  ".join(map(_json, records))
            parts.append(f'"{name}": [\n  {lines}\n ]')
        return "{" + ",\n ".join(parts) + "}\n"


def settings_of(rows: pd.DataFrame) -> list[str]:
    """Return the settings that have scores, strict to lenient, then others."""
    known = {*rows["setting"]}
    names = [setting.name for setting in STRICT_TO_LENIENT if setting.name in known]
    return names + sorted(known - {*names})


def wide(board: Leaderboard, rows: pd.DataFrame, metric: str, column: str = "f1") -> pd.DataFrame:
    """Return a value of a metric: a row a system, a column a setting.

    First those without a rank, then the others, the best under the strictest setting first.
    """
    own = rows[rows["metric"] == metric]
    table = own.pivot(index="system", columns="setting", values=[*{"f1": 0, column: 0}])
    f1, settings = table["f1"], settings_of(own)
    first = -f1[settings[0]].fillna(-1) if settings else pd.Series(dtype=float)
    order = sorted(f1.index, key=lambda name: (board.systems[name].ranked, first[name], name))
    return pd.DataFrame(table[column]).reindex(index=order, columns=settings)


def rows_of(task: str, results: Results) -> pd.DataFrame:
    """Return the results of a system on a task as rows of a table."""
    parts: list[pd.DataFrame] = []
    for one, signed in zip(results, results.signatures, strict=True):
        signature = [_json(dict(signed.fields)), *[""] * (len(one.frame) - 1)]
        parts.append(one.frame.assign(task=task, signature=signature))
    rows = pd.DataFrame(pd.concat(parts, ignore_index=True), columns=COLUMNS)
    return rows.astype(dict.fromkeys(NUMBERS, float))


def _read(text: str) -> pd.DataFrame:
    """Return a table. Raises ValueError for one that has anything else than scores."""
    head, *lines = csv.reader(io.StringIO(text, newline=""))
    if head != COLUMNS:
        found = [name for name in head if name not in COLUMNS] or "some that are missing or moved"
        raise ValueError(f"expected the columns {', '.join(COLUMNS)}, found {found}")
    for number, line in enumerate(lines, start=2):
        if len(line) != len(COLUMNS):
            raise ValueError(f"line {number} has {len(line)} fields, expected {len(COLUMNS)}")
    rows = pd.DataFrame(lines, columns=COLUMNS, dtype=object)
    for name in NUMBERS:  # by Python's float, which is exact
        rows[name] = np.array([float(value or "nan") for value in rows[name]])
    double = rows[rows.duplicated(HEAD)]
    if len(double):
        raise ValueError(f"two rows of {', '.join(double.iloc[0][HEAD])}")
    values = rows[NUMBERS]
    high = [1 + 1e-9] * len(SCORES) + [1e18] * (len(NUMBERS) - len(SCORES))
    wrong = ~(values.isna() | ((values >= 0) & (values <= high))).all(axis=1) | rows["f1"].isna()
    first = ~rows.duplicated(["task", "system", "setting"])
    signed = [isinstance(text and json.loads(text), dict) for text in rows["signature"]]
    for what, odd in (
        ("a value that is no score", wrong),
        ("a signature that is missing, or not in the first row of its setting", first != signed),
    ):
        if odd.any():
            raise ValueError(f"line {2 + int(odd.to_numpy().argmax())} has {what}")
    return rows


def _signature(text: str) -> Signature:
    """Return a signature of JSON, which has lists for the tuples in which several runs differ."""
    fields = json.loads(text)
    several = "runs" in fields
    return Signature(
        {n: tuple(v) if several and isinstance(v, list) else v for n, v in fields.items()}
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain(value: float) -> object:
    """Return a count without ``.0``, '' if it is missing."""
    return "" if isnan(value) else int(value) if value.is_integer() else value

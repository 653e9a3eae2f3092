"""Files of mention pairs: CSV, TSV, JSON Lines and Parquet, and frames in memory.

A row has two mentions (``a`` and ``b``, or another of the names in ``fields.pair_names``) and can
have a score and what else is known of the pair (EXTRA). Further columns are ignored.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdec.errors import CdecError, FormatError
from cdec.formats.fields import normal, pair_names
from cdec.io.inputfile import FileKind
from cdec.io.strict_json import parse

SCORE = "score"
EXTRA = ("label", "seconds", "tokens_in", "tokens_out", "prompt")
_NEEDED = "write a table with the columns a and b, two mentions a row, or JSON lines with a and b"
_KIND = FileKind("a list of mention pairs", FormatError, "table-invalid", _NEEDED, 2**32)
_PARQUET = b"PAR1"
_MISSING = ("", "nan", "NaN", "None", "null")


@dataclass(frozen=True, eq=False)
class PairTable:
    """The rows of a list of pairs: ``a``, ``b``, and those of ``score`` and EXTRA that it has.

    The index has the lines of the file. A missing score is NaN.

    >>> PairTable.of("mine", pd.DataFrame({"Mention 1": ["x"], "Mention 2": ["y"]})).place(0)
    'mine:0'
    """

    name: str
    rows: pd.DataFrame

    @classmethod
    def of(cls, name: str, rows: pd.DataFrame) -> PairTable | None:
        """Return the table of columns with any of the known names; None if they name no pair.

        Raises FormatError for an empty mention, a column that occurs twice, and a score that is
        not a finite number.
        """
        names = pair_names(map(str, rows.columns))
        if names is None:
            return None
        known = {normal(str(column)): column for column in rows.columns}
        columns = dict(zip(("a", "b"), names, strict=True))
        columns |= {new: known[new] for new in (SCORE, *EXTRA) if new in known}
        for column in columns.values():
            if list(rows.columns).count(column) > 1:
                raise _KIND.refuse(name, f"the column '{column}' occurs twice")
        table = cls(name, rows[list(columns.values())].set_axis(list(columns), axis=1))
        for side in ("a", "b"):
            if (blank := table.rows[side].isna() | (table.rows[side] == "")).any():
                raise table.refuse(int(blank.argmax()), "the row has no two mentions")
        return cls(name, table.rows.assign(score=table._numbers())) if table.has_scores else table

    @property
    def has_scores(self) -> bool:
        """Whether the pairs have scores."""
        return SCORE in self.rows

    def place(self, row: int) -> str:
        """Return file and line of a row, counted from 0."""
        return f"{self.name}:{self.rows.index[row]}"

    def refuse(self, row: int, message: str, hint: str | None = None) -> CdecError:
        """Return the error for a row, counted from 0."""
        return _KIND.refuse(self.place(row), message, hint)

    def _numbers(self) -> pd.Series[float]:
        given = self.rows[SCORE]
        numbers = pd.to_numeric(given, errors="coerce").astype(np.float64)
        bad = np.isinf(numbers) | (numbers.isna() & ~(given.isna() | given.isin(_MISSING)))
        if bad.any():
            row = int(bad.argmax())
            message = f"the score '{str(given.iloc[row])[:40]}' is not a finite number"
            hint = "write a number, or leave it empty for a pair that was not scored"
            raise self.refuse(row, message, hint)
        return numbers


def read_pairs(path: str) -> PairTable | None:
    """Return the pairs of a file; None if its header or first line names no two mentions.

    Raises FormatError with ``file:line`` for a row without two mentions or with an invalid score.
    """
    data = _KIND.read_bytes(Path(path))
    if data.startswith(_PARQUET):
        return PairTable.of(path, _parquet(data, path))
    if _KIND.decode(data, path).lstrip().startswith("{"):
        rows = _json_rows(data.decode("utf-8-sig"), path)
    else:
        rows = _rows(data, path)
    return None if rows is None else PairTable.of(path, rows)


def _rows(data: bytes, path: str) -> pd.DataFrame | None:
    head = next(line for line in io.BytesIO(data) if line.strip()).decode("utf-8-sig")
    separator = next((sign for sign in "\t,;" if sign in head), ",")
    header = [name.strip(' "\r\n') for name in head.split(separator)]
    mentions = pair_names(header)
    if mentions is None:
        return None
    # Mentions are few and rows many: a category is stored once.
    types: dict[Hashable, Any] = dict.fromkeys(header, object) | dict.fromkeys(mentions, "category")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(
                io.BytesIO(data),
                sep=separator,
                dtype=types,
                keep_default_na=False,
                skip_blank_lines=False,
                index_col=False,
                encoding="utf-8-sig",
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as error:
        raise _KIND.refuse(path, f"invalid table: {str(error).strip()}") from None
    table.columns = pd.Index(header)
    table.index = table.index + 2
    blank = np.logical_and.reduce([(cells == "").to_numpy() for _, cells in table.items()])
    rows: pd.DataFrame = table[~blank]
    return rows


def _json_rows(text: str, path: str) -> pd.DataFrame | None:
    records: dict[int, Mapping[str, Any]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            record = parse(line)
        except ValueError as error:
            raise _KIND.refuse(f"{path}:{number}", f"invalid JSON: {error}") from None
        if not isinstance(record, dict) or pair_names(record) is None:
            if not records:
                return None
            raise _KIND.refuse(f"{path}:{number}", "the line has no two mentions")
        records[number] = record
    return pd.DataFrame(list(records.values()), index=list(records))


def _parquet(data: bytes, path: str) -> pd.DataFrame:
    try:
        return pd.read_parquet(io.BytesIO(data), engine="pyarrow")
    except ImportError:
        message = "tables in Parquet require pyarrow, which is not installed"
        hint = "pip install 'cdec[parquet]'"
        raise FormatError("package-missing", message, place=path, hint=hint) from None
    except (OSError, ValueError) as error:  # pyarrow's own errors are among these
        raise _KIND.refuse(path, f"damaged Parquet: {error}", "get it again") from None

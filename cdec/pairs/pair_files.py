"""Files of mention pairs: CSV, TSV, JSON, JSON Lines and Parquet, and frames in memory.

A row has two mentions (``a`` and ``b``, or another of the names in ``fields.PAIR``) and can have a
score, a label (1 for a link, else 0), seconds and tokens that it cost, and a prompt. Further
columns are not read, which a notice says.
"""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdec.errors import CdecError, FormatError, Notice, counted
from cdec.files.input import FileKind
from cdec.files.strict_json import parse
from cdec.formats.fields import PAIR, normal, pair_names

SCORE, LABEL, PROMPT = "score", "label", "prompt"
COSTS = ("seconds", "tokens_in", "tokens_out")
_NUMBERS = (SCORE, *COSTS)
_FIELDS: dict[str, tuple[str, ...]] = {
    **{"a": PAIR[0], "b": PAIR[1], SCORE: (SCORE, "answer")},
    **{name: (name,) for name in (*COSTS, LABEL, PROMPT)},
}
_ANSWERS = {"yes": 1.0, "no": 0.0}  # of a language model, instead of a score
_LABELS = {"1": 1.0, "true": 1.0, "yes": 1.0, "0": 0.0, "false": 0.0, "no": 0.0}
_NEEDED = "write a table with the columns a and b, two mentions a row, or JSON lines with a and b"
_KIND = FileKind("a list of mention pairs", FormatError, "file-invalid", _NEEDED, 2**32)
_PARQUET = b"PAR1"
_LARGEST = 1e30  # of a score: sums of scores must be finite
_NO_NUMBERS = ("complex", "mixed", "datetime", "datetime64", "timedelta", "timedelta64")
_MISSING = ("", "nan", "NaN", "None", "null")


@dataclass(frozen=True, eq=False)
class PairTable:
    """The rows of a list of pairs: ``a``, ``b``, and ``score`` if it has scores.

    It is made of a table with any of the names in ``fields.PAIR``. The index has the lines of a
    file, or the numbers of the rows. The table may have a ``label`` (1: a link), COSTS and a
    ``prompt``. A missing value is NaN. ``notices`` names the columns that are not read.

    Raises FormatError for a table without two mentions in each row, two columns of one field, a
    score that is not a number up to 1e30, costs that are none or negative, and any other label.

    >>> PairTable("mine", pd.DataFrame({"Mention 1": ["x"], "Mention 2": ["y"]})).place(0)
    'mine:0'
    """

    name: str
    rows: pd.DataFrame
    notices: tuple[Notice, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        columns, given = self._columns(), self.rows
        unread = given.drop(columns=given.columns[list(columns.values())])
        object.__setattr__(self, "notices", _unread(unread, scored=SCORE in columns))
        if not pd.api.types.is_integer_dtype(given.index):
            given = given.reset_index(drop=True)
        rows = given.iloc[:, list(columns.values())].set_axis(list(columns), axis=1)
        rows = rows.assign(**{n: rows[n].map(_flat) for n in (LABEL, PROMPT) if _is_mixed(rows, n)})
        object.__setattr__(self, "rows", rows)
        for side in ("a", "b"):
            bad = rows[side].isna() | ~rows[side].map(_is_mention).astype(bool)
            if bad.any():
                row = int(bad.argmax())
                hint = "a mention is an id, or doc/start-end, as text"
                raise self.refuse(row, "the row has no two mentions", hint)
        read = {name: self._numbers(name) for name in _NUMBERS if name in rows}
        if LABEL in rows:
            read[LABEL] = self._labels()
        object.__setattr__(self, "rows", rows.assign(**read))

    def _columns(self) -> dict[str, int]:
        """Return the position of the column of each field."""
        names = [normal(str(column)) for column in self.rows.columns]
        columns: dict[str, int] = {}
        for name, aliases in _FIELDS.items():
            own = [at for at, column in enumerate(names) if column in aliases]
            if len(own) > 1:
                one, two = self.rows.columns[own[:2]]
                message = f"'{one}' and '{two}' both mean the field '{name}'"
                raise _KIND.refuse(self.name, message, "rename or remove one of them")
            if own:
                columns[name] = own[0]
        if not {"a", "b"} <= columns.keys():
            raise _KIND.refuse(self.name, "no two columns have mentions")
        return columns

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

    def _numbers(self, name: str) -> pd.Series[float]:
        given = self.rows[name]
        if pd.api.types.infer_dtype(given) in _NO_NUMBERS:
            odd = given.map(lambda value: isinstance(value, complex | datetime | timedelta))
            self._refuse_bad(name, odd.astype(bool), "a real number", "write a number")
        if name == SCORE and given.dtype.kind == "O":
            given = given.astype(object)
            known = given.map(lambda value: _ANSWERS.get(str(value).strip(" .\r\n").casefold()))
            given = given.where(known.isna(), known)
        try:
            numbers = pd.to_numeric(given, errors="coerce").astype(np.float64)
        except OverflowError:  # an integer of JSON that is too large
            numbers = pd.to_numeric(given.astype(str), errors="coerce").astype(np.float64)
        bad = numbers.abs() > _LARGEST
        if name in COSTS:
            bad |= numbers < 0
        if given.dtype.kind not in "iuf":
            bad |= numbers.isna() & ~(given.isna() | given.isin(_MISSING))
            if pd.api.types.infer_dtype(given) in ("boolean", "mixed", "mixed-integer"):
                bad |= given.map(lambda value: isinstance(value, bool | np.bool_)).astype(bool)
        kind = "a number up to 1e30" if name == SCORE else "a number from 0 to 1e30"
        hint = "write a number, or leave it empty if it is unknown"
        if name == SCORE:
            hint = "write a number, yes or no, or leave it empty for a pair that was not scored"
        self._refuse_bad(name, bad, kind, hint)
        return numbers

    def _labels(self) -> pd.Series[float]:
        given = self.rows[LABEL].astype("category")
        texts = {label: str(label).strip().casefold() for label in given.cat.categories}
        known = {label: _LABELS.get(text.removesuffix(".0")) for label, text in texts.items()}
        labels = given.map(known).astype(np.float64)
        bad = labels.isna() & ~(given.isna() | given.isin(_MISSING))
        self._refuse_bad(LABEL, bad, "0 or 1", "write 1 for a link, 0 for none, or leave it empty")
        return labels

    def _refuse_bad(self, name: str, bad: pd.Series[bool], kind: str, hint: str) -> None:
        if bad.any():
            row = int(bad.to_numpy().argmax())
            text = str(self.rows[name].iloc[row])[:40]
            raise self.refuse(row, f"the {name} '{text}' is not {kind}", hint)


def read_pairs(path: str) -> PairTable | None:
    """Return the pairs of a file; None if its header or first line names no two mentions.

    Raises FormatError with ``file:line`` for a row without two mentions or with an invalid score.
    """
    data = _KIND.read_bytes(Path(path))
    if data.startswith(_PARQUET):
        rows: pd.DataFrame | None = _parquet(data, path)
    elif _KIND.decode(data, path).lstrip().startswith(("{", "[")):
        rows = _json_rows(data.decode("utf-8-sig"), path)
    else:
        rows = _rows(data, path)
    if rows is None or pair_names(map(str, rows.columns)) is None:
        return None
    return PairTable(path, rows)


def _unread(columns: pd.DataFrame, *, scored: bool) -> tuple[Notice, ...]:
    """Return the notice of columns that are not read: a warning if one may be the scores."""
    if columns.empty:
        return ()
    names = ", ".join(f"'{name}'" for name in columns.columns)
    message = f"{counted(len(columns.columns), 'column is', 'columns are')} not read: {names}"
    values = columns.head(1000).apply(pd.to_numeric, errors="coerce")
    numbers = [name for name, given in values.items() if given.notna().any()]
    if numbers and not scored:
        message += f"; the list has no column '{SCORE}': rename '{numbers[0]}' if it has the scores"
    warning = bool(numbers) and not scored
    return (Notice("reading-assumed", len(columns.columns), message, warning=warning),)


def _is_mixed(rows: pd.DataFrame, name: str) -> bool:
    return name in rows and pd.api.types.infer_dtype(rows[name]) == "mixed"


def _flat(value: object) -> object:
    """Return the text of a list or an object, such as the messages of a prompt in JSON."""
    value = value.tolist() if isinstance(value, np.ndarray) else value
    return str(value) if isinstance(value, list | dict) else value


def _is_mention(value: object) -> bool:
    known = isinstance(value, str | int | np.integer) and not isinstance(value, bool)
    return known and value != ""


def _rows(data: bytes, path: str) -> pd.DataFrame | None:
    lines = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig")
    skipped, head = next((number, line) for number, line in enumerate(lines) if line.strip())
    separator = next((sign for sign in "\t,;" if sign in head), ",")
    records = csv.reader(chain([head], lines), delimiter=separator, skipinitialspace=True)
    try:
        header = [name.strip() for name in next(records)]
    except csv.Error:  # a quote without an end
        return None
    mentions = pair_names(header)
    if mentions is None:
        return None
    sides = [header.index(name) for name in mentions]
    texts = dict.fromkeys(range(len(header)), "object")
    form = {"sep": separator, "skiprows": skipped}
    # Mentions are few and rows many: a category is stored once.
    fast = texts | dict.fromkeys(sides, "category")
    fast |= {at: "float64" for at, name in enumerate(header) if normal(name) in _NUMBERS}
    table = _table(data, path, fast, form)
    if table is None or any(table[side].cat.categories.dtype.kind != "O" for side in sides):
        table = _table(data, path, texts, form)  # there are other texts, or all ids are numbers
    if table is None:
        return None
    for side in sides:
        table[side] = table[side].map(str.strip).astype("category")
    table.index = _lines(table, skipped + records.line_num, data.count(b"\n"))
    blank = np.logical_and.reduce([(cells.isna() | (cells == "")) for _, cells in table.items()])
    rows: pd.DataFrame = table.set_axis(header, axis=1)[~blank]
    return rows


def _table(
    data: bytes, path: str, types: Mapping[int, str], form: Mapping[str, Any]
) -> pd.DataFrame | None:
    """Return the table; None if a column of numbers has other texts."""
    numbers = [at for at, kind in types.items() if kind == "float64"]
    form = {**form, "na_values": {at: [""] for at in numbers}}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table: pd.DataFrame = pd.read_csv(
                io.BytesIO(data),
                header=0,
                names=range(len(types)),
                dtype=types,
                skipinitialspace=True,
                keep_default_na=False,
                skip_blank_lines=False,
                index_col=False,
                encoding="utf-8-sig",
                **form,
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as error:
        if numbers:
            return None
        raise _KIND.refuse(path, f"invalid table: {str(error).strip()}") from None
    return table


def _lines(table: pd.DataFrame, before: int, ends: int) -> pd.Index[int]:
    """Return the line of each row of a file with this number of lines before, and line ends."""
    lines = np.arange(len(table)) + before + 1
    if ends > before + len(table):  # some are in quotes
        texts = table.select_dtypes(exclude="float")
        inside = sum(cells.str.count("\n").to_numpy(np.int64) for _, cells in texts.items())
        lines[1:] += np.cumsum(inside)[:-1]
    return pd.Index(lines)


def _json_rows(text: str, path: str) -> pd.DataFrame | None:
    """Return the rows of JSON lines, or of one array, by line or by number."""

    def parsed(text: str, place: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            raise _KIND.refuse(place, f"invalid JSON: {error}") from None

    lines = enumerate(text.split("\n"), start=1)
    given: Iterable[tuple[int, Any]] = (
        enumerate(parsed(text, path), start=1)
        if text.lstrip().startswith("[")
        else ((number, parsed(line, f"{path}:{number}")) for number, line in lines if line.strip())
    )
    records: dict[int, Mapping[str, Any]] = {}
    for number, record in given:
        if not isinstance(record, dict) or pair_names(record) is None:
            if not records:
                return None
            raise _KIND.refuse(f"{path}:{number}", "the row has no two mentions")
        records[number] = record
    return pd.DataFrame(list(records.values()), index=list(records), dtype=object)


def _parquet(data: bytes, path: str) -> pd.DataFrame:
    try:
        return pd.read_parquet(io.BytesIO(data), engine="pyarrow")
    except ImportError:
        message = "tables in Parquet require pyarrow, which is not installed"
        hint = "pip install 'cdec[parquet]'"
        raise FormatError("package-missing", message, place=path, hint=hint) from None
    except (OSError, ValueError) as error:  # pyarrow's own errors are among these
        raise _KIND.refuse(path, f"damaged Parquet: {error}", "get it again") from None

"""Lists of mention pairs: CSV, TSV, JSON and JSON Lines, and frames in memory.

A row has two mentions (``a`` and ``b``, or another of the names in ``fields.PAIR``) and can have a
score, a label (1 for a link, else 0), seconds and tokens that it cost, and a prompt. Further
columns are not read, which a notice says.
"""

from __future__ import annotations

import csv
import io
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdec.errors import CdecError, FormatError, Notice, counted
from cdec.files.input import FileKind, Source
from cdec.files.strict_json import parse, parse_at
from cdec.formats.fields import PAIR, normal, pair_names
from cdec.formats.heading import without_answer

SCORE, LABEL, PROMPT = "score", "label", "prompt"
COSTS = ("seconds", "tokens_in", "tokens_out")
_FIELDS: dict[str, tuple[str, ...]] = {
    **{"a": PAIR[0], "b": PAIR[1], SCORE: (SCORE, "answer")},
    **{name: (name,) for name in (*COSTS, LABEL, PROMPT)},
}
_LARGEST = 1e30  # of a score: sums of scores must be finite
_MISSING = ("", "nan", "NaN", "None", "null")
_YES = {"yes": "1", "no": "0"}  # the answer of a language model, instead of a score
_TRUE = {**_YES, "true": "1", "false": "0"}
# Field → the texts that are numbers, the limits of a number, what it is, and the cure.
_NUMBERS: dict[str, tuple[dict[str, str], float, str, str]] = {
    SCORE: (
        _YES,
        -_LARGEST,
        "a number up to 1e30",
        "write a number, yes or no, or leave it empty for a pair that was not scored",
    ),
    LABEL: (_TRUE, 0.0, "0 or 1", "write 1 for a link, 0 for none, or leave it empty"),
    **dict.fromkeys(
        COSTS,
        ({}, 0.0, "a number from 0 to 1e30", "write a number, or leave it empty if it is unknown"),
    ),
}
_KIND = FileKind(
    "a list of mention pairs",
    FormatError,
    "file-invalid",
    "write a table with the columns a and b, two mentions a row, or JSON lines with a and b",
    2**32,
)


@dataclass(frozen=True, eq=False)
class PairTable:
    """The rows of a list of pairs: ``a`` and ``b`` (categories) and what else ``_FIELDS`` names.

    The index has the lines of a file, or the numbers of the rows. A missing value is NaN.
    ``notices`` names the columns that are not read.
    """

    name: str
    rows: pd.DataFrame
    notices: tuple[Notice, ...]

    @classmethod
    def of(cls, name: str, given: pd.DataFrame) -> PairTable:
        """Return the pairs of a table with any of the names in ``fields.PAIR``.

        Raises FormatError for a table without two mentions in each row, two columns of one field, a
        score that is not a number up to 1e30, costs that are none or negative, any other label.

        >>> given = pd.DataFrame({"Mention 1": ["x"], "Mention 2": ["y"], "answer": ["Yes."]})
        >>> PairTable.of("mine", given).rows.to_numpy().tolist()
        [['x', 'y', 1.0]]
        """
        fields = {alias: field for field, aliases in _FIELDS.items() for alias in aliases}
        columns: dict[str, int] = {}
        for at, title in enumerate(given.columns):
            field = fields.get(normal(str(title)))
            if field in columns:
                message = f"'{given.columns[columns[field]]}' and '{title}' both mean '{field}'"
                raise _KIND.refuse(name, message, "rename or remove one of them")
            if field:
                columns[field] = at
        if not {"a", "b"} <= columns.keys():
            raise _KIND.refuse(name, "no two columns have mentions")
        if not pd.api.types.is_integer_dtype(given.index):
            given = given.reset_index(drop=True)
        rows = given.iloc[:, list(columns.values())].set_axis(list(columns), axis=1)
        unread = _unread(given.drop(columns=given.columns[list(columns.values())]), SCORE in rows)
        table = cls(name, rows, unread)
        return cls(name, rows.assign(**{field: table._read(field) for field in columns}), unread)

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

    def _read(self, name: str) -> pd.Series[Any]:
        given = self.rows[name]
        if name in ("a", "b"):
            mentions = given.astype(object).map(_mention).astype("category")
            if (bad := mentions.isna().to_numpy()).any():
                hint = "a mention is an id, or doc/start-end, as text"
                raise self.refuse(int(bad.argmax()), "the row has no two mentions", hint)
            return mentions
        if name == PROMPT:  # the messages of a prompt can be a list
            return given.where(given.isna(), given.astype(object).map(str))
        words, lowest, kind, hint = _NUMBERS[name]
        if given.dtype.kind in "iuf":
            numbers, missing = given.astype(np.float64), given.isna()
        else:
            texts = given.astype(object).map(str)
            if words:
                known = texts.str.strip(" .\r\n").str.casefold().map(words)
                texts = texts.where(known.isna(), known)
            missing = given.isna() | texts.isin(_MISSING)
            numbers = pd.to_numeric(texts, errors="coerce").astype(np.float64)
        right = numbers.between(lowest, _LARGEST) & ((name != LABEL) | numbers.isin((0, 1)))
        if (bad := (~right & ~missing).to_numpy()).any():
            row = int(bad.argmax())
            message = f"the {name} '{str(given.iloc[row])[:40]}' is not {kind}"
            raise self.refuse(row, message, hint)
        return numbers


def read_pairs(path: str) -> PairTable | None:
    """Return the pairs of a file; None if its header or first line names no two mentions.

    Raises FormatError with ``file:line`` for a row without two mentions or with an invalid score.
    """
    source, answered = without_answer(Source(path, _KIND.read_text(Path(path))))
    text = source.text
    rows = _json_rows(text, path) if text.lstrip().startswith(("{", "[")) else _rows(text, path)
    if rows is None:
        return None
    table = PairTable.of(path, rows)
    return replace(table, notices=(*answered, *table.notices))


def _rows(text: str, path: str) -> pd.DataFrame | None:
    """Return the rows of a table by line; None if its header names no two mentions."""
    skipped = text[: len(text) - len(text.lstrip())].count("\n")
    head = text.lstrip().partition("\n")[0]
    separator = next((sign for sign in "\t,;" if sign in head), ",")
    header = [name.strip() for name in next(csv.reader([head], delimiter=separator))]
    if pair_names(header) is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # a row with more cells
            table = pd.read_csv(
                io.StringIO(text),
                sep=separator,
                skiprows=skipped + 1,
                names=range(len(header)),
                dtype=object,
                skipinitialspace=True,
                keep_default_na=False,
                skip_blank_lines=False,
                index_col=False,
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as error:
        raise _KIND.refuse(path, f"invalid table: {str(error).strip()}") from None
    lines = np.arange(len(table)) + skipped + 2
    if text.count("\n") > skipped + 1 + len(table):  # some are in quotes
        breaks = table.apply(lambda cells: cells.str.count("\n")).sum(axis=1).astype(np.int64)
        lines[1:] += breaks.cumsum().to_numpy()[:-1]
    blank = (table.isna() | (table == "")).all(axis=1)
    rows = table.set_axis(header, axis=1).set_axis(lines)[~blank.to_numpy()]
    stripped: pd.DataFrame = rows.apply(lambda cells: cells.str.strip())
    return stripped


def _json_rows(text: str, path: str) -> pd.DataFrame | None:
    """Return the rows of JSON lines by line, or of one array by number; None of other records."""

    def fail(_code: str, line: int, message: str, _hint: str) -> CdecError:
        return _KIND.refuse(f"{path}:{line}" if line else path, message)

    try:
        value = parse(text)
        value = value.get("pairs", [value]) if isinstance(value, dict) else value
    except ValueError:
        value = parse_at(text, 1, fail) if text.lstrip().startswith("[") else None
    if isinstance(value, list):
        records = dict(enumerate(value, start=1))
    else:
        lines = enumerate(text.split("\n"), start=1)
        records = {at: parse_at(line, at, fail) for at, line in lines if line.strip()}
    for number, record in records.items():
        if not isinstance(record, dict) or pair_names(record) is None:
            if number == next(iter(records)):
                return None
            raise _KIND.refuse(f"{path}:{number}", "the row has no two mentions")
    return pd.DataFrame(list(records.values()), index=list(records), dtype=object)


def _unread(columns: pd.DataFrame, scored: bool) -> tuple[Notice, ...]:
    """Return the notice of columns that are not read: a warning if one may be the scores."""
    if columns.empty:
        return ()
    names = ", ".join(f"'{name}'" for name in columns.columns)
    message = f"{counted(len(columns.columns), 'column is', 'columns are')} not read: {names}"
    values = columns.head(1000).apply(pd.to_numeric, errors="coerce")
    numbers = [name for name, given in values.items() if given.notna().any()]
    if warning := bool(numbers) and not scored:
        message += f"; the list has no column '{SCORE}': rename '{numbers[0]}' if it has the scores"
    return (Notice("reading-assumed", len(columns.columns), message, warning=warning),)


def _mention(value: object) -> str | None:
    """Return a mention as text, None for what is none."""
    known = isinstance(value, str | int | np.integer) and not isinstance(value, bool)
    return str(value) or None if known else None

"""Lists of mention pairs: CSV, TSV, JSON and JSON Lines, and frames in memory.

A row has two mentions (``a`` and ``b``, or another of the names in ``fields.PAIR``) and can have a
score and a label (1 for a link, else 0). Further columns are not read, which a notice says. What a
language model writes around its JSON is left out.
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
from cdec.files.input import FileKind, TextFile
from cdec.files.strict_json import parse, parse_at
from cdec.formats.fields import PAIR, normal, pair_names
from cdec.formats.heading import without_answer

SCORE, LABEL = "score", "label"
_FIELDS = {
    **dict.fromkeys(PAIR[0], "a"),
    **dict.fromkeys(PAIR[1], "b"),
    **dict.fromkeys((SCORE, "answer"), SCORE),
    LABEL: LABEL,
}
_LARGEST = 1e30  # of a score: sums of scores must be finite
_MISSING = ("", "nan", "none", "null")
_YES = {"yes": 1.0, "no": 0.0}  # the answer of a language model, instead of a score
# Field → the texts that are numbers, the lowest number, what it is, and what to write.
_NUMBERS: dict[str, tuple[dict[str, float], float, str, str]] = {
    SCORE: (_YES, -_LARGEST, "a number up to 1e30", "a number, yes or no"),
    LABEL: (_YES | {"true": 1.0, "false": 0.0}, 0.0, "0 or 1", "1 for a link, 0 for none"),
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
    ``notices`` says what is not read.
    """

    name: str
    rows: pd.DataFrame
    notices: tuple[Notice, ...]

    @classmethod
    def of(cls, name: str, given: pd.DataFrame) -> PairTable:
        """Return the pairs of a table with any of the names in ``fields.PAIR``.

        Raises FormatError for a table without two mentions in each row, two columns of one field, a
        score that is not a number up to 1e30, any other label.

        >>> given = pd.DataFrame({"Mention 1": ["x"], "Mention 2": ["y"], "answer": ["Yes."]})
        >>> PairTable.of("mine", given).rows.to_numpy().tolist()
        [['x', 'y', 1.0]]
        """
        fields = given.columns.map(lambda title: _FIELDS.get(normal(str(title)), ""))
        rows = given.set_axis(fields, axis=1).loc[:, fields != ""]
        if (twice := fields[(fields != "") & fields.duplicated()]).any():
            both = " and ".join(f"'{title}'" for title in given.columns[fields == twice[0]])
            message, hint = f"{both} both mean '{twice[0]}'", "rename or remove one of them"
            raise _KIND.refuse(name, message, hint)
        if not {"a", "b"} <= {*fields}:
            raise _KIND.refuse(name, "no two columns have mentions")
        if not pd.api.types.is_integer_dtype(rows.index):
            rows = rows.reset_index(drop=True)
        unread = _unread(given.loc[:, fields == ""], SCORE in rows)
        table = cls(name, rows, unread)
        return replace(
            table, rows=rows.assign(**{name: table._read(name) for name in map(str, rows)})
        )

    def place(self, row: int) -> str:
        """Return file and line of a row, counted from 0."""
        return f"{self.name}:{self.rows.index[row]}"

    def refuse(self, row: int, message: str, hint: str | None = None) -> CdecError:
        """Return the error for a row, counted from 0."""
        return _KIND.refuse(self.place(row), message, hint)

    def _read(self, name: str) -> pd.Series[Any]:
        given = self.rows[name]
        if name in ("a", "b"):
            mentions = given.map(_mention).astype("category").cat.remove_unused_categories()
            if (bad := mentions.isna().to_numpy()).any():
                hint = "a mention is an id, or doc/start-end, as text"
                raise self.refuse(int(bad.argmax()), "the row has no two mentions", hint)
            return mentions
        words, lowest, kind, wanted = _NUMBERS[name]
        texts = given.astype(object).map(str)
        numbers = pd.to_numeric(texts, errors="coerce").to_numpy(np.float64, copy=True)
        odd = np.isnan(numbers)
        said = texts[odd].str.strip(" .\r\n").str.casefold()
        numbers[odd] = said.map(words)
        right = (numbers >= lowest) & (numbers <= _LARGEST)
        if name == LABEL:
            right = np.isin(numbers, (0, 1))
        right[odd] |= given[odd].isna() | said.isin(_MISSING)
        if not right.all():
            row = int(right.argmin())
            message = f"the {name} '{str(given.iloc[row])[:40]}' is not {kind}"
            raise self.refuse(row, message, f"write {wanted}, or leave it empty if it is unknown")
        return pd.Series(numbers, given.index)


def read_pairs(path: str) -> PairTable | None:
    """Return the pairs of a file; None if its header or first line names no two mentions.

    Raises FormatError with ``file:line`` for a row without two mentions or with an invalid score.
    """
    source, notices = without_answer(TextFile(path, _KIND.read_text(Path(path))))
    is_json = source.text.lstrip().startswith(("{", "["))
    rows = (_json_rows if is_json else _rows)(source.text, path)
    if rows is None:
        return None
    table = PairTable.of(path, rows)
    return replace(table, notices=(*notices, *table.notices))


def _rows(text: str, path: str) -> pd.DataFrame | None:
    """Return the rows of a table by line; None if its header names no two mentions."""
    skipped = text[: len(text) - len(text.lstrip())].count("\n")
    head = text.lstrip().partition("\n")[0]
    separator = next((sign for sign in "\t,;" if sign in head), ",")
    header = [name.strip() for name in next(csv.reader([head], delimiter=separator))]
    pair = pair_names(header)
    if pair is None:
        return None
    mentions = [header.index(name) for name in pair]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # a row with more cells
            table = pd.read_csv(
                io.StringIO(text),
                sep=separator,
                skiprows=skipped + 1,
                names=range(len(header)),
                dtype={at: "category" if at in mentions else object for at in range(len(header))},
                skipinitialspace=True,
                keep_default_na=False,
                skip_blank_lines=False,
                index_col=False,
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as error:
        raise _KIND.refuse(path, f"invalid table: {str(error).strip()}") from None
    lines = np.arange(len(table)) + skipped + 2
    if text.count("\n") > skipped + 1 + len(table):  # some are in quotes
        breaks = table.apply(lambda cells: cells.astype(str).str.count("\n")).sum(axis=1)
        lines[1:] += breaks.cumsum().to_numpy(np.int64)[:-1]
    rows = table.set_axis(header, axis=1).set_axis(lines)
    bare = rows[rows[pair[0]].isin(["", np.nan])].astype(object)
    return rows.drop(bare.index[(bare.isna() | (bare == "")).all(axis=1)])


def _json_rows(text: str, path: str) -> pd.DataFrame | None:
    """Return the rows of JSON lines by line, or of one array by number; None of other records.

    The array may be the only value of an object, such as ``{"pairs": […]}``.
    """

    def fail(_code: str, line: int, message: str, _hint: str) -> CdecError:
        return _KIND.refuse(f"{path}:{line}" if line else path, message)

    try:
        whole = parse(text)
    except ValueError:  # JSON Lines, or an error that has a place
        whole = parse_at(text, 1, fail) if text.lstrip().startswith("[") else None
    if isinstance(whole, dict) and len(whole) == 1:
        (whole,) = whole.values()
    if isinstance(whole, list):
        records = dict(enumerate(whole, start=1))
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
    return str(value).strip() or None if known else None

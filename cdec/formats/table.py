"""CSV, TSV and pandas frames: columns with names of ``fields.ALIASES``, one mention per row.

``tokens`` is written as ``3 4 6``; the reader also accepts commas and JSON lists. An empty field
is a missing value. The separator of CSV is a comma or a semicolon. Other columns are ignored.

A TSV file may lack the header if its columns are those of ``BARE``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from sys import intern
from typing import Any

import numpy as np
import pandas as pd

from cdec.columns.tables import table_rows
from cdec.errors import FormatError
from cdec.files.input import Source, failing, integer
from cdec.formats import fields, records
from cdec.formats.annotation import EXTRA, Annotation

_TOGETHER = 4096  # rows that become columns at a time: so few lists take little memory
# Columns of a TSV file without header, by their number.
BARE = {
    2: ("mention", "chain"),
    3: ("doc", "m_id", "chain"),
    4: ("doc", "start", "end", "chain"),
    5: ("doc", "sentence", "start", "end", "chain"),
}
_NUMBERS = frozenset({"sentence", "start", "end"})
# A mention id has a document in front: 36_1ecb/12, 36_1ecb_0_5_5.
_ID = re.compile(r".+[/_][^/_]+", re.DOTALL)
_BRACKETS = re.compile(r"[-*_]|.*[()].*", re.DOTALL)


def read_csv(source: Source) -> Annotation:
    """Read a CSV file; raises FormatError with ``file:line``."""
    (head,) = source.beginning(1)
    return _read(source, "," if "," in head else ";", "csv")


def read_tsv(source: Source) -> Annotation:
    """Read a TSV file; raises FormatError with ``file:line``."""
    return _read(source, "\t", "tsv")


def bare_columns(row: Sequence[str]) -> tuple[str, ...] | None:
    """Return the columns if ``row`` is a mention in a table without header, else None.

    Brackets as the last field are those of a CoNLL file without documents.
    """
    names = BARE.get(len(row))
    if names is None or any(map(fields.canonical, row)) or _BRACKETS.fullmatch(row[-1]):
        return None
    if not all(
        integer(v.strip(), 15) >= 0 for n, v in zip(names, row, strict=True) if n in _NUMBERS
    ):
        return None
    return names if len(row) > 2 or _ID.fullmatch(row[0]) else None


def _read(source: Source, separator: str, format_: str) -> Annotation:
    """Read a table; raises FormatError with ``file:line``."""
    rows = _rows(source, separator)
    line, first = next(rows)
    names = bare_columns(first) if separator == "\t" else None
    header = list(names) if names else first
    known = fields.resolve(header, source.place(line))
    if not fields.is_mention(known):
        message = f"a column is missing in the header '{', '.join(header)[:80]}'"
        raise source.error("field-invalid", line, message, fields.NEEDED)
    if names:
        rows = chain([(line, first)], rows)
    used = {field: header.index(name) for field, name in known.items()}
    columns: dict[str, list[Any]] = {field: [] for field in used}
    lines: list[int] = []
    while some := list(islice(rows, _TOGETHER)):
        _check_widths(source, some, len(first))
        lines += [number for number, _ in some]
        for field, column in used.items():
            columns[field] += COLUMN_VALUES.get(field, _text)([row[column] for _, row in some])
    numbers = np.array(lines, dtype=np.int64)
    return records.annotation(source.name, columns, numbers, failing(source, numbers), format_)


def _rows(source: Source, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line and fields of each row; raises FormatError without any."""

    def fail(line: int, reason: str) -> Exception:
        return source.error("table-invalid", line, reason, "check the quotes")

    rows = table_rows(source.text, separator, fail)
    first = next(rows, None)
    if first is None:
        raise source.error("field-invalid", 1, "the table has no header", fields.NEEDED)
    return chain([first], rows)


def _check_widths(source: Source, rows: Sequence[tuple[int, list[str]]], width: int) -> None:
    line, row = next((pair for pair in rows if len(pair[1]) != width), (0, []))
    if line:
        message = f"expected {width} fields as in the first row, got {len(row)}"
        hint = "quote a field that contains the separator"
        raise source.error("table-invalid", line, message, hint)


def _text(values: list[str]) -> records.Values:
    return [value if value.strip() else None for value in values]


def _names(values: list[str]) -> records.Values:
    """Return texts that many mentions have, equal ones as one object: this saves memory."""
    return [intern(value) if value.strip() else None for value in values]


def _integers(values: list[str]) -> records.Values:
    """Return digits as integers; ``records.table`` reports everything else."""
    return [_stripped(value) for value in values]


def _stripped(value: str) -> int | str | None:
    bare = value.strip()
    number = integer(bare, 15)
    return bare or None if number < 0 else number


def _tokens(values: list[str]) -> records.Values:
    return [_token_list(value) if value.strip() else None for value in values]


def _token_list(value: str) -> list[int | str | None]:
    return [_stripped(part) for part in value.strip(" []()").replace(",", " ").split()]


# Fields that are not text → the values of a column.
COLUMN_VALUES: dict[str, Callable[[list[str]], records.Values]] = {
    "doc": _names, "chain": _names,
    "start": _integers, "end": _integers, "tokens": _tokens, "sentence": _integers,
}  # fmt: skip


def write_csv(annotation: Annotation) -> Iterator[str]:
    """Yield the text of a CSV file."""
    yield _text_of(annotation, ",")


def write_tsv(annotation: Annotation) -> Iterator[str]:
    """Yield the text of a TSV file."""
    yield _text_of(annotation, "\t")


def _text_of(annotation: Annotation, separator: str) -> str:
    records.check_mentions(annotation)
    frame = _frame(annotation)
    text = frame.to_csv(index=False, sep=separator, lineterminator="\n")
    if "\0" in text:
        message = "a name or label has a NUL character, which CSV and TSV cannot contain"
        raise FormatError(
            "format-unsuitable", message, place=annotation.name, hint="use jsonl or json"
        )
    if "\r" not in text:
        return text
    # The csv module quotes a carriage return only if it quotes every field.
    return frame.to_csv(index=False, sep=separator, lineterminator="\n", quoting=csv.QUOTE_ALL)


def _frame(annotation: Annotation) -> pd.DataFrame:
    """Return the columns that are not empty, as strings."""
    records.refuse_blank(annotation)
    table = annotation.mentions
    placed = table["start"] >= 0
    frame = pd.DataFrame({"doc": table["doc"]})
    if placed.any() or table.empty:
        frame["start"] = table["start"].astype(str).where(placed, "")
        frame["end"] = table["end"].astype(str).where(placed, "")
    if table["tokens"].map(len).any():
        frame["tokens"] = table["tokens"].map(lambda tokens: " ".join(map(str, tokens)))
    if table["mention"].map(len).any():
        frame["mention"] = table["mention"]
    if (table["sentence"] >= 0).any():
        frame["sentence"] = table["sentence"].astype(str).where(table["sentence"] >= 0, "")
    extra = {name: table[name] for name in EXTRA if name in table}
    return frame.assign(chain=table["chain"], **extra)


def from_frame(frame: pd.DataFrame, name: str = "frame", *, unlabelled: bool = False) -> Annotation:
    """Return the Annotation of a frame; a missing value is None or NaN, other columns are ignored.

    ``unlabelled``: a mention may lack a chain label, which is then ''. Raises FormatError with the
    row, counted from 0.

    >>> frame = pd.DataFrame({"doc": ["d"], "sentence": [2], "start": [0], "end": [1], "chain": 7})
    >>> from_frame(frame).mentions[["sentence", "start", "end", "chain"]].values.tolist()
    [[2, 0, 1, '7']]
    """
    fields.refuse_pairs(map(str, frame.columns), name)
    known = fields.resolve(map(str, frame.columns), name)
    if not fields.is_mention(known):
        message = f"the frame lacks a column; it has: {', '.join(map(str, frame))[:80] or 'none'}"
        raise FormatError("field-invalid", message, place=name, hint=fields.NEEDED)

    def fail(code: str, row: int, message: str, hint: str) -> FormatError:
        return FormatError(code, message, place=f"{name}, row {row}", hint=hint)

    named = frame.set_axis(list(map(str, frame.columns)), axis=1)
    columns = {field: [_value(value) for value in named[title]] for field, title in known.items()}
    made = records.annotation(name, columns, np.zeros(len(frame), np.int64), fail, "frame")
    return made if unlabelled else made.labelled()


def _value(value: Any) -> Any:
    """Return a value as JSON has it; an integer that pandas made a float is an integer again."""
    if isinstance(value, list | tuple | np.ndarray):
        return [_value(item) for item in value]
    if pd.isna(value):
        return None
    plain = value.item() if isinstance(value, np.generic) else value
    return int(plain) if isinstance(plain, float) and plain.is_integer() else plain

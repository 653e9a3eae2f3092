"""CSV and TSV: a header with names of ``fields.ALIASES``, then one mention per row.

``tokens`` is written as ``3 4 6``; the reader also accepts commas and JSON lists. An empty field
is a missing value. The separator of CSV is a comma or a semicolon. Other columns are ignored.

A TSV file may lack the header if its columns are those of ``BARE``.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import pandas as pd

from cdec.errors import FormatError
from cdec.formats import fields, records
from cdec.formats.annotation import EXTRA, Annotation
from cdec.io.source import Source, failing
from cdec.io.text_columns import Column, Irregular, TextColumns

Rows = list[list[str]]
_Reader: TypeAlias = Callable[[list[str]], records.Values]
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
    if not all(v.strip().isdecimal() for n, v in zip(names, row, strict=True) if n in _NUMBERS):
        return None
    return names if len(row) > 2 or _ID.fullmatch(row[0]) else None


class Lines:
    """The rows of any table, read by the csv module; explains errors."""

    def __init__(self, source: Source, separator: str) -> None:
        self.source = source
        self.rows, self.lines = _rows(source, separator)
        self.first = self.rows[0]

    def check(self) -> None:
        """Raise FormatError for a row that is not as wide as the first."""
        _check_widths(self.source, self.rows, self.lines)

    def values(self, column: int, start: int, read: _Reader) -> records.Values:
        """Return the values that ``read`` makes of a column, from row ``start`` on."""
        return read([row[column] for row in self.rows[start:]])


class Grid:
    """The rows of a regular table: no quotes, each row as wide as the first."""

    def __init__(self, source: Source, separator: str) -> None:
        """Raise Irregular for another table."""
        self.text = TextColumns(source)
        filled = np.flatnonzero(self.text.stop > self.text.start)
        separators = self.text.find(separator.encode())
        width, left_over = divmod(len(separators), max(len(filled), 1))
        if not width or left_over or b'"' in self.text.content:
            raise Irregular
        inner = separators.reshape(-1, width)
        bounds = [self.text.start[filled] - 1, *inner.T, self.text.stop[filled]]
        if any((first >= second).any() for first, second in pairwise(bounds)):
            raise Irregular
        self.bounds, self.lines = bounds, (filled + 1).tolist()
        ends = [int(bound[0]) for bound in bounds]
        self.first = [self.text.text(a + 1, b) for a, b in pairwise(ends)]

    def check(self) -> None:
        """Do nothing: all rows have the same width."""

    def values(self, column: int, start: int, read: _Reader) -> records.Values:
        """Return the values that ``read`` makes of a column, from row ``start`` on."""
        first, stop = self.bounds[column][start:] + 1, self.bounds[column + 1][start:]
        distinct, codes = self.text.column(first, stop)
        values: list[object] = Column(list(read(distinct)), codes).objects().tolist()
        return values


def _read(source: Source, separator: str, format_: str) -> Annotation:
    try:
        return annotation(source, Grid(source, separator), separator, format_)
    except Irregular:
        return annotation(source, Lines(source, separator), separator, format_)


def annotation(source: Source, table: Lines | Grid, separator: str, format_: str) -> Annotation:
    """Return the content of ``table``; raises FormatError, and Irregular from a ``Grid``."""
    names = bare_columns(table.first) if separator == "\t" else None
    header, start = (list(names), 0) if names else (table.first, 1)
    known = fields.resolve(header, source.place(table.lines[0]))
    if not fields.is_mention(known):
        message = f"a column is missing in the header '{', '.join(header)[:80]}'"
        raise source.error("field-missing", table.lines[0], message, fields.NEEDED)
    numbers = np.array(table.lines[start:], dtype=np.int64)
    table.check()
    columns = {
        field: table.values(header.index(name), start, _VALUES.get(field, _text))
        for field, name in known.items()
    }
    fail = failing(source, numbers)
    return records.annotation(source.name, columns, numbers, fail, format_)


def _rows(source: Source, separator: str) -> tuple[Rows, list[int]]:
    reader = csv.reader(io.StringIO(source.text, newline=""), delimiter=separator, strict=True)
    rows, lines, line = [], [], 1
    try:
        for row in reader:
            rows.append(row)
            lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        message = f"invalid table: {error}"
        raise source.error("table-invalid", line, message, "check the quotes") from None
    kept = [k for k, row in enumerate(rows) if len(row) > 1 or "".join(row).strip()]
    if not kept:
        raise source.error("field-missing", 1, "the table has no header", fields.NEEDED)
    return [rows[k] for k in kept], [lines[k] for k in kept]


def _check_widths(source: Source, rows: Rows, lines: list[int]) -> None:
    width = len(rows[0])
    if set(map(len, rows)) == {width}:
        return
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            message = f"expected {width} fields as in the first row, got {len(row)}"
            hint = "quote a field that contains the separator"
            raise source.error("table-invalid", line, message, hint)


def _text(values: list[str]) -> records.Values:
    if all(map(str.strip, values)):
        return values
    return [value if value.strip() else None for value in values]


def _integers(values: list[str]) -> records.Values:
    """Return digits as integers; ``records.table`` reports everything else."""
    if all(map(str.isdecimal, values)) and max(map(len, values), default=0) < 16:
        return list(map(int, values))
    return [_stripped(value) for value in values]


def _stripped(value: str) -> int | str | None:
    bare = value.strip()
    return int(bare) if bare.isdecimal() and len(bare) < 16 else bare or None


def _tokens(values: list[str]) -> records.Values:
    return [_token_list(value) if value.strip() else None for value in values]


def _token_list(value: str) -> list[int | str | None]:
    return [_stripped(part) for part in value.strip(" []()").replace(",", " ").split()]


_VALUES: dict[str, _Reader] = {
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

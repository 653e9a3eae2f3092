"""CSV and TSV: a header with names of ``records.ALIASES``, then one mention per row.

``tokens`` is written as ``3 4 6``; the reader also accepts commas and JSON lists. An empty field
is a missing value. The separator of CSV is a comma or a semicolon. Other columns are ignored.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from cdec.errors import FormatError
from cdec.formats import records
from cdec.formats.annotation import EXTRA, Annotation
from cdec.io.source import Source, failing

Rows = list[list[str]]


def read_csv(source: Source) -> Annotation:
    """Read a CSV file; raises FormatError with ``file:line``."""
    head = next(line for line in source.lines if line.strip())
    return _read(source, "," if "," in head else ";", "csv")


def read_tsv(source: Source) -> Annotation:
    """Read a TSV file; raises FormatError with ``file:line``."""
    return _read(source, "\t", "tsv")


def _read(source: Source, separator: str, format_: str) -> Annotation:
    rows, lines = _rows(source, separator)
    header, body = rows[0], rows[1:]
    place = source.place(lines[0])
    known = records.resolve(header, place)
    if not records.is_mention(known):
        message = f"a column is missing in the header '{', '.join(header)[:80]}'"
        raise source.error("field-missing", lines[0], message, records.NEEDED)
    numbers = np.array(lines[1:], dtype=np.int64)
    _check_widths(source, rows, lines)
    columns = {
        field: _VALUES.get(field, _text)([row[header.index(name)] for row in body])
        for field, name in known.items()
    }
    mentions = records.table(columns, numbers, failing(source, numbers))
    return Annotation(source.name, format_, mentions, dict.fromkeys(mentions["doc"]))


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
        raise source.error("field-missing", 1, "the table has no header", records.NEEDED)
    return [rows[k] for k in kept], [lines[k] for k in kept]


def _check_widths(source: Source, rows: Rows, lines: list[int]) -> None:
    width = len(rows[0])
    if set(map(len, rows)) == {width}:
        return
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            message = f"expected {width} fields as in the header, got {len(row)}"
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


_VALUES: dict[str, Callable[[list[str]], records.Values]] = {
    "start": _integers, "end": _integers, "tokens": _tokens,
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
    extra = {name: table[name] for name in EXTRA if name in table}
    return frame.assign(chain=table["chain"], **extra)

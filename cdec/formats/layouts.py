"""The rows of a table in CSV, TSV or JSON, each with its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from cdec.errors import FormatError
from cdec.files.input import TextFile
from cdec.files.strict_json import parse, parse_at

# Names of the same field in the tables of documents, of topics and of mentions.
DOCUMENT = ("doc", "document", "doc_id", "document_id", "doc_key")
LEVEL_NAMES = {"topic": ("topic_id",), "subtopic": ("subtopic_id",)}


def table_rows(
    text: str, separator: str, fail: Callable[[int, str], Exception]
) -> Iterator[tuple[int, list[str]]]:
    r"""Yield the first line and the fields of each row that is not blank.

    Raises the error that ``fail`` builds for the line and the reason of invalid quotes.

    >>> list(table_rows('doc,chain\n\n"a, b",7\n', ",", lambda line, why: ValueError(why)))
    [(1, ['doc', 'chain']), (3, ['a, b', '7'])]
    """
    # From bytes: StringIO would need four bytes for each character.
    stream = io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8", newline="")
    reader = csv.reader(stream, delimiter=separator, strict=True)
    line = 1
    try:
        for row in reader:
            if len(row) > 1 or "".join(row).strip():
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise fail(line, f"invalid table: {error}") from None


def guessed_rows(source: TextFile) -> Iterator[tuple[int, list[str]]]:
    """Yield line and fields of each row that is not blank; the first line shows the separator.

    Raises FormatError for a row that has not as many fields as the first.
    """

    def fail(line: int, reason: str) -> FormatError:
        hint = "quote a field that contains the separator, a line break or quotes"
        return source.error("file-invalid", line, reason, hint)

    (head,) = source.beginning(1)
    separator = next((sign for sign in "\t,;" if sign in head), ",")
    width = 0
    for line, row in table_rows(source.text, separator, fail):
        width = width or len(row)
        if len(row) != width:
            raise fail(line, f"expected {width} fields as in the first row, got {len(row)}")
        yield line, row


def objects(source: TextFile) -> Iterator[tuple[int, Any]]:
    r"""Yield line (0 if unknown) and value of each record of JSON Lines, a JSON list, or one value.

    Raises FormatError with the line of invalid JSON.

    >>> list(objects(TextFile("a", '{"a": 1}\n\n{"a": 2}\n')))
    [(1, {'a': 1}), (3, {'a': 2})]
    """
    try:
        by_line = type(parse(source.beginning(1)[0])) is dict
    except ValueError:
        by_line = False
    if by_line:
        filled = [(n, line) for n, line in enumerate(source.lines, start=1) if line.strip()]
        for at, line in filled:
            yield at, parse_at(line, at, source.error, last=at == filled[-1][0])
    else:
        value = parse_at(source.text, 1, source.error, last=True)
        yield from ((0, item) for item in (value if isinstance(value, list) else [value]))


def named_rows(
    source: TextFile, names: Mapping[str, Collection[str]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    r"""Yield place and fields of each row: CSV or TSV with a header, JSON Lines, or a JSON list.

    A field is under its name in ``names``, which maps it → its aliases: of a name, only letters and
    digits count, and not their case; other fields keep their name. Fields without a value are left
    out, and rows without any, such as ``,,`` at the end of a table of a spreadsheet. Raises
    FormatError with the place of an invalid row, and of two names of one field.

    >>> list(named_rows(TextFile("a.csv", "Doc ID;text\n1;Fire\n2;\n"), {"id": ["doc_id"]}))
    [('a.csv:2', {'id': '1', 'text': 'Fire'}), ('a.csv:3', {'id': '2'})]
    """
    known = {plain_name(alias): field for field, more in names.items() for alias in (field, *more)}
    is_json = source.text.lstrip()[:1] in ("[", "{")
    rows: Iterator[tuple[int, Any]] = objects(source) if is_json else _fields(source)
    for number, (line, row) in enumerate(rows, start=1):
        place = source.place(line) if line else f"{source.name}, record {number}"
        if type(row) is not dict:
            message, hint = "the row is not a JSON object", "write one object for each row"
            raise FormatError("file-invalid", message, place=place, hint=hint)
        given: dict[str, Any] = {}
        by: dict[str, str] = {}
        for name, value in row.items():
            if value is None or (type(value) is str and not value.strip()):
                continue
            field: str = known.get(plain_name(name)) or name
            if field in given:
                message = f"'{by[field]}' and '{name}' both mean the field '{field}'"
                hint = "rename or remove one of them"
                raise FormatError("field-invalid", message, place=place, hint=hint)
            given[field], by[field] = value, name
        if given:
            yield place, given


def _fields(source: TextFile) -> Iterator[tuple[int, dict[str, str]]]:
    rows = guessed_rows(source)
    line, row = next(rows)
    header = [name.strip() for name in row]
    twice = next((name for name in header if name and header.count(name) > 1), None)
    if twice is not None:
        message, hint = f"two columns are named '{twice}'", "rename or remove one"
        raise source.error("file-invalid", line, message, hint)
    for line, row in rows:
        yield line, {n: value for n, value in zip(header, row, strict=True) if n}


def plain_name(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return "".join(filter(str.isalnum, name.casefold()))

"""JSON Lines whose objects have the same fields, as columns: the fast reader.

Lines with the same number of quotes are a group. In a group, the parts between the quotes (names,
strings, and what is between them) must be those of one object: the same names in the same order,
each with a string, a number or a list of numbers. The JSON parser reads each distinct value once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cdec.arrays import Ints
from cdec.io.source import Source
from cdec.io.strict_json import parse
from cdec.io.text_columns import Column, Irregular, TextColumns

_GROUPS = 8
_VALUE = r"([^\s,:{}\[\]]+|\[[0-9, ]*\])"  # neither a string nor an object
# What is around the strings of a line, by what follows a name or a value.
_AROUND = {
    "begin": re.compile(r" *\{ *"),
    "string": re.compile(r" *: *"),
    "next": re.compile(r" *, *"),
    "value": re.compile(rf" *: *{_VALUE} *, *"),
    "end": re.compile(r" *\} *"),
    "last": re.compile(rf" *: *{_VALUE} *" + r"\} *"),
}


class Fields(NamedTuple):
    """The values of each field by name, None where a line lacks it, and the line numbers."""

    columns: dict[str, npt.NDArray[np.object_]]
    numbers: Ints


def read_regular(source: Source) -> Fields:
    """Return the fields of all lines; raises FormatError as ``Source.text``, and Irregular."""
    text = TextColumns(source)
    if b"\\" in text.content or b"\t" in text.content:
        raise Irregular
    filled = np.flatnonzero(text.stop > text.start)
    start, stop = text.start[filled], text.stop[filled]
    quotes = text.find(b'"')
    first = np.searchsorted(quotes, start)
    counts = np.searchsorted(quotes, stop) - first
    groups = np.unique(counts)
    if len(groups) > _GROUPS or not groups.all() or (groups % 2).any():
        raise Irregular
    columns: dict[str, npt.NDArray[np.object_]] = {}
    for count in groups.tolist():
        rows = np.flatnonzero(counts == count)
        at = quotes[first[rows][:, None] + np.arange(count)]
        for name, column in _fields(text, start[rows], stop[rows], at):
            whole = columns.setdefault(name, np.full(len(filled), None, dtype=object))
            whole[rows] = column.objects()
    return Fields(columns, filled + 1)


def _fields(
    text: TextColumns, start: Ints, stop: Ints, quotes: Ints
) -> Iterator[tuple[str, Column]]:
    """Yield name and values of the fields of a group of lines."""
    opening, closing = list(quotes[:, 0::2].T), list(quotes[:, 1::2].T)
    befores, afters = [start, *(at + 1 for at in closing)], [*opening, stop]
    around = [_around(text.column(*ends)) for ends in zip(befores, afters, strict=True)]
    if around[0][0] != "begin":
        raise Irregular
    names: set[str] = set()
    at = 0
    while at < len(opening):
        (name,) = _one(text.column(opening[at] + 1, closing[at]).values)
        if name in names:
            raise Irregular
        names.add(name)
        at += 1
        kind, column = around[at]
        if kind == "string" and at < len(opening):
            column = text.column(opening[at] + 1, closing[at])
            at += 1
            kind = {"next": "value", "end": "last"}.get(around[at][0], "")
        if column is None or kind != ("last" if at == len(opening) else "value"):
            raise Irregular
        yield name, column


def _around(column: Column) -> tuple[str, Column | None]:
    """Return what stands between two strings, the same in all lines, and the values in it."""
    for kind, pattern in _AROUND.items():
        matches = [pattern.fullmatch(value) for value in column.values]
        if all(matches):
            if not pattern.groups:
                return kind, None
            return kind, Column([_parsed(m[1]) for m in matches if m], column.codes)
    raise Irregular


def _one(values: list[str]) -> list[str]:
    if len(values) != 1:
        raise Irregular
    return values


def _parsed(text: str) -> Any:
    try:
        return parse(text)
    except ValueError:
        raise Irregular from None

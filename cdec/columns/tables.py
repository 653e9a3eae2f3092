"""The rows of a table in CSV or TSV, each with its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator


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

"""What makes the error of a row, for checks that know rows and not lines."""

from __future__ import annotations

from collections.abc import Callable

from cdec.arrays import Ints
from cdec.errors import FormatError
from cdec.io.source import Source

# (row, message, cure) → error
Fail = Callable[[int, str, str], FormatError]


def failing(source: Source, lines: Ints) -> Fail:
    """Return what makes the error of a row; ``lines`` has the source line of each, 0 if unknown."""

    def fail(row: int, message: str, cure: str) -> FormatError:
        line = int(lines[row])
        return source.error(line, message if line else f"mention {row + 1}: {message}", cure)

    return fail

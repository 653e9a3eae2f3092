"""A fuzzed reader, and the properties that must hold for any input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cdec.errors import CdecError

LONGEST_MESSAGE = 2000


@dataclass(frozen=True)
class Reader:
    """A function of cdec that reads a user's file.

    ``read`` reads a file named ``file``: it returns nothing, raises CdecError, or fails an
    assertion on the result. ``seeds`` are initial files, including inputs that broke the reader
    earlier; ``tokens`` are pieces of the format. ``placed``: errors must have a place.
    """

    name: str
    file: str
    read: Callable[[Path], None]
    seeds: tuple[bytes, ...]
    tokens: tuple[str, ...] = ()
    placed: bool = True


def survives(reader: Reader, folder: Path, data: bytes) -> None:
    """Assert that ``reader`` accepts ``data`` or raises an error of one line."""
    path = folder / reader.file
    path.write_bytes(data)
    try:
        reader.read(path)
    except CdecError as error:
        check_message(error, reader.placed)


def check_message(error: CdecError, placed: bool) -> None:
    line = str(error)
    assert line
    assert line.isprintable(), ascii(line)  # no line end, no control character, no half surrogate
    assert len(line) <= LONGEST_MESSAGE, line
    assert not placed or error.place is not None, line
    assert error.exit_code in (1, 2)

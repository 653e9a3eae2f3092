"""What is fuzzed: a reader, files that it reads, and what must hold whatever the bytes are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cdec.errors import CdecError

LONGEST_MESSAGE = 2000


@dataclass(frozen=True)
class Reader:
    """A way by which a user's bytes come into cdec.

    ``read`` takes a file called ``file``; it returns nothing, raises CdecError, or fails an
    assertion on what came out. ``seeds`` are files to begin with (inputs that once broke the reader
    among them), ``tokens`` pieces of the format. ``placed``: an error says where.
    """

    name: str
    file: str
    read: Callable[[Path], None]
    seeds: tuple[bytes, ...]
    tokens: tuple[str, ...] = ()
    placed: bool = True


def survives(reader: Reader, folder: Path, data: bytes) -> None:
    """Let ``reader`` read ``data``: all is sound, or there is one line on what is wrong."""
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

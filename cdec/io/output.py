"""Writing what a user asked for: to a path, whole or not at all, or to a stream."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from cdec.errors import FormatError
from cdec.io.atomic import replacing
from cdec.io.inputfile import how_to_write

STDOUT = "-"


def save(pieces: Iterable[str], target: Path | str | TextIO) -> None:
    """Write the pieces of a text to a path, to stdout (``-``) or to a text stream, as UTF-8.

    A regular file is written beside the target and then renamed; its permissions are those of
    the file it replaces. Raises FormatError where that fails.
    """
    with _told(target):
        if isinstance(target, str | Path) and str(target) != STDOUT:
            with _opened(Path(target)) as file:
                file.writelines(piece.encode() for piece in pieces)
        else:
            stream = sys.stdout if isinstance(target, str | Path) else target
            stream.writelines(pieces)
            stream.flush()


def save_bytes(data: bytes, target: Path) -> None:
    """Write ``data`` to a path; as ``save`` does."""
    with _told(target), _opened(target) as file:
        file.write(data)


@contextmanager
def _told(target: Path | str | TextIO) -> Iterator[None]:
    """Make a FormatError of what goes wrong."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        place = "standard output" if target == STDOUT else target
        cure = how_to_write(error)
        raise FormatError(f"cannot write: {reason}", place=place, cure=cure) from None
    except UnicodeEncodeError:
        cure = "a token or label has half of a surrogate pair: repair the input"
        raise FormatError("the text is no Unicode", place=target, cure=cure) from None


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    target = path.resolve()
    if target.exists() and not target.is_file():  # a device, a pipe
        with target.open("wb") as file:
            yield file
    else:
        with replacing(target) as file:
            yield file

"""Writing files: whole or not at all, to a path or to a stream.

What is written stands beside its target under a name of its own, ``.NAME.….part``, and takes the
target's place once all of it is on the disk. Runs at the same time do not meet: each has its own
name, and the last one to end stands. A killed run leaves its part; the next one that writes the
same target removes it when it is an hour old. (A younger one may belong to a run that goes on.)

``save`` and ``save_bytes`` are for what a user asked for, with errors for people; ``replacing``
and ``write_atomic`` raise OSError.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import BinaryIO, TextIO

from cdec.errors import FormatError
from cdec.io.inputfile import how_to_write

STDOUT = "-"
STALE_SECONDS = 3600.0
_LONGEST = 48  # letters of the target's name in the part's: no file system takes 256 bytes


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """Give a file to write; what was written replaces ``target``, whose permissions stay.

    Raises OSError. After any exception the target is what it was, and the part is removed.
    """
    name = target.name[:_LONGEST]
    sweep(target.parent, f".{escape(name)}.*.part")
    part = target.with_name(f".{name}.{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, part)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_atomic(target: Path, data: bytes) -> None:
    """Write ``data`` to ``target``; raises as ``replacing`` does."""
    with replacing(target) as file:
        file.write(data)


def sweep(folder: Path, pattern: str) -> None:
    """Remove the files in ``folder`` that match and are old enough to be of a killed run."""
    with suppress(OSError):  # another run may sweep, too
        for left in folder.glob(pattern):
            if time.time() - left.stat().st_mtime > STALE_SECONDS:
                left.unlink(missing_ok=True)


def save(pieces: Iterable[str], target: Path | str | TextIO) -> None:
    """Write the pieces of a text to a path, to stdout (``-``) or to a text stream, as UTF-8.

    A regular file is written beside the target and then renamed; its permissions are those of
    the file it replaces. Raises FormatError where that fails.
    """
    with _as_format_error(target):
        if isinstance(target, str | Path) and str(target) != STDOUT:
            with _opened(Path(target)) as file:
                file.writelines(piece.encode() for piece in pieces)
        else:
            stream = sys.stdout if isinstance(target, str | Path) else target
            stream.writelines(pieces)
            stream.flush()


def save_bytes(data: bytes, target: Path) -> None:
    """Write ``data`` to a path; as ``save`` does."""
    with _as_format_error(target), _opened(target) as file:
        file.write(data)


@contextmanager
def _as_format_error(target: Path | str | TextIO) -> Iterator[None]:
    """Convert an OSError or an encoding error to a FormatError."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        place = "standard output" if target == STDOUT else target
        hint = how_to_write(error)
        raise FormatError(
            "file-unwritable", f"cannot write: {reason}", place=place, hint=hint
        ) from None
    except UnicodeEncodeError:
        message = "a token or label contains an unpaired surrogate (invalid Unicode)"
        raise FormatError(
            "unicode-invalid", message, place=target, hint="correct the input"
        ) from None


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    target = path.resolve()
    if target.exists() and not target.is_file():  # a device, a pipe
        with target.open("wb") as file:
            yield file
    else:
        with replacing(target) as file:
            yield file

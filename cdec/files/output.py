"""Write files atomically, to a path or to a stream.

Data is written to a temporary file ``.NAME.….part`` in the folder of the target, which replaces
the target when it is complete. Each run has its own temporary file; if two runs write the same
target, the last one to finish wins. A killed run leaves its temporary file behind. The next run
that writes the same target removes it if it is older than an hour (a younger one may be in use).

``save`` and ``save_bytes`` raise FormatError, for files that the user asked for; ``replacing``
raises OSError.
"""

from __future__ import annotations

import errno
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

from cdec.errors import FormatError, UsageError
from cdec.files.input import how_to_write

STDOUT = "-"
PAGES = {".md": "markdown", ".tex": "latex", ".csv": "csv", ".json": "json", ".html": "html"}
"""The formats of a page, by the ending of its file."""
STALE_SECONDS = 3600.0
_LONGEST = 48  # letters of the target's name in the temporary name: the limit is 255 bytes


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces ``target`` at the end; the permissions are kept.

    Raises OSError. After any exception the target is unchanged and the temporary file is removed.
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


def sweep(folder: Path, pattern: str) -> None:
    """Remove the files in ``folder`` that match ``pattern`` and are older than an hour."""
    with suppress(OSError):  # another run may remove them at the same time
        for file in folder.glob(pattern):
            if time.time() - file.stat().st_mtime > STALE_SECONDS:
                file.unlink(missing_ok=True)


def save(pieces: Iterable[str], target: Path | str | TextIO) -> None:
    """Write a text, given in pieces, as UTF-8 to a path, to stdout (``-``) or to a text stream.

    A regular file is replaced atomically and keeps its permissions. Raises FormatError.
    """
    with _as_format_error(target):
        if isinstance(target, str | Path) and str(target) != STDOUT:
            with _opened(Path(target)) as file:
                file.writelines(piece.encode() for piece in pieces)
        else:
            stream = sys.stdout if isinstance(target, str | Path) else target
            stream.writelines(pieces)
            stream.flush()


def format_of_page(path: Path) -> str:
    """Return the format that the ending of a page names; raise UsageError if it names none."""
    ending = path.suffix.lower()
    if ending not in PAGES:
        message = f"a page cannot be written to a file ending in '{path.suffix}'"
        hint = f"choose one of {', '.join(PAGES)}"
        raise UsageError("file-unwritable", message, place=path, hint=hint)
    return PAGES[ending]


def save_bytes(data: bytes, target: Path, parents: bool = False) -> None:
    """Write ``data`` to a path as ``save`` does; with ``parents``, make the folders of the path."""
    with _as_format_error(target):
        if parents:
            target.parent.mkdir(parents=True, exist_ok=True)
        with _opened(target) as file:
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
            "file-encoding", message, place=target, hint="correct the input"
        ) from None


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # a loop
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if target.exists() and not target.is_file():  # a device, a pipe
        with target.open("wb") as file:
            yield file
    else:
        with replacing(target) as file:
            yield file

"""Writing a file so that it is there complete or not at all."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from cdec.errors import FormatError
from cdec.userfile import how_to_write

STDOUT = "-"


def save(pieces: Iterable[str], target: Path | str | TextIO) -> None:
    """Write the pieces of a text to a path, to stdout (``-``) or to a text stream, as UTF-8.

    A regular file is written beside the target and then renamed; its permissions are those of
    the file it replaces. Raises FormatError where that fails.
    """
    try:
        if isinstance(target, str | Path) and str(target) != STDOUT:
            _to_path(pieces, Path(target))
        else:
            stream = sys.stdout if isinstance(target, str | Path) else target
            stream.writelines(pieces)
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


def _to_path(pieces: Iterable[str], path: Path) -> None:
    target = path.resolve()
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(pieces)
        return
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(pieces)
        part.chmod(_mode(target))
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask

"""Write files atomically, to a path or to a stream.

Data is written to a temporary file ``.NAME.….part`` in the folder of the target, which replaces
the target when it is complete. Each run has its own temporary file; if two runs write the same
target, the last one to finish wins. A run that is killed (not interrupted) leaves it behind.

``save`` raises FormatError, for files that the user asked for; ``replacing`` raises OSError.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from cdec.errors import FormatError
from cdec.files.input import how_to_write

STDOUT = "-"
_LONGEST = (
    48  # letters of the target's name in the temporary name: the limit is 255 bytes
)


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces ``target`` at the end; the permissions are kept.

    Raises OSError. After any exception the target is unchanged and the temporary file is removed.
    """
    name = target.name[:_LONGEST]
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


def save(
    pieces: Iterable[str | bytes], target: Path | str | TextIO, parents: bool = False
) -> None:
    """Write text, as UTF-8, or bytes to a path, to stdout (``-``) or to a text stream.

    A regular file is replaced atomically and keeps its permissions; with ``parents``, the folders
    of the path are made. Raises FormatError.
    """
    try:
        if isinstance(target, str | Path) and str(target) != STDOUT:
            path = Path(os.path.realpath(target))
            if path.is_symlink():
                path.stat()  # a loop: raises OSError
            if parents:
                path.parent.mkdir(parents=True, exist_ok=True)
            is_special = path.exists() and not path.is_file()  # a device, a pipe
            with path.open("wb") if is_special else replacing(path) as file:
                for piece in pieces:
                    file.write(piece.encode() if isinstance(piece, str) else piece)
        else:
            stream = sys.stdout if isinstance(target, str | Path) else target
            stream.writelines(map(str, pieces))
            stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FormatError(
            "file-unwritable",
            f"cannot write: {error.strerror or type(error).__name__}",
            place="standard output" if target == STDOUT else target,
            hint=how_to_write(error),
        ) from None
    except UnicodeEncodeError:
        raise FormatError(
            "file-encoding",
            "a token or label contains an unpaired surrogate (invalid Unicode)",
            place=target,
            hint="correct the input",
        ) from None

"""Files that are there complete or not at all.

What is written stands beside its target under a name of its own, ``.NAME.….part``, and takes the
target's place once all of it is on the disk. Runs at the same time do not meet: each has its own
name, and the last one to end stands. A killed run leaves its part; the next one that writes the
same target removes it when it is an hour old. (A younger one may belong to a run that goes on.)
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import BinaryIO

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

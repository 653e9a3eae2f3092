"""One writer of a board at a time: a lock on its folder, which leaves no file behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; wait while another process, or thread, holds it.

    Where the system or the file system has no locks, the lock is left out.
    """
    try:
        import fcntl  # noqa: PLC0415  not on every system
    except ImportError:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)  # this ends the lock

"""Processes that share work and never outlive the one that they work for."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

_SECONDS = 0.5


@contextmanager
def all_cores() -> Iterator[None]:
    """Let joblib use all cores, by workers that end soon after this process, however that ends.

    A worker of joblib whose parent was killed would wait minutes for more to do.
    """
    from joblib import parallel_config

    with parallel_config("loky", n_jobs=-1, initializer=_attach, initargs=(os.getpid(),)):
        yield


def _attach(parent: int) -> None:
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    # Who has lost its parent is given to another.
    while os.getppid() == parent:
        time.sleep(_SECONDS)
    os._exit(1)

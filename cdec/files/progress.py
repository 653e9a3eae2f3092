"""Progress reporting."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")
PATIENCE = 2.0  # seconds of a command before a bar appears
_GLIMPSE = 0.2  # seconds of its own work before that: a bar does not flicker


Progress = Callable[[Iterable[Any], int, str], Iterable[Any]]
"""Yields items, and shows under a label how many of the total are done."""


def silent(items: Iterable[T], total: int, label: str) -> Iterable[T]:
    """Return ``items`` and show nothing: the default of the library."""
    return items


def in_notebook() -> bool:
    """Return whether this is a Jupyter notebook, or another front end of IPython's kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return type(shell).__name__ == "ZMQInteractiveShell"


_chosen: ContextVar[Progress | None] = ContextVar("progress", default=None)
_began: ContextVar[float | None] = ContextVar("began", default=None)


@contextmanager
def showing(progress: Progress | None) -> Iterator[None]:
    """Let every verb report its progress to ``progress``, as the command line does."""
    tokens = _chosen.set(progress), _began.set(time.monotonic())
    try:
        yield
    finally:
        _chosen.reset(tokens[0])
        _began.reset(tokens[1])


def notebook() -> Progress:
    """Return the progress reporting: the chosen one, else a bar in a notebook, else none."""
    return _chosen.get() or (bar if in_notebook() else silent)


@contextmanager
def counter(label: str, total: int | None = None) -> Iterator[Callable[[], object]]:
    """Yield a function to call after each step; it shows how many are done, of ``total``.

    In a terminal only if the command line shows progress. The bar appears once the command has
    taken two seconds, be it by several short pieces of work, and is removed at the end.
    """
    if not (in_notebook() or (sys.stderr.isatty() and _chosen.get() is bar)):
        yield lambda: None
        return
    from tqdm import tqdm  # noqa: PLC0415  # only for a person

    began = _began.get()
    left = PATIENCE if began is None else max(_GLIMPSE, began + PATIENCE - time.monotonic())
    with tqdm(total=total, desc=label, delay=left, leave=False) as shown:
        yield shown.update


def bar(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Yield ``items`` and show a progress bar: see ``counter``."""
    with counter(label, total) as step:
        for item in items:
            step()
            yield item

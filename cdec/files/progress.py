"""Progress reporting."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

T = TypeVar("T")
PATIENCE = 2.0  # seconds of a command before a bar appears
_GLIMPSE = 0.2  # seconds of its own work before that: a bar does not flicker


class Progress(Protocol):
    """Yield ``items`` and show how many of ``total`` are done."""

    def __call__(self, items: Iterable[T], total: int, label: str) -> Iterable[T]:
        """Return an iterable of the same items."""
        ...


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
    return _chosen.get() or (_tqdm_bar if in_notebook() else silent)


@contextmanager
def counter(label: str, total: int | None = None) -> Iterator[Callable[[], object]]:
    """Yield a function to call after each step; a terminal shows how many are done, of ``total``.

    It appears once the command has taken two seconds, be it by several short pieces of work, if the
    command line shows progress, and is removed at the end.
    """
    if not sys.stderr.isatty() or _chosen.get() is not bar:
        yield lambda: None
        return
    from rich.console import Console  # noqa: PLC0415  # only for a terminal
    from rich.progress import Progress as RichProgress  # noqa: PLC0415
    from rich.progress import SpinnerColumn, TextColumn  # noqa: PLC0415

    own = time.monotonic() + _GLIMPSE
    start = max(own, (_began.get() or own - _GLIMPSE) + PATIENCE)
    counts = (SpinnerColumn(), TextColumn("{task.description} {task.completed:.0f}"))
    columns = RichProgress.get_default_columns() if total else counts
    progress = RichProgress(*columns, console=Console(stderr=True), transient=True)
    task = progress.add_task(label, total=total)

    def step() -> None:
        progress.advance(task)
        if not progress.live.is_started and time.monotonic() > start:
            progress.start()

    try:
        yield step
    finally:
        progress.stop()


def bar(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Yield ``items`` and show a progress bar: see ``counter``."""
    with counter(label, total) as step:
        for item in items:
            step()
            yield item


def _tqdm_bar(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    from tqdm import tqdm  # noqa: PLC0415  # only notebooks need it

    yield from tqdm(items, total=total, desc=label, delay=PATIENCE, leave=False)

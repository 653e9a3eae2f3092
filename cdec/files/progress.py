"""Progress reporting."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
PATIENCE = 2.0  # seconds of a command before a bar appears
_GLIMPSE = 0.2  # seconds of its own work before that: a bar does not flicker


Progress: TypeAlias = Callable[[Iterable[Any], int, str], Iterable[Any]]
"""(items, total, label) → the same items, of which it shows how many are done."""


def silent(items: Iterable[T], total: int, label: str) -> Iterable[T]:
    """Return ``items`` and show nothing: the default of the library."""
    return items


# The chosen one, and when its command began.
_shown: ContextVar[tuple[Progress | None, float]] = ContextVar(
    "progress", default=(None, 0.0)
)


@contextmanager
def showing(progress: Progress | None) -> Iterator[None]:
    """Let every verb report its progress to ``progress``, as the command line does."""
    token = _shown.set((progress, time.monotonic()))
    try:
        yield
    finally:
        _shown.reset(token)


def notebook() -> Progress:
    """Return the progress reporting: the chosen one, else a bar in a notebook, else none.

    A notebook is Jupyter's, or that of another front end of IPython's kernel.
    """
    progress, _ = _shown.get()
    if progress is not None:
        return progress
    ipython = sys.modules.get("IPython")
    if ipython and type(ipython.get_ipython()).__name__ == "ZMQInteractiveShell":
        return _tqdm_bar
    return silent


@contextmanager
def counter(label: str, total: int | None = None) -> Iterator[Callable[[], object]]:
    """Yield a function to call after each step; a terminal shows how many are done, of ``total``.

    It appears once the command has taken two seconds, be it by several short pieces of work, if the
    command line shows progress, and is removed at the end.
    """
    progress_of_command, begin = _shown.get()
    if not sys.stderr.isatty() or progress_of_command is not bar:
        yield lambda: None
        return
    from rich.console import Console  # noqa: PLC0415  # only for a terminal
    from rich.progress import Progress as RichProgress  # noqa: PLC0415
    from rich.progress import SpinnerColumn, TextColumn  # noqa: PLC0415

    start = max(time.monotonic() + _GLIMPSE, begin + PATIENCE)
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

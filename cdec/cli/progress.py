"""How far long work is, on stderr where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cdec.io.progress import Progress


def shows_progress(quiet: bool) -> bool:
    """Return whether progress is to be seen: on a terminal, unless ``quiet``."""
    return sys.stderr.isatty() and not quiet


def bar_unless(quiet: bool) -> Progress:
    """Return how long work of the library shows how far it is: by a bar, unless ``quiet``."""
    from cdec.io.progress import bar, silent

    return silent if quiet else bar


@contextmanager
def progress(label: str, quiet: bool) -> Iterator[Callable[[], object]]:
    """Give a function to call after each step; a counter shows on stderr where that is a terminal.

    The counter appears with the first step and leaves no trace.
    """
    if not shows_progress(quiet):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn("{task.description} {task.completed:.0f}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda: bar.advance(task)

"""How long work tells how far it is."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import Progress as RichProgress

T = TypeVar("T")
PATIENCE = 2.0  # seconds; shorter work shows nothing


class Progress(Protocol):
    """Pass ``items`` on one by one and show how many of ``total`` have gone by."""

    def __call__(self, items: Iterable[T], total: int, label: str) -> Iterable[T]:
        """Return an iterable of the same items."""
        ...


def silent(items: Iterable[T], total: int, label: str) -> Iterable[T]:
    """Show nothing: what the library does unless it is asked."""
    return items


def bar(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Show a bar on stderr, if that is a terminal, once the work has taken two seconds."""
    if not sys.stderr.isatty():
        yield from items
        return
    begun = time.monotonic()
    shown = RichProgress(console=Console(stderr=True), transient=True)
    task = shown.add_task(label, total=total)
    try:
        for item in items:
            shown.advance(task)
            if not shown.live.is_started and time.monotonic() - begun > PATIENCE:
                shown.start()
            yield item
    finally:
        shown.stop()

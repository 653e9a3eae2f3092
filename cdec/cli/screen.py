"""What a command says beside its result, on stderr: notices, and how far long work is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from cdec.io.progress import Progress
    from cdec.notices import Notice

PANEL = "Output"


@dataclass(frozen=True)
class QuietOptions:
    """Whether to say anything but the result."""

    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="No notices and no progress.", rich_help_panel=PANEL),
    ] = False
    verbose = False  # of a command without that option

    @property
    def bar(self) -> Progress:
        """How long work of the library shows how far it is: by a bar, unless quiet."""
        from cdec.io.progress import bar, silent

        return silent if self.quiet else bar

    def say(self, message: str) -> None:
        """Print a notice, unless quiet."""
        if not self.quiet:
            print(f"cdec: {message}", file=sys.stderr)

    def tell(self, notices: Iterable[Notice]) -> None:
        """Print what was irregular in the files, each kind in a line; all cases if asked for."""
        for notice in notices:
            self.say(f"{'warning' if notice.warning else 'note'}: {notice}")
            for case in notice.all_cases if self.verbose else ():
                self.say(f"    {notice.code}: {case}")

    @contextmanager
    def progress(self, label: str) -> Iterator[Callable[[], object]]:
        """Give a function to call after each step, which a counter shows on a terminal.

        The counter appears with the first step and leaves no trace.
        """
        if self.quiet or not sys.stderr.isatty():
            yield lambda: None
            return
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn

        columns = (SpinnerColumn(), TextColumn("{task.description} {task.completed:.0f}"))
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(label, total=None)
            yield lambda: bar.advance(task)


@dataclass(frozen=True)
class NoticeOptions(QuietOptions):
    """How much to say of what was irregular in the files."""

    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="List every case of a notice.", rich_help_panel=PANEL),
    ] = False

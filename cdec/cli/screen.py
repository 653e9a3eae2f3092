"""Output of a command on stderr: notices, and the progress of long work."""

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
class ScreenOptions:
    """--quiet and --verbose: how much a command prints on stderr."""

    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet", "-q", help="Show no notices and no progress.", rich_help_panel=PANEL
        ),
    ] = False
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            "-v",
            help="Show error codes, and list every case of a notice.",
            rich_help_panel=PANEL,
        ),
    ] = False

    @property
    def bar(self) -> Progress:
        """Progress reporting for the library: a progress bar, or none if quiet."""
        from cdec.io.progress import bar, silent

        return silent if self.quiet else bar

    def say(self, message: str) -> None:
        """Print a line for information, unless quiet."""
        if not self.quiet:
            print(f"cdec: {message}", file=sys.stderr)

    def notify(self, notices: Iterable[Notice]) -> None:
        """Print each notice in a line; if verbose with its code and all its cases."""
        for notice in notices:
            code = f"[{notice.code}]" if self.verbose else ""
            self.say(f"{'warning' if notice.warning else 'note'}{code}: {notice}")
            for case in notice.all_cases if self.verbose else ():
                self.say(f"    {case}")

    @contextmanager
    def progress(self, label: str) -> Iterator[Callable[[], object]]:
        """Yield a function to call after each step; a terminal shows the number of steps.

        The counter appears with the first step and is removed at the end.
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

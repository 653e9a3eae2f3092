"""--jobs and --scheduler: who does the divisible work of a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer

_PANEL = "Work"


@dataclass(frozen=True)
class WorkOptions:
    """The workers of a command; a command with this group runs inside ``during``."""

    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            metavar="N",
            help="Divide the work among N cores; the result is the same. Default: all cores.",
            show_default=False,
            rich_help_panel=_PANEL,
        ),
    ] = None
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            help="Divide the work among the workers of this Dask scheduler, as in "
            "tcp://host:8786; the result is the same.",
            show_default=False,
            rich_help_panel=_PANEL,
        ),
    ] = None

    @contextmanager
    def during(self) -> Iterator[None]:
        """Let the command inside use these workers."""
        from cdec.io.jobs import workers

        with workers(self.jobs, self.scheduler):
            yield

"""Resampling: its options, and the processes that share its work and never outlive the command."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import METHODS, TESTS, UNITS
from cdec.cli.options import given
from cdec.errors import UsageError

if TYPE_CHECKING:
    from cdec.statistics.draws import Plan

_PANEL = "Uncertainty"
_SECONDS = 0.5

CiOption = Annotated[
    bool,
    typer.Option("--ci", help="Add confidence intervals to every value.", rich_help_panel=_PANEL),
]


@dataclass(frozen=True)
class DrawOptions:
    """How often is drawn."""

    resamples: Annotated[
        int,
        typer.Option("--resamples", help="How many resamples.", rich_help_panel=_PANEL),
    ] = 1000
    seed: Annotated[
        int,
        typer.Option("--seed", help="Of all that is drawn by lot.", rich_help_panel=_PANEL),
    ] = 0

    def plan(self) -> Plan:
        """Return the library's form of it. Raises UsageError as ``Plan`` does."""
        from cdec.statistics.draws import Plan

        return Plan(**vars(self))


@dataclass(frozen=True)
class IntervalOptions(DrawOptions):
    """What is drawn for confidence intervals."""

    unit: Annotated[
        str,
        typer.Option(
            "--unit",
            metavar="topic|subtopic",
            autocompletion=UNITS.complete,
            help="What is resampled, and exchanged, as a whole.",
            rich_help_panel=_PANEL,
        ),
    ] = "topic"
    method: Annotated[
        str,
        typer.Option(
            "--ci-method",
            metavar="percentile|bca",
            autocompletion=METHODS.complete,
            help="Kind of interval.",
            rich_help_panel=_PANEL,
        ),
    ] = "percentile"
    level: Annotated[
        float,
        typer.Option(
            "--level",
            help="Confidence of the intervals, in (0, 1).",
            rich_help_panel=_PANEL,
        ),
    ] = 0.95

    def check(self, ctx: typer.Context, ci: bool, by: str | None) -> None:
        """Raise UsageError for options of intervals without --ci, and for --ci with --by."""
        for option in given(ctx, vars(self)) if not ci else ():
            raise UsageError(f"{option} is of confidence intervals", hint="add --ci")
        if ci and by is not None:
            hint = "leave one of them out"
            raise UsageError("--ci is of the whole, --by of its parts", hint=hint)


@dataclass(frozen=True)
class ComparisonOptions(IntervalOptions):
    """What is drawn for intervals and tests."""

    exchanges: Annotated[
        int,
        typer.Option(
            "--exchanges",
            help="How many exchanges a test draws, where not all can be tried.",
            rich_help_panel=_PANEL,
        ),
    ] = 1000
    test: Annotated[
        str,
        typer.Option(
            "--test",
            metavar="two-way|topic",
            autocompletion=TESTS.complete,
            help="Exchange answers by --unit and by word, or by --unit alone.",
            rich_help_panel=_PANEL,
        ),
    ] = "two-way"


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

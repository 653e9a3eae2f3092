"""Resampling: its options, and worker processes that never outlive the command."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import METHODS, TESTS, UNITS
from cdec.cli.options import options_in_call
from cdec.errors import UsageError

if TYPE_CHECKING:
    from cdec.evaluation.experiment import Experiment
    from cdec.statistics.draws import Plan

_PANEL = "Uncertainty"
_SECONDS = 0.5
_SAFE_PATH = "PYTHONSAFEPATH"

CiOption = Annotated[
    bool,
    typer.Option("--ci", help="Add a confidence interval to every value.", rich_help_panel=_PANEL),
]


@dataclass(frozen=True)
class DrawOptions:
    """Number of resamples and seed."""

    resamples: Annotated[
        int,
        typer.Option(
            "--resamples", metavar="N", help="Number of resamples.", rich_help_panel=_PANEL
        ),
    ] = 1000
    seed: Annotated[
        int,
        typer.Option("--seed", metavar="N", help="Random seed.", rich_help_panel=_PANEL),
    ] = 0

    def plan(self) -> Plan:
        """Return the plan that the library takes. Raises UsageError for an invalid value."""
        from cdec.statistics.draws import Plan

        return Plan(**{name: value for name, value in vars(self).items() if value is not None})


@dataclass(frozen=True)
class IntervalOptions(DrawOptions):
    """Options of confidence intervals."""

    unit: Annotated[
        str | None,
        typer.Option(
            "--unit",
            metavar="topic|subtopic",
            autocompletion=UNITS.complete,
            help="Unit of resampling: a topic or subtopic is sampled with all its documents. "
            "Default: topic, or subtopic if there is one topic only.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    method: Annotated[
        str,
        typer.Option(
            "--ci-method",
            metavar="percentile|bca",
            autocompletion=METHODS.complete,
            help="Method of the confidence intervals.",
            rich_help_panel=_PANEL,
        ),
    ] = "percentile"
    level: Annotated[
        float,
        typer.Option(
            "--level",
            metavar="P",
            help="Confidence level, between 0 and 1.",
            rich_help_panel=_PANEL,
        ),
    ] = 0.95

    def plan_for(self, plan: Plan, experiment: Experiment) -> Plan:
        """Return ``plan`` with the largest unit of the mentions, if the user has named none."""
        from cdec.statistics.units import largest_unit

        unit = self.unit or largest_unit(run.mentions for run in experiment.runs)
        return replace(plan, unit=unit or plan.unit)

    def check(self, ctx: typer.Context, ci: bool, by: str | None) -> None:
        """Raise UsageError for options of intervals without --ci, and for --ci with --by."""
        for option in options_in_call(ctx, vars(self)) if not ci else ():
            message = f"{option} has no effect without --ci"
            raise UsageError("option-requires", message, hint=f"add --ci, or drop {option}")
        if ci and by is not None:
            message = "--ci cannot be combined with --by"
            hint = "drop one of them: intervals are computed for the overall score only"
            raise UsageError("option-conflict", message, hint=hint)


@dataclass(frozen=True)
class ComparisonOptions(IntervalOptions):
    """Options of confidence intervals and paired tests."""

    exchanges: Annotated[
        int,
        typer.Option(
            "--exchanges",
            metavar="N",
            help="Number of random exchanges in the paired test, if there are too many to try all.",
            rich_help_panel=_PANEL,
        ),
    ] = 1000
    test: Annotated[
        str,
        typer.Option(
            "--test",
            metavar="two-way|topic",
            autocompletion=TESTS.complete,
            help="Paired test: exchange responses by --unit and by word, or by --unit only.",
            rich_help_panel=_PANEL,
        ),
    ] = "two-way"


@contextmanager
def all_cores() -> Iterator[None]:
    """Let joblib use all cores, with workers that end soon after this process.

    Otherwise a worker whose parent was killed would wait minutes for more work. Workers are
    started by ``python -m`` and ``python -c``, which import modules of the working directory
    unless PYTHONSAFEPATH is set.
    """
    from joblib import parallel_config

    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        with parallel_config("loky", n_jobs=-1, initializer=_attach, initargs=(os.getpid(),)):
            yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _attach(parent: int) -> None:
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    # An orphaned process gets another parent.
    while os.getppid() == parent:
        time.sleep(_SECONDS)
    os._exit(1)

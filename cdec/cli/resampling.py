"""The options of resampling."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import METHODS, TESTS, UNITS
from cdec.cli.options import options_in_call
from cdec.errors import UsageError

if TYPE_CHECKING:
    from cdec.evaluation.experiment import Experiment
    from cdec.statistics.draws import Plan

_PANEL = "Uncertainty"

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

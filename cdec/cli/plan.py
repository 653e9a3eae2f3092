"""The options of resampling, which several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.options import given
from cdec.cli.workers import all_cores
from cdec.errors import UsageError

if TYPE_CHECKING:
    from cdec.evaluation.experiment import Experiment
    from cdec.notices import Notice
    from cdec.render import Page
    from cdec.statistics.draws import Plan

_PANEL = "Uncertainty"

CiOption = Annotated[
    bool,
    typer.Option("--ci", help="Add confidence intervals to every value.", rich_help_panel=_PANEL),
]
UnitOption = Annotated[
    str,
    typer.Option(
        "--unit",
        metavar="topic|subtopic",
        help="What is resampled, and exchanged, as a whole.",
        rich_help_panel=_PANEL,
    ),
]
MethodOption = Annotated[
    str,
    typer.Option(
        "--ci-method",
        metavar="percentile|bca",
        help="Kind of interval.",
        rich_help_panel=_PANEL,
    ),
]
LevelOption = Annotated[
    float,
    typer.Option("--level", help="Confidence of the intervals, in (0, 1).", rich_help_panel=_PANEL),
]
ResamplesOption = Annotated[
    int, typer.Option("--resamples", help="How many resamples.", rich_help_panel=_PANEL)
]
ExchangesOption = Annotated[
    int,
    typer.Option(
        "--exchanges",
        help="How many exchanges a test draws, where not all can be tried.",
        rich_help_panel=_PANEL,
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", help="Of all that is drawn by lot.", rich_help_panel=_PANEL)
]


def refuse_without_ci(ctx: typer.Context) -> None:
    """Raise UsageError for an option of the intervals that are not asked for."""
    for option in given(ctx, ("unit", "method", "level", "resamples", "seed")):
        raise UsageError(f"{option} is of confidence intervals", cure="add --ci")


def with_intervals(
    experiment: Experiment, plan: Plan, notices: tuple[Notice, ...], by: str | None
) -> Page:
    """Return the results with intervals, made on all cores. Raises UsageError with ``--by``."""
    from cdec.statistics.view import interval_page

    if by is not None:
        raise UsageError("--ci is of the whole, --by of its parts", cure="leave one of them out")
    with all_cores():
        return interval_page(experiment, plan, notices)

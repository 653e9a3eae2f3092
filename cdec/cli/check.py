"""``cdec check``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdec.cli.groups import grouped
from cdec.cli.screen import ScreenOptions
from cdec.errors import ScoringError, UsageError, counted


@grouped
def check(
    results: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULT…",
            help="Result files of `cdec eval --format json`.",
            show_default=False,
        ),
    ],
    *,
    least: Annotated[
        list[str] | None,
        typer.Option(
            "--min",
            metavar="SETTING/METRIC=VALUE",
            help="The least F1, from 0 to 1, of every system (repeatable).",
            show_default=False,
        ),
    ] = None,
    signature: Annotated[
        str | None,
        typer.Option(
            "--signature",
            metavar="LINE",
            help="The signature, or some of its fields, that every result must have.",
            show_default=False,
        ),
    ] = None,
    screen: ScreenOptions,
) -> None:
    """Fail unless saved results reach thresholds and have a signature; show their warnings.

    \b
    # Two thresholds
    cdec check scores.json --min pure/conll=.1 --min ycf/lea=.1
    # The fields of a signature
    cdec check scores.json --signature "mentions:gold|scorer:cdec"
    """
    from cdec.evaluation.saved import load_results
    from cdec.leaderboard.threshold import Threshold, failures

    if not least and not signature:
        message, hint = "there is nothing to check", "add --min or --signature"
        raise UsageError("option-requires", message, hint=hint)
    loaded = [load_results(path) for path in dict.fromkeys(results)]
    saved = [result for each in loaded for result in each]
    for each in loaded:
        screen.notify(notice for notice in each.notices if notice.warning)
    found = list(failures(saved, [Threshold.parse(text) for text in least or []], signature))
    _refuse(found)
    screen.say(f"{counted(len(saved), 'result')} checked")
    typer.echo("passed")


def _refuse(found: list[str]) -> None:
    """Print what failed; raise ScoringError if anything did."""
    for failure in found:
        typer.echo(failure)
    if found:
        message, hint = f"{counted(len(found), 'check')} failed", "see the lines above"
        raise ScoringError("check-failed", message, hint=hint)

"""``cdec check``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import typer

from cdec.cli import options as o
from cdec.cli.option import Option
from cdec.cli.run import Run, command
from cdec.errors import ScoringError, UsageError, counted

_RESULTS = Option(
    "results",
    "RESULT…",
    "Result files of `cdec eval --format json`.",
    Path,
    many=True,
    required=True,
)
_MIN = Option(
    "--min",
    "[SETTING/]METRIC=VALUE",
    "The least F1, from 0 to 1, of every system (repeatable). Without a setting: under each.",
    many=True,
)
_SIGNATURE = Option(
    "--signature",
    "LINE",
    "The signature, or some of its fields, that every result must have.",
)


@command(_RESULTS, _MIN, _SIGNATURE, *o.SCREEN)
def check(call: Run) -> None:
    """Fail unless saved results reach thresholds and have a signature; show their warnings.

    \b
    # Two thresholds
    cdec check scores.json --min pure/conll=.1 --min ycf/lea=.1
    # The fields of a signature
    cdec check scores.json --signature "mentions:gold|scorer:cdec@2"
    """
    from cdec.evaluation.saved import Threshold, failures, load_results

    if not call.min and not call.signature:
        message, hint = "there is nothing to check", "add --min or --signature"
        raise UsageError("option-requires", message, hint=hint)
    loaded = [load_results(path) for path in dict.fromkeys(call.results)]
    saved = [result for each in loaded for result in each]
    for each in loaded:
        call.notify(notice for notice in each.notices if notice.warning)
    _refuse(failures(saved, [Threshold.parse(text) for text in call.min or []], call.signature))
    call.say(f"{counted(len(saved), 'result')} checked")
    typer.echo("passed")


def _refuse(found: Iterable[str]) -> None:
    """Print what failed; raise ScoringError if anything did."""
    failed = list(found)
    for failure in failed:
        typer.echo(failure)
    if failed:
        message, hint = f"{counted(len(failed), 'check')} failed", "see the lines above"
        raise ScoringError("check-failed", message, hint=hint)

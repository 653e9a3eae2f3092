"""``cdec leaderboard check``."""

from __future__ import annotations

import typer

from cdec.cli.groups import grouped
from cdec.cli.leaderboard.options import BoardOptions
from cdec.cli.screen import ScreenOptions
from cdec.cli.workers import WorkOptions
from cdec.errors import ScoringError, counted

_SHOWN = 20


@grouped
def check(*, board: BoardOptions, work: WorkOptions, screen: ScreenOptions) -> None:
    """Score everything again, and fail if a saved result differs.

    For continuous integration of a public leaderboard: a changed response, key, score or signature
    is an error (exit code 1).

    \b
    # The leaderboard in the working directory
    cdec leaderboard check --folder .
    # Responses that are not copied into the folder
    cdec leaderboard check --responses unpacked
    """
    from cdec.leaderboard.saved import differences

    scored = list(board.scored(screen))
    found = list(differences(board.board(), scored))
    for difference in found[:_SHOWN]:
        typer.echo(str(difference))
    if found:
        message = f"{counted(len(found), 'difference')} from the saved results"
        hint = "correct the leaderboard, or save the results by `cdec leaderboard score`"
        raise ScoringError("results-differ", message, place=board.folder, hint=hint)
    screen.say(f"{counted(len(scored), 'results file')} checked: no difference")

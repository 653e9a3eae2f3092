"""``cdec leaderboard score``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.groups import grouped
from cdec.cli.leaderboard.options import BoardOptions
from cdec.cli.screen import ScreenOptions
from cdec.cli.workers import WorkOptions
from cdec.errors import counted


@grouped
def score(
    system: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SYSTEM]…", help="Score only these systems.", show_default=False),
    ] = None,
    *,
    board: BoardOptions,
    work: WorkOptions,
    screen: ScreenOptions,
) -> None:
    """Score all responses under all settings, and save the results.

    Every file is read once; unchanged files are read from the cache. The results
    of a system are saved when it is scored: an interrupted call keeps them.

    \b
    # All systems
    cdec leaderboard score
    # One of them; a task names the corpus gvc, which is in a folder
    cdec leaderboard score mine --corpus gvc=data/GVC
    """
    from cdec.leaderboard.saved import save_result

    runs, files, target = 0, 0, board.board()
    for one in board.scored(screen, system):
        save_result(target, one)
        runs, files = runs + len(one.runs), files + 1
    screen.say(f"{counted(runs, 'response')}, {counted(files, 'results file')}")

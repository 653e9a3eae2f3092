"""``cdec leaderboard study``."""

from __future__ import annotations

from cdec.cli.groups import grouped
from cdec.cli.leaderboard.options import BoardOptions
from cdec.cli.resampling import DrawOptions
from cdec.cli.screen import ScreenOptions
from cdec.cli.workers import WorkOptions


@grouped
def study(
    *, board: BoardOptions, draws: DrawOptions, work: WorkOptions, screen: ScreenOptions
) -> None:
    """Compute how far the setting decides the order of the systems, and keep the tables.

    Intervals and tests by topics, all combinations of the choices of a setting, and what gold
    information gives away. `cdec reproduce leaderboard` and `cdec leaderboard page` show them.

    \b
    # With 1,000 resamples
    cdec leaderboard study
    # Faster, with responses that are not copied into the folder
    cdec leaderboard study --responses unpacked --resamples 200
    """
    from cdec.leaderboard.study.tables import FOLDER
    from cdec.leaderboard.study.tables import study as tables

    scored = list(board.scored(screen))
    made = tables(board.board(), scored, draws.plan(), None, screen.bar)
    made.save(board.folder / FOLDER)

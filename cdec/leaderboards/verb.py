"""``cdec.leaderboard(folder)`` in Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from cdec.leaderboards.board import Leaderboard, board_of_cdec
from cdec.leaderboards.score import Scored, score_and_save
from cdec.leaderboards.show import board_page
from cdec.render.analysis import Analysis


def leaderboard(
    folder: str | Path,
    responses: str | Path | None = None,
    *,
    corpora: Mapping[str, str | Path] | None = None,
    only: Iterable[str] = (),
) -> Analysis[list[Scored]]:
    """Score the responses of a leaderboard, save the results, and return them with the page.

    As ``cdec leaderboard score`` and ``show`` do. ``folder`` has ``leaderboard.toml``,
    ``responses`` the files (default: those in the folder); ``corpora`` maps the name of a corpus in
    the tasks → its path; ``only``: the systems to score. Raises FormatError, CorpusError,
    ScoringError, UsageError.
    """
    board = Leaderboard.at(Path(folder), None if responses is None else Path(responses))
    paths = {name: str(path) for name, path in (corpora or {}).items()}
    scored, _ = score_and_save(board, paths, list(only))
    return Analysis(scored, board_page(board))


def leaderboard_site(output: str | Path, folder: str | Path | None = None) -> list[Path]:
    """Write the saved results of a leaderboard as a site; return the paths of its files.

    As ``cdec leaderboard site`` does. ``folder`` has ``leaderboard.toml``; by default the board of
    cdec. ``output`` is a new folder, or one that this wrote before: its other files stay as they
    are. Raises FormatError.
    """
    from cdec.leaderboards.site import write_site  # noqa: PLC0415 (slow: templates)

    board = board_of_cdec() if folder is None else Leaderboard.at(Path(folder))
    return [Path(output) / name for name in write_site(board, Path(output))]

"""``cdec.leaderboard(folder)`` in Python, and the artefact of `cdec reproduce`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cdec.io.progress import notebook
from cdec.leaderboards.board_page import board_page
from cdec.leaderboards.folder import Leaderboard, board_of_cdec
from cdec.leaderboards.saved import save_result
from cdec.leaderboards.score import Scored, score_board
from cdec.leaderboards.study.page import study_page
from cdec.leaderboards.study.tables import FOLDER, Study
from cdec.render.analysis import Analysis

if TYPE_CHECKING:
    from cdec.cli.run import Run
    from cdec.render import Page


def leaderboard(
    folder: str | Path,
    responses: str | Path | None = None,
    *,
    corpora: Mapping[str, str | Path] | None = None,
    only: Iterable[str] = (),
    filters: Iterable[str] = (),
) -> Analysis[list[Scored]]:
    """Score the responses of a leaderboard, save the results, and return them with the page.

    As ``cdec leaderboard score`` and ``show`` do. ``folder`` has ``leaderboard.toml``,
    ``responses`` the files (default: those in the folder); ``corpora`` maps the name of a corpus in
    the tasks → its path; ``only``: the systems to score; ``filters``, as ``saw-test=no``:
    the page names only the systems that declare this. Raises FormatError, CorpusError,
    ScoringError, UsageError.
    """
    board = Leaderboard.at(Path(folder), None if responses is None else Path(responses))
    paths = {name: str(path) for name, path in (corpora or {}).items()}
    scored = list(score_board(board, paths, None, notebook(), list(only)))
    for one in scored:
        save_result(board, one)
    return Analysis(scored, board_page(board, list(filters)))


def leaderboard_check(
    folder: str | Path,
    base: str | Path | None = None,
    responses: str | Path | None = None,
    *,
    corpora: Mapping[str, str | Path] | None = None,
) -> Analysis[list[str]]:
    """Check a leaderboard as a pull request leaves it; return its problems, and a comment.

    As ``cdec leaderboard check`` does. ``base`` is a folder of the leaderboard before; the page
    says what is new, which ranks change and what is not certain. ``responses`` and ``corpora`` as
    in ``leaderboard``. An empty list means that nothing is wrong. Raises FormatError for a
    ``base`` that is not a leaderboard.
    """
    from cdec.leaderboards.submission import check_board  # noqa: PLC0415 (slow: statistics)

    paths = {name: str(path) for name, path in (corpora or {}).items()}
    before, root = (None if path is None else Path(path) for path in (base, responses))
    return Analysis(*check_board(Path(folder), before, root, paths, notebook()))


def leaderboard_site(output: str | Path, folder: str | Path | None = None) -> list[Path]:
    """Write the saved results of a leaderboard as a site; return the paths of its files.

    As ``cdec leaderboard site`` does. ``folder`` has ``leaderboard.toml``; by default the board of
    cdec. ``output`` is a new folder, or one that this wrote before: its other files stay as they
    are. Raises FormatError.
    """
    from cdec.leaderboards.site import write_site  # noqa: PLC0415 (slow: templates)

    board = board_of_cdec() if folder is None else Leaderboard.at(Path(folder))
    return [Path(output) / name for name in write_site(board, Path(output))]


def study_shown(call: Run) -> Page:
    """Return the page of published systems under every setting, with pictures in HTML only.

    The artefact ``leaderboard`` of `cdec reproduce`.
    """
    board = board_of_cdec()
    tables = Study.read(board.folder / FOLDER)
    return study_page(tables, board.file.study, pictures=call.page_format == "html")

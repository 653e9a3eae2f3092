"""The options of commands on boards, and the board and corpora that a call names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import names
from cdec.cli import options as o
from cdec.cli.option import Option
from cdec.cli.run import Run
from cdec.errors import UsageError

if TYPE_CHECKING:
    from cdec.leaderboards.folder import Leaderboard

FOLDER = Option("--folder", "FOLDER", "The folder of the leaderboard.", Path, Path("leaderboard"))
RESPONSES = Option(
    "--responses",
    "FOLDER",
    "Folder of the response files. Default: responses in --folder.",
    Path,
)
CORPORA = Option(
    "--corpus",
    "NAME=PATH",
    "Path of a corpus that the tasks name (repeatable). Default: the installed corpus of that "
    "name.",
    many=True,
)
BOARD = (FOLDER, RESPONSES, CORPORA)
TASK = Option("--task", "TASK", "The task that they answer.", required=True)
SYSTEMS = Option("system", "[SYSTEM]…", "Score only these systems.", many=True)
METRIC = o.METRICS.but(
    help="The metric whose F1 is shown; `cdec plugins` lists them.",
    many=False,
    default="conll",
    brief="",
    check=names.METRICS.check,
)

FILES = Option(
    "response",
    "RESPONSE…",
    "Response files, or pairs:FILE@THRESHOLD/CLUSTERING: several are the runs of one system.",
    many=True,
    required=True,
)
NAME = Option("--name", "NAME", "Name: small letters, digits and . _ + -", required=True)
META = Option(
    "--meta",
    "FILE.toml",
    "Title, family, paper, year, url, licence, trained_on, tuned_on, note, recipe, uses, and what "
    "its runs took: model, cost, …",
    Path,
)
COPY = Option(
    "--copy/--no-copy",
    None,
    "Copy the files into the folder, or record only their digests (if their licence forbids "
    "copies).",
    bool,
    True,
)
FROM = Option(
    "--from",
    "FOLDER|FILE",
    "Do not download: use the archives in this folder, or this archive.",
    Path,
    attribute="source",
)


def named_board(call: Run) -> Leaderboard:
    """Return the leaderboard. Raises FormatError."""
    from cdec.leaderboards.folder import Leaderboard  # noqa: PLC0415  the help needs no board

    return Leaderboard.at(call.folder, call.values.get("responses"))


def board_to_read(call: Run) -> Leaderboard:
    """Return the leaderboard; that of cdec if the default folder has none. Raises FormatError."""
    from cdec.leaderboards.folder import BOARD, Leaderboard, board_of_cdec  # noqa: PLC0415

    usual = FOLDER.default
    if call.folder is None:  # an argument that was not given
        return Leaderboard.at(usual) if (usual / BOARD).exists() else board_of_cdec()
    own = call.folder != usual or (usual / BOARD).exists()
    return named_board(call) if own else board_of_cdec()


def corpora(call: Run) -> dict[str, str]:
    """Return the corpora of --corpus. Raises UsageError for one that is not NAME=PATH."""
    pairs = [text.partition("=") for text in call.corpus or []]
    for name, _, path in pairs:
        if not (name and path):
            message = f"expected NAME=PATH, got '{name}'"
            raise UsageError("option-invalid", message, hint="as in gvc=data/GVC")
    return {name: path for name, _, path in pairs}

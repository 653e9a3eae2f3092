"""The options that the commands of a leaderboard share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.screen import ScreenOptions
from cdec.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cdec.leaderboard.folder import Leaderboard
    from cdec.leaderboard.score import Scored

FolderOption = Annotated[
    Path,
    typer.Option("--folder", metavar="FOLDER", help="The folder of the leaderboard."),
]
FOLDER = Path("leaderboard")


def board_to_read(folder: Path) -> Leaderboard:
    """Return the leaderboard in ``folder``; that of cdec if there is none in the default folder."""
    from cdec import configs
    from cdec.leaderboard.folder import BOARD, Leaderboard

    shipped = folder == FOLDER and not (folder / BOARD).exists()
    return Leaderboard.at(configs.folder(FOLDER.name) if shipped else folder)


@dataclass(frozen=True)
class BoardOptions:
    """--folder, --responses and --corpus."""

    folder: FolderOption = FOLDER
    responses: Annotated[
        Path | None,
        typer.Option(
            "--responses",
            metavar="FOLDER",
            help="Folder of the response files. Default: responses in --folder.",
            show_default=False,
        ),
    ] = None
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus",
            metavar="NAME=PATH",
            help="Path of a corpus that the tasks name (repeatable). Default: the installed "
            "corpus of that name.",
            show_default=False,
        ),
    ] = None

    def board(self) -> Leaderboard:
        """Return the leaderboard. Raises FormatError."""
        from cdec.leaderboard.folder import Leaderboard

        return Leaderboard.at(self.folder, self.responses)

    @property
    def corpora(self) -> dict[str, str]:
        """The paths of --corpus by name. Raises UsageError for another form."""
        pairs = [text.partition("=") for text in self.corpus or []]
        for name, _, path in pairs:
            if not (name and path):
                message = f"expected NAME=PATH, got '{name}'"
                raise UsageError("corpus-path-invalid", message, hint="as in gvc=data/GVC")
        return {name: path for name, _, path in pairs}

    def scored(self, screen: ScreenOptions, only: list[str] | None = None) -> Iterator[Scored]:
        """Score the responses."""
        from cdec.leaderboard.score import score_board

        return score_board(self.board(), self.corpora, None, screen.bar, only or ())

"""``cdec leaderboard page``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cdec.cli.groups import grouped
from cdec.cli.leaderboard.options import FOLDER, FolderOption, board_to_read
from cdec.cli.screen import ScreenOptions
from cdec.cli.targets import ReportOptions, file_option


@grouped
def page(
    *,
    output: Annotated[
        Path,
        file_option(
            "File to write; its ending sets the format.",
            "FILE",
            "a page",
            ".html",
            ".md",
            ".tex",
            ".json",
            ".csv",
        ),
    ],
    folder: FolderOption = FOLDER,
    screen: ScreenOptions,
) -> None:
    """Write the page of a leaderboard from its saved results, with pictures in HTML.

    If there is a study, the page has its sections, too.

    \b
    # For a browser
    cdec leaderboard page -o leaderboard.html
    # For GitHub
    cdec leaderboard page --folder boards/ecb -o leaderboard.md
    """
    from cdec.leaderboard.board_page import board_page

    ReportOptions(output).show(board_page(board_to_read(folder)))
    screen.say(f"{output} written")

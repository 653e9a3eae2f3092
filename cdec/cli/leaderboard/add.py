"""``cdec leaderboard add``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdec.cli.groups import grouped
from cdec.cli.leaderboard.options import BoardOptions
from cdec.cli.screen import ScreenOptions


@grouped
def add(
    response: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESPONSE…",
            help="Response files: several are the runs of one system.",
            show_default=False,
        ),
    ],
    *,
    name: Annotated[
        str,
        typer.Option(
            "--name",
            metavar="NAME",
            help="Name of the system: small letters, digits and . _ + -",
            show_default=False,
        ),
    ],
    task: Annotated[
        str,
        typer.Option(
            "--task", metavar="TASK", help="The task that they answer.", show_default=False
        ),
    ],
    meta: Annotated[
        Path | None,
        typer.Option(
            "--meta",
            metavar="FILE.toml",
            help="Title, family, paper, year, url, licence, trained_on, tuned_on, note, uses.",
            show_default=False,
        ),
    ] = None,
    copy: Annotated[
        bool,
        typer.Option(
            help="Copy the files into the folder, or record only their digests (if their licence "
            "forbids copies)."
        ),
    ] = True,
    board: BoardOptions,
    screen: ScreenOptions,
) -> None:
    """Add a system, or its responses to a further task.

    \b
    # Three runs of a system
    cdec leaderboard add run1.conll run2.conll run3.conll --name mine --task ecb+
    # With a description, and without copies of the responses
    cdec leaderboard add mine.conll --name mine --task ecb+ --meta mine.toml --no-copy
    """
    from cdec.leaderboard.add import Addition, add_system

    entry = add_system(board.board(), Addition(name, response, task, meta, copy))
    screen.say(
        f"{entry.name}: {len(entry.answers(task))} of {len(entry.responses)} responses added"
    )

"""``cdec leaderboard show``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.completion import METRIC_IDS, METRICS, listed
from cdec.cli.groups import grouped
from cdec.cli.leaderboard.options import FOLDER, FolderOption, board_to_read
from cdec.cli.targets import OutputOptions


@grouped
def show(
    system: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SYSTEM]…",
            help="Show only these systems, in this order. Default: all, best first.",
            show_default=False,
        ),
    ] = None,
    *,
    task: Annotated[
        str,
        typer.Option("--task", metavar="TASK", help="The task to show.", show_default=False),
    ],
    metric: Annotated[
        str,
        typer.Option(
            "--metric",
            metavar="METRIC",
            callback=METRICS.check,
            autocompletion=METRICS.complete,
            help=f"The metric whose F1 is shown: {listed(METRIC_IDS)}.",
        ),
    ] = "conll",
    folder: FolderOption = FOLDER,
    output: OutputOptions,
) -> None:
    """Show the saved scores of systems under every setting, as one table.

    \b
    # All systems of a task
    cdec leaderboard show --task ecb+
    # Two of them, for a paper
    cdec leaderboard show cdec-sac bugert-2021 --task ecb+ --format latex
    """
    from cdec.leaderboard.board_page import table_page

    output.show(table_page(board_to_read(folder), task, system or [], metric))

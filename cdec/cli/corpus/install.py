"""``cdec corpus install``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdec.cli.groups import grouped
from cdec.cli.screen import ScreenOptions


@grouped
def install(
    path: Annotated[
        Path,
        typer.Argument(metavar="PATH", help="Folder or zip of the corpus.", show_default=False),
    ],
    *,
    name: Annotated[
        str | None,
        typer.Option("--name", help="Install another corpus in ECB+ format under this name."),
    ] = None,
    screen: ScreenOptions,
) -> None:
    """Put a copy of ECB+ (folder or zip) where every command finds it.

    The copy must be the release, unless it gets a name of its own.

    \b
    # The release, as its authors publish it
    cdec corpus install ~/Downloads/ECB+.zip
    # Another corpus in that format, from now on --corpus mine
    cdec corpus install my-corpus --name mine
    """
    from cdec.corpus.store.locate import install as put

    screen.say(f"installed: {put(path, name)}")

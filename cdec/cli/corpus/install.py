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
        typer.Option("--name", help="Install another corpus, under this name."),
    ] = None,
    screen: ScreenOptions,
) -> None:
    """Install a copy of ECB+, or of another corpus (folder, zip or file), for all commands.

    The copy of a published corpus must be identical to the release, unless --name is given.

    \b
    # The release of ECB+
    cdec corpus install ~/Downloads/ECB+.zip
    # Another published corpus (see `cdec corpus list`); use it with --corpus gvc
    cdec corpus install ~/GunViolenceCorpus --name gvc
    # Any other corpus that cdec can read; use it with --corpus mine
    cdec corpus install my-corpus --name mine
    """
    from cdec.corpus.store.locate import install as put

    screen.say(f"installed: {put(path, name)}")

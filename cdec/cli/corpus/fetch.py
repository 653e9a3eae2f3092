"""``cdec corpus fetch``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from cdec.cli.groups import grouped
from cdec.cli.screen import ScreenOptions


@grouped
def fetch(
    *,
    url: Annotated[
        str | None, typer.Option("--url", help="Mirror of the folder with the files.")
    ] = None,
    screen: ScreenOptions,
) -> None:
    """Download ECB+ from its authors' repository, verify it and install it.

    An interrupted download is resumed by the next call.

    \b
    # From the authors' repository
    cdec corpus fetch
    # From a mirror
    cdec corpus fetch --url https://mirror.example.org/ECB+_LREC2014
    """
    from cdec.corpus.store.fetch import fetch as download

    target = download(url, progress=sys.stderr.isatty() and not screen.quiet)
    screen.say(f"installed: {target}")

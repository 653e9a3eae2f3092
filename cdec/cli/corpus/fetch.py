"""``cdec corpus fetch``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from cdec.cli.groups import grouped
from cdec.cli.screen import ScreenOptions


def _names(incomplete: str) -> list[str]:
    from cdec.corpus.known import known_corpora

    return [k.name for k in known_corpora() if k.blobs and k.name.startswith(incomplete)]


@grouped
def fetch(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME]", help="A corpus of `cdec corpus list`.", autocompletion=_names
        ),
    ] = "ecb+",
    *,
    url: Annotated[
        str | None, typer.Option("--url", help="Mirror of the folder with the files.")
    ] = None,
    screen: ScreenOptions,
) -> None:
    """Download ECB+, or another corpus, from its authors' repository, verify and install it.

    An interrupted download is resumed by the next call.

    \b
    # ECB+, from the authors' repository
    cdec corpus fetch
    # Another corpus
    cdec corpus fetch gvc
    # From a mirror
    cdec corpus fetch --url https://mirror.example.org/ECB+_LREC2014
    """
    from cdec.corpus.store.fetch import fetch as download
    from cdec.corpus.store.locate import known_named

    shown = sys.stderr.isatty() and not screen.quiet
    target = download(url, known=known_named(name), progress=shown)
    screen.say(f"installed: {target}")

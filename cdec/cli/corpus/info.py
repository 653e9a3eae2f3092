"""``cdec corpus info``."""

from __future__ import annotations

from cdec.cli.groups import grouped
from cdec.cli.options import CorpusOptions
from cdec.cli.targets import OutputOptions


@grouped
def info(*, corpus: CorpusOptions, output: OutputOptions) -> None:
    """Say which corpus the commands use, where it is, and what corpora are installed.

    \b
    # For you
    cdec corpus info
    # For a program
    cdec corpus info --format json
    """
    from cdec.corpus.store.locate import installed, locate
    from cdec.corpus.store.view import info_page

    output.show(info_page(locate(corpus.corpus), installed()))

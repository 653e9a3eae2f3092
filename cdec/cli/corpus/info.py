"""``cdec corpus info``."""

from __future__ import annotations

from cdec.cli.options import CorpusOption, FormatOption, OutputOption
from cdec.cli.output import emit


def info(
    corpus: CorpusOption = None,
    format: FormatOption = "table",
    output: OutputOption = None,
) -> None:
    """Say which corpus the commands use, where it is, and what corpora are installed.

    \b
    # For you
    cdec corpus info
    # For a program
    cdec corpus info --format json
    """
    from cdec.corpus.store.locate import installed, locate
    from cdec.corpus.store.view import info_page

    emit(info_page(locate(corpus), installed()), format, output)

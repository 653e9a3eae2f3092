"""``cdec corpus info``."""

from __future__ import annotations

from cdec.cli.corpus_options import CorpusOptions
from cdec.cli.groups import grouped
from cdec.cli.targets import OutputOptions


@grouped
def info(*, corpus: CorpusOptions, output: OutputOptions) -> None:
    """Show the corpus that the commands use, what is known about it, and all installed corpora.

    \b
    # As a table
    cdec corpus info
    # As JSON
    cdec corpus info --format json
    """
    from cdec.corpus.store.locate import installed, locate
    from cdec.corpus.store.view import facts_of, info_page

    used = locate(corpus.corpus)
    output.show(info_page(used, installed(), facts_of(used)))

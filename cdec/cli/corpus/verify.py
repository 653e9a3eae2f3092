"""``cdec corpus verify``."""

from __future__ import annotations

import sys

import typer

from cdec.cli.corpus_options import CorpusOptions
from cdec.cli.groups import grouped
from cdec.cli.targets import OutputOptions


@grouped
def verify(*, corpus: CorpusOptions, output: OutputOptions) -> None:
    """Read all files of a corpus; list its known and unknown defects; exit 1 if it is damaged.

    \b
    # The corpus that the other commands use
    cdec corpus verify
    # A copy, before installing it
    cdec corpus verify --corpus my-corpus
    """
    from cdec.corpus.adapter import open_source
    from cdec.corpus.store.locate import locate
    from cdec.corpus.store.verify import survey
    from cdec.corpus.store.view import survey_page

    with output.progress("reading the corpus") as tick:
        result = survey(open_source(locate(corpus.corpus).path), tick)
    output.show(survey_page(result))
    if not result.ok:
        for problem in result.problems:
            print(f"cdec: error: {problem}", file=sys.stderr)
        raise typer.Exit(1)

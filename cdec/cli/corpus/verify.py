"""``cdec corpus verify``."""

from __future__ import annotations

import typer

from cdec.cli.options import CorpusOption, FormatOption, OutputOption, QuietOption
from cdec.cli.output import emit, say
from cdec.cli.progress import progress


def verify(
    corpus: CorpusOption = None,
    format: FormatOption = "table",
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Read all of a corpus; list its known defects and whatever is not known; exit 1 if damaged.

    \b
    # The corpus that the other commands use
    cdec corpus verify
    # A copy before it is installed
    cdec corpus verify --corpus my-corpus
    """
    from cdec.corpus.adapter import open_source
    from cdec.corpus.store.locate import locate
    from cdec.corpus.store.verify import survey
    from cdec.corpus.store.view import survey_page

    with progress("reading the corpus", quiet) as tick:
        found = survey(open_source(locate(corpus).path), tick)
    emit(survey_page(found), format, output)
    if not found.ok:
        for problem in found.problems:
            say(f"error: {problem}", quiet=False)
        raise typer.Exit(1)

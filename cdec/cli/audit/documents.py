"""``cdec audit documents``."""

from __future__ import annotations

from cdec.cli.corpus_options import WHOLE, PartOptions
from cdec.cli.groups import grouped
from cdec.cli.run import Run
from cdec.cli.targets import OutputOptions


@grouped
def documents(*, corpus: PartOptions = WHOLE, output: OutputOptions) -> None:
    """List documents with few reviewed sentences and many unlinked mentions.

    Work that was not done, rather than errors: no case has these documents.

    \b
    # The documents with the most unlinked mentions first
    cdec audit documents
    # For a spreadsheet
    cdec audit documents --format csv -o documents.csv
    """
    from cdec.audit.documents import documents_page, unfinished

    part = Run(corpus, output).part
    output.show(documents_page(unfinished(part), part))

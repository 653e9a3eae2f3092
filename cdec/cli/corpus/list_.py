"""``cdec corpus list``."""

from __future__ import annotations

from cdec.cli.groups import grouped
from cdec.cli.targets import OutputOptions


@grouped
def list_(*, output: OutputOptions) -> None:
    """Show the corpora that cdec knows: format, split, licence, and whether they are installed.

    \b
    # As a table
    cdec corpus list
    # With citations, as JSON
    cdec corpus list --format json
    """
    from cdec.corpus.store.locate import installed
    from cdec.corpus.store.view import list_page

    output.show(list_page(installed()))

"""``cdec corpus import``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdec.cli.completion import CORPUS_FORMATS
from cdec.cli.groups import grouped
from cdec.cli.targets import OutputOptions


@grouped
def import_(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH", help="Folder, zip or file of the corpus.", show_default=False
        ),
    ],
    *,
    name: Annotated[
        str, typer.Option("--name", help="Store the corpus under this name.", show_default=False)
    ],
    format_: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            callback=CORPUS_FORMATS.check,
            autocompletion=CORPUS_FORMATS.complete,
            help="Format of the corpus. Default: detected.",
        ),
    ] = None,
    topics: Annotated[
        Path | None,
        typer.Option(
            "--topics",
            metavar="FILE",
            help="CSV or TSV file with the header document,topic or document,topic,subtopic: "
            "the topics of the documents.",
        ),
    ] = None,
    output: OutputOptions,
) -> None:
    """Read a corpus in any known format, list its defects and store it for all commands.

    \b
    # A corpus whose format is detected; use it with --corpus mine
    cdec corpus import my-corpus.jsonl --name mine
    # With the topics of its documents from a table
    cdec corpus import my-corpus.jsonl --topics topics.csv --name mine
    """
    from cdec.corpus.store.importing import import_corpus
    from cdec.corpus.store.view import import_page

    with output.progress("reading the corpus") as tick:
        imported = import_corpus(
            path, name, format=format_, topics=topics, tick=tick, progress=output.bar
        )
    output.show(import_page(imported))
    output.say(f"imported: {imported.path} (use --corpus {imported.corpus.name})")

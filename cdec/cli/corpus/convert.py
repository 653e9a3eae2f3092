"""``cdec corpus convert``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdec.cli.completion import CONVERTERS, CORPUS_FORMATS
from cdec.cli.groups import grouped
from cdec.cli.options import KeyPatchOption
from cdec.cli.screen import ScreenOptions


@grouped
def convert(
    source: Annotated[
        str,
        typer.Argument(metavar="PATH|NAME", help="Corpus: a path or a name.", show_default=False),
    ],
    *,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="File or folder to write."),
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="FORMAT",
            callback=CONVERTERS.check,
            autocompletion=CONVERTERS.complete,
            help="jsonl, conll, conll8, ucdcr (a folder) or wec.",
        ),
    ] = "jsonl",
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
    key_patch: KeyPatchOption = None,
    screen: ScreenOptions,
) -> None:
    """Write a corpus, with its text and its key, in another format.

    \b
    # Everything that cdec knows of a corpus, as JSON Lines
    cdec corpus convert sample -o sample.jsonl
    # The eight columns that many systems read
    cdec corpus convert sample -o sample.conll --to conll8
    # A corpus with the corrected key
    cdec corpus convert sample --key-patch patch.json -o corrected.jsonl
    """
    from cdec.api import read_whole
    from cdec.corpus.store.locate import locate
    from cdec.formats.corpora import CONVERTERS as KNOWN
    from cdec.formats.corpora import convert as write

    with screen.progress("reading the corpus") as tick:
        corpus = read_whole(locate(source), tick, format_)
    if key_patch:
        from cdec.audit.patches.model import read_patch
        from cdec.audit.patches.rescore import patched_corpus

        corpus = patched_corpus(corpus, read_patch(key_patch))
    write(corpus, output, to)
    if KNOWN[to].lost:
        screen.say(f"note: {to} does not have: {', '.join(KNOWN[to].lost)}")

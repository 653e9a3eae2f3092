"""``cdec corpus export``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.inputs import read_corpus
from cdec.cli.options import CorpusOption, FileFormatOption, OutputOption, QuietOption, SplitOption
from cdec.cli.output import show_notices, write_annotation
from cdec.errors import UsageError


def export(
    split: SplitOption = "test",
    setting: Annotated[
        str | None,
        typer.Option("--setting", "-s", help="Write the meta-documents of this setting."),
    ] = None,
    response: Annotated[
        str | None,
        typer.Option(
            "--response",
            "-r",
            metavar="FILE",
            help="With --setting: write this response's side of the meta-documents instead "
            "of the key's.",
        ),
    ] = None,
    corpus: CorpusOption = None,
    to: FileFormatOption = None,
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write the key, as it is or as ready meta-documents that any scorer can read.

    \b
    # The key of test, for cdec score or another scorer
    cdec corpus export -o key.conll
    # Key and response as ready meta-documents of a setting
    cdec corpus export -s pure -o key-pure.conll
    cdec corpus export -s pure -r mine.conll -o mine-pure.conll
    """
    from cdec.evaluation.response import meta_document_sides
    from cdec.formats import from_corpus
    from cdec.settings import find_setting

    if setting is None and response is not None:
        raise UsageError("--response without --setting", cure="a response by itself is its file")
    chosen = find_setting(setting) if setting else None
    part = read_corpus(corpus, split, quiet)
    if chosen is None:
        write_annotation(from_corpus(part, part.gold), to, output)
        return
    key_side, response_side, notices = meta_document_sides(part, chosen, response)
    show_notices(notices, quiet, verbose=False)
    write_annotation(key_side if response is None else response_side, to, output)

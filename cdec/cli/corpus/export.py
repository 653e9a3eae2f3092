"""``cdec corpus export``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.completion import SETTING_IDS, SETTINGS, listed
from cdec.cli.groups import grouped
from cdec.cli.options import PartOptions
from cdec.cli.run import Run
from cdec.cli.targets import AnnotationOptions
from cdec.errors import UsageError


@grouped
def export(
    *,
    setting: Annotated[
        str | None,
        typer.Option(
            "--setting",
            "-s",
            autocompletion=SETTINGS.complete,
            help=f"Write the meta-documents of this setting: {listed(SETTING_IDS)}; or your own, "
            "as in `cdec eval`. Default: the documents as they are.",
        ),
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
    corpus: PartOptions,
    output: AnnotationOptions,
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
        raise UsageError("--response without --setting", hint="a response by itself is its file")
    chosen = find_setting(setting) if setting else None
    part = Run(corpus, output).part
    if chosen is None:
        output.write(from_corpus(part, part.gold))
        return
    key_side, response_side, notices = meta_document_sides(part, chosen, response)
    output.notify(notices)
    output.write(key_side if response is None else response_side)

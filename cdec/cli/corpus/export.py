"""``cdec corpus export``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.completion import SETTING_IDS, SETTINGS, listed
from cdec.cli.corpus_options import PartOptions
from cdec.cli.groups import grouped
from cdec.cli.options import KeyPatchOption
from cdec.cli.responses import NoiseOption
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
            "as in `cdec eval`. Default: the documents of the corpus.",
        ),
    ] = None,
    response: Annotated[
        str | None,
        typer.Option(
            "--response",
            "-r",
            metavar="FILE",
            help="With --setting: write the meta-documents of this response instead of the key.",
        ),
    ] = None,
    noise: NoiseOption = None,
    key_patch: KeyPatchOption = None,
    corpus: PartOptions,
    output: AnnotationOptions,
) -> None:
    """Write the key of a corpus, or the meta-documents of a setting, for any scorer.

    \b
    # The key of the test part, for cdec score or another scorer
    cdec corpus export -o key.conll
    # Key and response as meta-documents of a setting
    cdec corpus export -s pure -o key-pure.conll
    cdec corpus export -s pure -r mine.conll -o mine-pure.conll
    # The corrected key
    cdec corpus export --key-patch patch.json -o corrected.conll
    """
    from cdec.evaluation.response import DEFAULT_POLICY, meta_document_sides
    from cdec.evaluation.run import check_events
    from cdec.formats import from_corpus
    from cdec.settings import find_setting

    if setting is None and response is not None:
        hint = "add --setting, or drop --response"
        raise UsageError("option-requires", "--response requires --setting", hint=hint)
    chosen = find_setting(setting) if setting else None
    check_events(part := Run(corpus, output, key_patch=key_patch).part)
    if chosen is None:
        return output.write(from_corpus(part, part.gold))
    policy = DEFAULT_POLICY.with_noise(noise)
    key_side, response_side, notices = meta_document_sides(part, chosen, response, policy)
    output.notify(notices)
    return output.write(key_side if response is None else response_side)

"""``cdec score``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdec.cli.inputs import with_key_patch
from cdec.cli.options import (
    AllowEmptyOption,
    ByOption,
    FormatOption,
    KeyPatchOption,
    MetricOption,
    OutputOption,
    QuietOption,
    RepeatedOption,
    ScorerOption,
    VerboseOption,
)
from cdec.cli.output import emit, show_notices


def score(
    key: Annotated[Path, typer.Argument(help="The key file: what is right.", show_default=False)],
    response: Annotated[
        str,
        typer.Argument(metavar="[NAME=]RESPONSE", help="The system's file.", show_default=False),
    ],
    scope: Annotated[
        str,
        typer.Option(
            "--scope",
            metavar="document|corpus",
            help="document: chain labels are local to a document, counts are pooled (as the "
            "CoNLL reference scorer). corpus: labels are global, the whole file is one "
            "meta-document (cross-document coreference).",
        ),
    ] = "document",
    metric: MetricOption = None,
    by: ByOption = None,
    scorer: ScorerOption = "cdec",
    repeated: RepeatedOption = "first",
    allow_empty: AllowEmptyOption = False,
    key_patch: KeyPatchOption = None,
    format: FormatOption = "table",
    output: OutputOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Score a response file against a key file; no corpus is needed.

    Formats are told by content: CoNLL-2012 and its cousins, JSON Lines, CSV and TSV, JSON.

    \b
    # Chain labels local to a document, as the reference scorer has them
    cdec score key.conll response.conll
    # Across documents, under a name of its own
    cdec score key.conll mine=response.jsonl --scope corpus --format json
    """
    from cdec.evaluation.experiment import prepare_pair
    from cdec.evaluation.response import FilePolicy
    from cdec.evaluation.results import experiment_page

    policy = FilePolicy(repeated, allow_empty)
    experiment = prepare_pair(
        key, response, scope=scope, metrics=metric, scorer=scorer, policy=policy
    )
    experiment = with_key_patch(experiment, key_patch)
    show_notices(experiment.notices, quiet, verbose)
    emit(experiment_page(experiment, experiment.notices, by), format, output)

"""``cdec score``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.groups import grouped
from cdec.cli.options import FileOptions, ScoreOptions, scope_option
from cdec.cli.targets import OutputOptions

if TYPE_CHECKING:
    from cdec.evaluation.experiment import Experiment


@grouped
def score(
    key: Annotated[Path, typer.Argument(help="The key file: what is right.", show_default=False)],
    response: Annotated[
        str,
        typer.Argument(metavar="[NAME=]RESPONSE", help="The system's file.", show_default=False),
    ],
    *,
    scope: Annotated[
        str,
        scope_option(
            "document: chain labels are local to a document, counts are pooled (as the "
            "CoNLL reference scorer). corpus: labels are global, the whole file is one "
            "meta-document (cross-document coreference).",
        ),
    ] = "document",
    counts: ScoreOptions,
    files: FileOptions,
    output: OutputOptions,
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
    from cdec.evaluation.results import experiment_page

    metrics, scorer = counts.metric, counts.scorer
    experiment = prepare_pair(
        key, response, scope=scope, metrics=metrics, scorer=scorer, policy=files.policy()
    )
    experiment = _corrected(experiment, counts.key_patch)
    output.tell(experiment.notices)
    output.show(experiment_page(experiment, experiment.notices, counts.by))


def _corrected(experiment: Experiment, patch: Path | None) -> Experiment:
    """Return the experiment, with the key corrected where the option names a patch."""
    if patch is None:
        return experiment
    from cdec.audit.patches.model import read_patch
    from cdec.audit.patches.rescore import patched

    return patched(experiment, read_patch(patch))

"""``cdec score``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.groups import grouped
from cdec.cli.options import ScoreOptions, scope_option
from cdec.cli.responses import FileOptions
from cdec.cli.targets import OutputOptions

if TYPE_CHECKING:
    from cdec.evaluation.experiment import Experiment


@grouped
def score(
    key: Annotated[
        Path,
        typer.Argument(metavar="KEY", help="Key file: the correct chains.", show_default=False),
    ],
    response: Annotated[
        str,
        typer.Argument(
            metavar="[NAME=]RESPONSE",
            help="Response file: the chains of a system.",
            show_default=False,
        ),
    ],
    *,
    scope: Annotated[
        str,
        scope_option(
            "Scope of chain labels. document: a chain ends with its document, and counts are "
            "summed over documents, as in the CoNLL reference scorer. corpus: a chain can cross "
            "documents, and the whole file is one meta-document.",
        ),
    ] = "document",
    counts: ScoreOptions,
    files: FileOptions,
    output: OutputOptions,
) -> None:
    """Score a response file against a key file; no corpus is needed.

    File formats are recognised by content: CoNLL-2012 and variants, JSON Lines,
    CSV, TSV, JSON.

    \b
    # Within documents, as the reference scorer does
    cdec score key.conll response.conll
    # Across documents, with a name for the response
    cdec score key.conll mine=response.jsonl --scope corpus --format json
    """
    from cdec.evaluation.experiment import prepare_pair
    from cdec.evaluation.results import experiment_page

    metrics, scorer = counts.metric, counts.scorer
    experiment = prepare_pair(
        key, response, scope=scope, metrics=metrics, scorer=scorer, policy=files.policy()
    )
    experiment = _corrected(experiment, counts.key_patch)
    output.notify(experiment.notices)
    output.show(experiment_page(experiment, experiment.notices, counts.by))


def _corrected(experiment: Experiment, patch: Path | None) -> Experiment:
    """Return the experiment, with the key corrected by the patch, if any."""
    if patch is None:
        return experiment
    from cdec.audit.patches.model import read_patch
    from cdec.audit.patches.rescore import patched

    return patched(experiment, read_patch(patch))

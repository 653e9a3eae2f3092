"""``cdec audit report``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.audit.left_out import left_out
from cdec.cli.audit.options import DecisionsArgument
from cdec.cli.corpus_options import PartOptions
from cdec.cli.groups import grouped
from cdec.cli.options import NlpOption, SystemOptions, setting_option, system_option
from cdec.cli.run import Run
from cdec.cli.targets import OutputOptions

if TYPE_CHECKING:
    from cdec.audit.patches.model import Patch
    from cdec.evaluation.results import Results


@grouped
def report(
    decisions: DecisionsArgument,
    *,
    scores: Annotated[
        bool,
        typer.Option(
            "--scores/--no-scores", help="Score the baselines before and after the correction."
        ),
    ] = True,
    setting: Annotated[list[str], setting_option("By default all.")] = ["all"],
    system: Annotated[
        list[str] | None,
        system_option("A baseline, by id", after="Default: all that need no training."),
    ] = None,
    nlp: NlpOption = "hanta",
    corpus: PartOptions,
    output: OutputOptions,
) -> None:
    """Show decisions, agreement between reviewers, and scores before and after correction.

    With several files, agreement is AC1 and Cohen's κ of each pair of reviewers,
    by kind of case. Decisions on a list of `cdec audit sample` are extrapolated to
    the whole key. Corrections that exclude each other are left out.

    \b
    # Decisions, and the scores before and after
    cdec audit report decisions.json --setting pure
    # Agreement between two reviewers
    cdec audit report ann.json bob.json --no-scores
    """
    from cdec.audit.review.decisions import read_reviews, settled
    from cdec.audit.review.verdicts import make_patch
    from cdec.audit.view import before_after_page, decisions_page

    reviews = read_reviews(decisions)
    decided, disputed = settled(reviews)
    if not scores:
        output.notify(left_out(reviews, disputed))
        output.show(decisions_page(reviews))
        return
    run = Run(corpus, output, SystemOptions(nlp))
    chains = {str(m): str(c) for m, c in run.whole.gold.labels.items()}
    patch, skipped = make_patch(decided, reviews, skip=True, chains=chains)
    output.notify(left_out(reviews, disputed, skipped))
    output.show(before_after_page(*_before_after(run, patch, setting, system), reviews))


def _before_after(
    run: Run, patch: Patch, setting: list[str], names: list[str] | None
) -> tuple[Results, Results]:
    from cdec.audit.patches.rescore import against, patched_corpus
    from cdec.baselines import ready_names
    from cdec.corpus.splits import part_of
    from cdec.evaluation.results import Results

    corrected = part_of(patched_corpus(run.whole, patch), run.corpus.split)
    systems = run.ready(names or ready_names())
    experiment = run.experiment(systems, setting)
    after = Results(against(corrected, experiment).results())
    return Results(experiment.results()), after

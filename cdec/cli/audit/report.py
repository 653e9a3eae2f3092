"""``cdec audit report``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.audit.left_out import indirect, left_out
from cdec.cli.audit.options import DecisionsArgument, SkipOption
from cdec.cli.corpus_options import PartOptions
from cdec.cli.groups import grouped
from cdec.cli.options import (
    MetricsOption,
    NlpOption,
    SystemOptions,
    setting_option,
    system_option,
)
from cdec.cli.run import Run
from cdec.cli.targets import OutputOptions

if TYPE_CHECKING:
    from cdec.audit.patches.model import Patch
    from cdec.evaluation.experiment import Experiment
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
    metric: MetricsOption = None,
    skip_conflicts: SkipOption = True,
    nlp: NlpOption = "hanta",
    corpus: PartOptions,
    output: OutputOptions,
) -> None:
    """Show decisions, agreement between reviewers, and scores before and after correction.

    With several files, agreement is AC1 and Cohen's κ of each pair of reviewers,
    by kind of case; reviewers agree if verdict and correction are equal.
    Decisions on a list of `cdec audit sample` are extrapolated to the whole key.
    Corrections that exclude each other are left out.

    \b
    # Decisions, and the scores before and after
    cdec audit report decisions.json --setting pure --metric conll
    # Agreement between two reviewers
    cdec audit report ann.json bob.json --no-scores
    """
    from cdec.audit.review.decisions import read_reviews, settled
    from cdec.audit.review.effects import Known
    from cdec.audit.review.verdicts import make_patch
    from cdec.audit.view import before_after_page, decisions_page
    from cdec.baselines import ready_names

    decided, disputed = settled(reviews := read_reviews(decisions))
    if not scores:
        output.notify(left_out(reviews, disputed))
        return output.show(decisions_page(reviews))
    known = Known.of_corpus((run := Run(corpus, output, SystemOptions(nlp))).whole)
    patch, skipped = make_patch(decided, reviews, skip=skip_conflicts, chains=known.chains)
    effects = indirect([d for d in decided if d.case not in skipped], known)
    output.notify([*left_out(reviews, disputed, skipped), *effects])
    experiment = run.experiment(run.ready(system or ready_names()), setting, metric)
    return output.show(before_after_page(*_before_after(run, patch, experiment), reviews, metric))


def _before_after(run: Run, patch: Patch, experiment: Experiment) -> tuple[Results, Results]:
    from cdec.audit.patches.rescore import against, patched_corpus
    from cdec.corpus.splits import part_of

    corrected = part_of(patched_corpus(run.whole, patch), run.corpus.split)
    both = (experiment.results(), against(corrected, experiment).results())
    before, after = (replace(results, notices=()) for results in both)
    return before, after

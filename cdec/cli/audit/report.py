"""``cdec audit report``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.audit.options import DecisionsArgument
from cdec.cli.inputs import make_systems, read_corpus
from cdec.cli.options import (
    CorpusOption,
    FormatOption,
    NlpOption,
    OutputOption,
    QuietOption,
    SplitOption,
)
from cdec.cli.output import emit


def report(
    decisions: DecisionsArgument,
    scores: Annotated[
        bool, typer.Option("--scores/--no-scores", help="Score the baselines before and after.")
    ] = True,
    setting: Annotated[
        list[str], typer.Option("--setting", "-s", help="As in `cdec eval` (repeatable).")
    ] = ["all"],
    system: Annotated[
        list[str] | None, typer.Option("--system", help="A baseline, by id. Default: all.")
    ] = None,
    split: SplitOption = "test",
    corpus: CorpusOption = None,
    nlp: NlpOption = "hanta",
    format: FormatOption = "table",
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Show what was decided, how far reviewers agree, and every score before and after.

    Several files: Cohen's κ of each two reviewers.

    \b
    # Decisions, and the scores before and after
    cdec audit report decisions.json --setting pure
    # How far two reviewers agree
    cdec audit report ann.json bob.json --no-scores
    """
    from cdec.audit.patches.rescore import against, patched_corpus
    from cdec.audit.review.decisions import read_reviews, settled
    from cdec.audit.review.verdicts import make_patch
    from cdec.audit.view import before_after_page, decisions_page
    from cdec.baselines import ready_names
    from cdec.cli.learning import fit_or_load
    from cdec.corpus.splits import part_of
    from cdec.evaluation.experiment import prepare
    from cdec.evaluation.response import DEFAULT_POLICY, Response
    from cdec.evaluation.results import Results

    reviews = read_reviews(decisions)
    if not scores:
        emit(decisions_page(reviews), format, output)
        return
    patch = make_patch(settled(reviews)[0], reviews)
    whole = read_corpus(corpus, "all", quiet)
    corrected = part_of(patched_corpus(whole, patch), split)
    part = part_of(whole, split)
    names = system or ready_names()
    systems: list[Response] = [
        *fit_or_load(make_systems(names, nlp, quiet), corpus, split, part, quiet)
    ]
    experiment = prepare(
        part, systems, setting=setting, metrics=None, scorer="cdec", policy=DEFAULT_POLICY
    )
    after = Results(against(corrected, experiment).results())
    emit(before_after_page(Results(experiment.results()), after, reviews), format, output)

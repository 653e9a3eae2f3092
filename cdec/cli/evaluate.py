"""``cdec eval``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.corpus_options import PartOptions, ScoredOptions
from cdec.cli.groups import grouped
from cdec.cli.options import (
    ScoreOptions,
    SystemOptions,
    options_in_call,
    setting_option,
    system_option,
)
from cdec.cli.resampling import CiOption, IntervalOptions
from cdec.cli.responses import FileOptions
from cdec.cli.run import Run
from cdec.cli.targets import OutputOptions
from cdec.cli.workers import WorkOptions
from cdec.errors import UsageError

if TYPE_CHECKING:
    from cdec.evaluation.experiment import Experiment
    from cdec.evaluation.response import Response
    from cdec.render import Page
    from cdec.statistics.draws import Plan


@grouped
def evaluate(
    ctx: typer.Context,
    *,
    setting: Annotated[
        list[str],
        setting_option(
            "By default all, because scores differ between settings.",
            own="as scope=topic,ignore_singletons=yes",
        ),
    ] = ["all"],
    system: Annotated[
        list[str] | None,
        system_option(
            "A baseline, by id",
            after="Default without --response: all that need no training.",
        ),
    ] = None,
    response: Annotated[
        list[str] | None,
        typer.Option(
            "--response",
            "-r",
            metavar="[NAME=]FILE",
            help="A response file to score, together with the systems of --system (repeatable). "
            "Several runs of a system: NAME=FILE,FILE or NAME='PATTERN'.",
        ),
    ] = None,
    literature: Annotated[
        bool,
        typer.Option(
            "--literature",
            help="The numbers that papers on ECB+ print: cybulska/test, topic and corpus level, "
            "with and without own singletons, detection of mentions, and the tables that each "
            "number may stand beside.",
        ),
    ] = False,
    systems: SystemOptions,
    score: ScoreOptions,
    corpus: ScoredOptions,
    files: FileOptions,
    ci: CiOption = False,
    intervals: IntervalOptions,
    work: WorkOptions,
    output: OutputOptions,
) -> None:
    """Score baselines and response files against the gold chains of a corpus.

    \b
    # All baselines that need no training, under the strictest setting
    cdec eval --setting pure
    # A baseline and your system, all six settings, with confidence intervals
    cdec eval --system lemma --response mine.conll --ci --resamples 200
    # The numbers that papers print for ECB+
    cdec eval -r mine.conll --literature
    # Scores of each topic, saved for cdec report and cdec compare
    cdec eval -r mine.conll -s pure --by topic -f json -o topics.json
    """
    from cdec.baselines import ready_names

    if literature:
        output.show(_literature(ctx, Run(corpus, output, systems, files), system, response))
        return
    intervals.check(ctx, ci, score.by)
    plan = intervals.plan() if ci else None
    run = Run(corpus, output, systems, files, score.key_patch)
    names = system or [config.system for config in run.configs()]
    ready = run.ready(names if names or response else ready_names())
    experiment = run.experiment([*ready, *(response or [])], setting, score.metric, score.scorer)
    output.show(_page(experiment, plan, intervals, score.by))


def _page(
    experiment: Experiment, plan: Plan | None, intervals: IntervalOptions, by: str | None
) -> Page:
    """Return the page of the scores; ``plan`` is that of intervals, if there are any."""
    if plan is None:
        return experiment.results(by).page
    from cdec.statistics.view import with_intervals

    return with_intervals(experiment, intervals.plan_for(plan, experiment)).page


def _literature(
    ctx: typer.Context, run: Run, system: list[str] | None, response: list[str] | None
) -> Page:
    """Return the page of --literature, which fixes split, mentions, settings and metrics."""
    from cdec.evaluation.literature import literature, literature_page, notices_of, preset

    fixed = ("setting", "split", "mentions", "metric", "by", "scorer", "ci", "key_patch")
    for option in options_in_call(ctx, fixed):
        message, hint = f"{option} cannot be combined with --literature", "drop one of them"
        raise UsageError("option-conflict", message, hint=hint)
    named = replace(run, corpus=PartOptions(run.corpus.corpus, split=preset().split))
    answers: list[Response] = [*named.ready(system or []), *(response or [])]
    if not answers:
        message = "there is no response to score"
        raise UsageError("response-missing", message, hint="name a system or a file")
    experiments = literature(named.part, answers, named.files.policy())
    run.screen.notify(notices_of(experiments))
    return literature_page(experiments)

"""``cdec eval``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.inputs import make_systems, read_configs, read_corpus
from cdec.cli.learning import JobsOption, ModelOption, fit_or_load
from cdec.cli.options import (
    AllowEmptyOption,
    ByOption,
    ConfigOption,
    CorpusOption,
    FormatOption,
    KeyPatchOption,
    MetricOption,
    NlpOption,
    OutputOption,
    QuietOption,
    RepeatedOption,
    ScorerOption,
    SplitOption,
    VerboseOption,
)
from cdec.cli.output import emit, show_notices
from cdec.cli.plan import (
    CiOption,
    LevelOption,
    MethodOption,
    ResamplesOption,
    SeedOption,
    UnitOption,
    refuse_without_ci,
    with_intervals,
)


def evaluate(
    ctx: typer.Context,
    setting: Annotated[
        list[str],
        typer.Option(
            "--setting",
            "-s",
            help="bh, st, is, ycf, simple, pure or all (repeatable); or your own, as "
            "scope=topic,ignore_singletons=yes",
        ),
    ] = ["all"],
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            help="A baseline, by id (repeatable). Default without --response: all that need no "
            "training.",
        ),
    ] = None,
    response: Annotated[
        list[str] | None,
        typer.Option(
            "--response",
            "-r",
            metavar="[NAME=]FILE",
            help="A response file to score beside the baselines named (repeatable).",
        ),
    ] = None,
    split: SplitOption = "test",
    corpus: CorpusOption = None,
    nlp: NlpOption = "hanta",
    config: ConfigOption = None,
    model: ModelOption = None,
    jobs: JobsOption = 1,
    metric: MetricOption = None,
    by: ByOption = None,
    ci: CiOption = False,
    unit: UnitOption = "topic",
    method: MethodOption = "percentile",
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 1000,
    seed: SeedOption = 0,
    scorer: ScorerOption = "cdec",
    repeated: RepeatedOption = "first",
    allow_empty: AllowEmptyOption = False,
    key_patch: KeyPatchOption = None,
    format: FormatOption = "table",
    output: OutputOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Score baselines and response files on a corpus, under every setting you name.

    \b
    # The strictest setting, every baseline that needs no training
    cdec eval --setting pure
    # Your system beside a baseline, under all six settings, with intervals
    cdec eval --system lemma --response mine.conll --ci --resamples 200
    # Each topic by itself, saved for cdec report and cdec compare
    cdec eval -r mine.conll -s pure --by topic -f json -o topics.json
    """
    from cdec.baselines import ready_names
    from cdec.evaluation.experiment import prepare
    from cdec.evaluation.response import FilePolicy, Response, ResponseFile
    from cdec.evaluation.results import experiment_page
    from cdec.statistics.draws import Plan

    if not ci:
        refuse_without_ci(ctx)
    configs = read_configs(config)
    part = read_corpus(corpus, split, quiet, key_patch)
    names = system or [c.system for c in configs] or ([] if response else ready_names())
    made = make_systems(names, nlp, quiet, configs, part)
    responses: list[Response] = [
        *fit_or_load(made, corpus, split, part, quiet, model, jobs),
        *map(ResponseFile.parse, response or []),
    ]
    policy = FilePolicy(repeated, allow_empty)
    experiment = prepare(
        part, responses, setting=setting, metrics=metric, scorer=scorer, policy=policy
    )
    if ci:
        plan = Plan(unit, resamples, seed, level, method)
        report = with_intervals(experiment, plan, experiment.notices, by)
    else:
        report = experiment_page(experiment, experiment.notices, by)
    show_notices(experiment.notices, quiet, verbose)
    emit(report, format, output)

"""``cdec compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.answers import SettingOption, responses_of
from cdec.cli.inputs import read_corpus
from cdec.cli.learning import JobsOption, ModelOption
from cdec.cli.options import (
    AllowEmptyOption,
    ConfigOption,
    CorpusOption,
    FormatOption,
    MetricOption,
    NlpOption,
    OutputOption,
    QuietOption,
    RepeatedOption,
    SplitOption,
    VerboseOption,
)
from cdec.cli.output import emit, show_notices
from cdec.cli.plan import (
    ExchangesOption,
    LevelOption,
    MethodOption,
    ResamplesOption,
    SeedOption,
    UnitOption,
)
from cdec.cli.workers import all_cores

if TYPE_CHECKING:
    from cdec.render import Page
    from cdec.statistics.draws import Plan

ComparedArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="A B…",
        help="Baselines, by id; response files, `NAME=FILE` or FILE; or results of "
        "`cdec eval --by topic --format json`.",
        show_default=False,
    ),
]


def compare(
    answers: ComparedArgument,
    setting: SettingOption = ["pure"],
    metric: MetricOption = None,
    split: SplitOption = "test",
    corpus: CorpusOption = None,
    nlp: NlpOption = "hanta",
    config: ConfigOption = None,
    model: ModelOption = None,
    jobs: JobsOption = 1,
    unit: UnitOption = "topic",
    method: MethodOption = "percentile",
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 1000,
    exchanges: ExchangesOption = 1000,
    seed: SeedOption = 0,
    repeated: RepeatedOption = "first",
    allow_empty: AllowEmptyOption = False,
    format: FormatOption = "table",
    output: OutputOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Say whether A is better than B: difference, confidence interval, paired test.

    Whole topics are resampled and exchanged. Choose setting and metric before you look: each one
    more makes p (Holm) larger.

    \b
    # Two baselines by one metric
    cdec compare lemma lemma-wd --setting pure --metric conll
    # Two response files, one with a name of its own
    cdec compare mine.conll theirs=other.jsonl --setting pure
    """
    from cdec.evaluation.experiment import prepare
    from cdec.evaluation.response import FilePolicy
    from cdec.statistics.comparison import compare as compared
    from cdec.statistics.draws import Plan
    from cdec.statistics.view import comparison_page

    plan = Plan(unit, resamples, seed, level, method, exchanges)
    if _all_saved(answers):
        emit(_saved(answers, plan), format, output)
        return
    part = read_corpus(corpus, split, quiet)
    experiment = prepare(
        part,
        responses_of(answers, part, corpus, split, nlp, quiet, config, model, jobs),
        setting=setting,
        metrics=metric,
        scorer="cdec",
        policy=FilePolicy(repeated, allow_empty),
    )
    show_notices(experiment.notices, quiet, verbose)
    with all_cores():
        emit(comparison_page(compared(experiment, plan)), format, output)


def _all_saved(answers: list[str]) -> bool:
    """Return whether the answers are saved results. Raises UsageError where only some are."""
    from cdec.errors import UsageError
    from cdec.evaluation.saved import is_saved

    saved = [name for name in answers if Path(name).is_file() and is_saved(Path(name))]
    if saved and len(saved) < len(answers):
        raise UsageError(
            "a saved result holds scores and no chains: it cannot be compared with a response",
            place=saved[0],
            cure="give response files or systems only, or results only",
        )
    return bool(saved)


def _saved(answers: list[str], plan: Plan) -> Page:
    from cdec.evaluation.saved import read_saved
    from cdec.statistics.saved_comparison import compare_saved
    from cdec.statistics.view import comparison_page

    results = [result for name in answers for result in read_saved(Path(name))]
    return comparison_page(compare_saved(results, plan))

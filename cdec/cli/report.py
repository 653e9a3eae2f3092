"""``cdec report``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.answers import SettingOption, responses_of
from cdec.cli.diagnose import TopOption
from cdec.cli.inputs import read_corpus
from cdec.cli.learning import JobsOption, ModelOption
from cdec.cli.options import (
    AllowEmptyOption,
    ConfigOption,
    CorpusOption,
    NlpOption,
    QuietOption,
    RepeatedOption,
    SplitOption,
    VerboseOption,
    writable,
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
from cdec.cli.progress import bar_unless
from cdec.cli.workers import all_cores

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus
    from cdec.evaluation.experiment import Experiment
    from cdec.evaluation.saved import SavedResult
    from cdec.render import Page
    from cdec.statistics.draws import Plan

_ENDINGS = {".html": "html", ".md": "markdown", ".tex": "latex", ".json": "json", ".csv": "csv"}


def report(
    results: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULT…",
            help="What `cdec eval --format json` wrote: with --ci for intervals, with --by topic "
            "for the topics.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            callback=writable,
            help="The page: .html, .md, .tex, .json or .csv.",
        ),
    ],
    answer: Annotated[
        list[str] | None,
        typer.Option(
            "--response",
            "-r",
            metavar="[NAME=]FILE|ID",
            help="A response file, or a baseline by id, to diagnose; of two, the differences are "
            "tested (repeatable).",
        ),
    ] = None,
    setting: SettingOption = ["simple"],
    top: TopOption = 5,
    title: Annotated[str, typer.Option("--title", help="Title of the page.")] = "Results",
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
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Make one page of results: tables, charts, comparison, diagnosis, worst chains, signatures.

    The HTML needs no network and no script. Its format is that of the file's name.

    \b
    # Score, then make the page of the saved results
    cdec eval -s all -r mine.conll --ci -f json -o scores.json
    cdec report scores.json -o report.html
    # The same with a diagnosis, and a test of the difference
    cdec report scores.json -r mine.conll -r lemma -o report.html
    """
    from cdec.evaluation.experiment import prepare
    from cdec.evaluation.response import FilePolicy
    from cdec.evaluation.saved import read_saved
    from cdec.leaderboard.page import summary_page
    from cdec.statistics.draws import Plan

    kind = _kind(output)
    plan = Plan(unit, resamples, seed, level, method, exchanges)
    saved = [result for path in results for result in read_saved(path)]
    _check(saved)
    if not answer:
        emit(summary_page(saved, title=title), kind, output)
        return
    part = read_corpus(corpus, split, quiet)
    experiment = prepare(
        part,
        responses_of(answer, part, corpus, split, nlp, quiet, config, model, jobs),
        setting=setting,
        metrics=None,
        scorer="cdec",
        policy=FilePolicy(repeated, allow_empty),
    )
    show_notices(experiment.notices, quiet, verbose)
    _check(saved, experiment)
    emit(_whole(saved, experiment, part, plan, nlp, top, title, quiet), kind, output)


def _whole(
    saved: list[SavedResult],
    experiment: Experiment,
    part: Corpus,
    plan: Plan,
    nlp: str,
    top: int,
    title: str,
    quiet: bool,
) -> Page:

    from cdec.diagnosis.diagnosis import lemmas_of
    from cdec.diagnosis.view import diagnosis_sections
    from cdec.leaderboard.page import summary_page
    from cdec.statistics.comparison import compare

    lemmas = lemmas_of(part, nlp, bar_unless(quiet))
    sections = tuple(diagnosis_sections(experiment, part, lemmas, top))
    with all_cores():
        comparison = compare(experiment, plan) if len(experiment.runs) > 1 else None
    return summary_page(saved, comparison, sections, title)


def _check(saved: list[SavedResult], experiment: Experiment | None = None) -> None:
    """Raise ScoringError where results, or results and responses, are not of one corpus."""
    from cdec.evaluation.saved import check_same_corpus, check_same_response

    check_same_corpus(saved)
    if experiment is not None:
        check_same_corpus(saved, experiment.task.about)
        for answer in experiment.runs:
            check_same_response(saved, answer.system, answer.about)


def _kind(output: Path) -> str:
    from cdec.errors import UsageError

    if output.suffix.lower() not in _ENDINGS:
        raise UsageError(f"no page of the kind '{output.suffix}'", cure=f"{', '.join(_ENDINGS)}")
    return _ENDINGS[output.suffix.lower()]

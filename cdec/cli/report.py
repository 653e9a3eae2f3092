"""``cdec report``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import answers
from cdec.cli.diagnose import DiagnosedSettingOption, TopOption
from cdec.cli.groups import grouped
from cdec.cli.options import FileOptions, PartOptions, SystemOptions
from cdec.cli.resampling import ComparisonOptions, all_cores
from cdec.cli.run import Run
from cdec.cli.screen import NoticeOptions
from cdec.cli.targets import REPORTS, ReportOptions, writable

if TYPE_CHECKING:
    from cdec.evaluation.experiment import Experiment
    from cdec.evaluation.saved import SavedResult
    from cdec.render import Page
    from cdec.statistics.draws import Plan


@grouped
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
    *,
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
            autocompletion=answers,
            help="A response file, or a baseline by id, to diagnose; of two, the differences are "
            "tested (repeatable).",
        ),
    ] = None,
    setting: DiagnosedSettingOption = ["simple"],
    top: TopOption = 5,
    title: Annotated[str, typer.Option("--title", help="Title of the page.")] = "Results",
    systems: SystemOptions,
    corpus: PartOptions,
    files: FileOptions,
    draws: ComparisonOptions,
    screen: NoticeOptions,
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
    from cdec.evaluation.saved import read_saved
    from cdec.leaderboard.page import summary_page

    page, plan = ReportOptions(output, _kind(output)), draws.plan()
    saved = [result for path in results for result in read_saved(path)]
    _check(saved)
    if not answer:
        page.show(summary_page(saved, title=title))
        return
    run = Run(corpus, screen, systems, files)
    experiment = run.experiment(run.responses(answer), setting)
    _check(saved, experiment)
    page.show(_whole(saved, experiment, run, plan, top, title))


def _whole(
    saved: list[SavedResult], experiment: Experiment, run: Run, plan: Plan, top: int, title: str
) -> Page:
    from cdec.diagnosis.view import diagnosis_sections
    from cdec.leaderboard.page import summary_page
    from cdec.statistics.comparison import compare

    sections = tuple(diagnosis_sections(experiment, run.part, run.lemmas(), top))
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

    if output.suffix.lower() not in REPORTS:
        raise UsageError(f"no page of the kind '{output.suffix}'", hint=f"{', '.join(REPORTS)}")
    return REPORTS[output.suffix.lower()]

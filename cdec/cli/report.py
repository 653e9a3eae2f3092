"""``cdec report``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import answers
from cdec.cli.corpus_options import PartOptions
from cdec.cli.diagnose import DiagnosedSettingOption, TopOption
from cdec.cli.groups import grouped
from cdec.cli.options import KeyPatchOption, SystemOptions
from cdec.cli.resampling import ComparisonOptions
from cdec.cli.responses import FileOptions
from cdec.cli.run import Run
from cdec.cli.screen import ScreenOptions
from cdec.cli.targets import REPORTS, ReportOptions, writable
from cdec.cli.workers import WorkOptions

if TYPE_CHECKING:
    from cdec.evaluation.experiment import Experiment
    from cdec.evaluation.results import Results
    from cdec.render import Page
    from cdec.statistics.draws import Plan


@grouped
def report(
    results: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULT…",
            help="Result files of `cdec eval --format json`. With --ci they contain confidence "
            "intervals, with --by topic the scores of each topic.",
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
            help="File to write; its ending sets the format: .html, .md, .tex, .json or .csv.",
        ),
    ],
    answer: Annotated[
        list[str] | None,
        typer.Option(
            "--response",
            "-r",
            metavar="[NAME=]FILE|ID",
            autocompletion=answers,
            help="Add the diagnosis of this response file or baseline (repeatable). Two or more "
            "are also compared by a paired test.",
        ),
    ] = None,
    setting: DiagnosedSettingOption = ["simple"],
    top: TopOption = 5,
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="Title of the page.")
    ] = "Results",
    key_patch: KeyPatchOption = None,
    systems: SystemOptions,
    corpus: PartOptions,
    files: FileOptions,
    draws: ComparisonOptions,
    work: WorkOptions,
    screen: ScreenOptions,
) -> None:
    """Write one page of results: tables, charts, comparison, diagnosis, signatures.

    The HTML page contains no script and loads nothing from the network.

    \b
    # Score, then write the page of the saved results
    cdec eval -s all -r mine.conll --ci -f json -o scores.json
    cdec report scores.json -o report.html
    # The same with a diagnosis, and a test of the difference
    cdec report scores.json -r mine.conll -r lemma -o report.html
    """
    from cdec.evaluation.same_task import check_reported
    from cdec.evaluation.saved import load_results
    from cdec.leaderboard.page import summary_page

    page, plan = ReportOptions(output, _kind(output)), draws.plan()
    saved = [result for path in results for result in load_results(path)]
    check_reported(saved)
    if not answer:
        _check_unpatched(key_patch)
        page.show(summary_page(saved, title=title))
        return
    run = Run(_part(corpus, saved), screen, systems, files, key_patch)
    experiment = run.experiment(run.responses(answer), setting)
    check_reported(saved, experiment)
    fitted = draws.plan_for(plan, experiment)
    page.show(_full_page(saved, experiment, run, fitted, top, title))


def _part(corpus: PartOptions, saved: list[Results]) -> PartOptions:
    """Return the options with the split of the results, unless --split names one."""
    from cdec.corpus.splits import named_part

    if corpus.split is not None:
        return corpus
    split = next((str(result.signature.fields.get("split", "")) for result in saved), "")
    return replace(corpus, split=named_part(split)) if split else corpus


def _check_unpatched(key_patch: Path | None) -> None:
    """Raise UsageError for a patch of the key without a response: saved results do not change."""
    from cdec.errors import UsageError

    if key_patch is not None:
        message = "--key-patch has no effect without --response"
        raise UsageError("option-requires", message, hint="give it to `cdec eval`")


def _full_page(
    saved: list[Results], experiment: Experiment, run: Run, plan: Plan, top: int, title: str
) -> Page:
    from cdec.diagnosis.view import diagnosis_sections
    from cdec.leaderboard.page import summary_page
    from cdec.statistics.comparison import compare

    sections = tuple(diagnosis_sections(experiment, run.part, run.lemmas(), top))
    comparison = compare(experiment, plan) if len(experiment.runs) > 1 else None
    return summary_page(saved, comparison, sections, title)


def _kind(output: Path) -> str:
    from cdec.errors import UsageError

    if output.suffix.lower() not in REPORTS:
        message = f"a page cannot be written to a file ending in '{output.suffix}'"
        hint = f"choose one of {', '.join(REPORTS)}"
        raise UsageError("output-ending", message, place=output, hint=hint)
    return REPORTS[output.suffix.lower()]

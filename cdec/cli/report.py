"""``cdec report``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.completion import answers
from cdec.cli.option import Option
from cdec.cli.run import Run, command
from cdec.cli.values import page_file
from cdec.errors import CorpusError, UnknownNameError, UsageError
from cdec.io.output import PAGES

if TYPE_CHECKING:
    from cdec.evaluation.results import Results
    from cdec.statistics.draws import Plan

_RESULTS = Option(
    "results",
    "RESULT…",
    "Result files of `cdec eval --format json`. With --ci they contain confidence intervals, with "
    "--by topic the scores of each topic.",
    Path,
    many=True,
    required=True,
)
_RESPONSES = o.RESPONSES.but(
    metavar="[NAME=]FILE|ID",
    help="Add the diagnosis of this response file or baseline (repeatable). Two or more are also "
    "compared by a paired test.",
    complete=answers,
)
_TITLE = Option("--title", "TEXT", "Title of the page. Default: what the page is.")
_CHECKLIST = Option(
    "--checklist",
    None,
    "Write a reproducibility checklist instead, as ACL venues ask for, with what is known and what "
    "the author must fill in.",
    bool,
    False,
)
_OF_CHECKLIST = ("results", "output", "title", "corpus", "checklist", "quiet", "verbose")


@command(
    _RESULTS,
    o.TO_FILE.but(
        help=f"File to write; its ending sets the format: {', '.join(PAGES)}. Required, except "
        "with --checklist, which then prints Markdown.",
        check=page_file,
        panel=None,
    ),
    _CHECKLIST,
    _RESPONSES,
    *s.PAIRS,
    o.DIAGNOSED,
    s.TOP,
    _TITLE,
    o.KEY_PATCH,
    *o.PARAMETERS,
    *o.CORPUS_PART,
    *s.FILES,
    *s.COMPARISON,
    *o.WORK,
    *o.SCREEN,
)
def report(call: Run) -> None:
    """Write one page of results: tables, charts, comparison, diagnosis, signatures.

    The HTML page contains no script and loads nothing from the network.

    \b
    # Score, then write the page of the saved results
    cdec eval mine.conll -s all --ci -f json -o scores.json
    cdec report scores.json -o report.html
    # The same with a diagnosis, and a test of the difference
    cdec report scores.json -r mine.conll -r lemma -o report.html
    # A reproducibility checklist, as far as cdec knows it
    cdec report scores.json --checklist -o checklist.md
    """
    from cdec.evaluation.same_task import check_reported
    from cdec.evaluation.saved import load_results
    from cdec.statistics.report_page import summary_page

    _check(call)
    plan = call.plan()
    saved = [result for path in call.results for result in load_results(path)]
    check_reported(saved)
    if call.checklist:
        return _show_checklist(call, saved)
    if call.answered:
        return _show_full(call, saved, plan)
    # Saved results do not change.
    call.require(("key_patch",), "--response", "give it to `cdec eval`")
    return call.show(summary_page(saved, title=call.title))


def _check(call: Run) -> None:
    """Raise UsageError for a page without a file, and for options that a checklist has not."""
    if call.checklist:
        call.refuse([name for name in call.options if name not in _OF_CHECKLIST], "--checklist")
    elif call.output is None:
        hint = "see `cdec report --help`"
        raise UsageError("argument-missing", "missing --output", hint=hint)


def _show_checklist(call: Run, saved: list[Results]) -> None:
    """Show the checklist; the corpus is that of the results, if it is here."""
    from cdec.statistics.checklist import checklist_page

    name, corpus = call.corpus or saved[0].signature.fields.get("corpus"), None
    try:
        corpus = call.but(corpus=name).whole if name else None
    except (CorpusError, UnknownNameError):
        if call.corpus:
            raise
    page = checklist_page(saved, corpus, call.title)
    call.but(format=None if call.output else "markdown").show(page)


def _show_full(call: Run, saved: list[Results], plan: Plan) -> None:
    """Show the page with a diagnosis and, of several systems, a comparison."""
    from cdec.corpus.splits import named_part
    from cdec.diagnosis.page import diagnosis_sections
    from cdec.evaluation.same_task import check_reported
    from cdec.statistics.comparison import compare
    from cdec.statistics.report_page import summary_page

    split = next((str(result.signature.fields.get("split", "")) for result in saved), "")
    run = call if call.split or not split else call.but(split=named_part(split))
    experiment = run.experiment(run.named(run.answered), run.setting)
    check_reported(saved, experiment)
    fitted = run.fitted(plan, experiment)
    sections = tuple(diagnosis_sections(experiment, run.part, run.lemmas(), run.top))
    comparison = compare(experiment, fitted) if len(experiment.runs) > 1 else None
    run.show(summary_page(saved, comparison, sections, run.title))

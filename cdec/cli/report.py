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
from cdec.io.output import PAGES

if TYPE_CHECKING:
    from cdec.evaluation.results import Results
    from cdec.render import Page
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
_TITLE = Option("--title", "TEXT", "Title of the page.", default="Results")


@command(
    _RESULTS,
    o.TO_FILE.but(
        help=f"File to write; its ending sets the format: {', '.join(PAGES)}.",
        check=page_file,
        required=True,
        panel=None,
    ),
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
    """
    from cdec.corpus.splits import named_part
    from cdec.evaluation.same_task import check_reported
    from cdec.evaluation.saved import load_results
    from cdec.statistics.report_page import summary_page

    plan = call.plan()
    saved = [result for path in call.results for result in load_results(path)]
    check_reported(saved)
    if not call.answered:
        # Saved results do not change.
        call.require(("key_patch",), "--response", "give it to `cdec eval`")
        return call.show(summary_page(saved, title=call.title))
    split = next((str(result.signature.fields.get("split", "")) for result in saved), "")
    run = call if call.split or not split else call.but(split=named_part(split))
    return run.show(_full_page(run, saved, plan))


def _full_page(run: Run, saved: list[Results], plan: Plan) -> Page:
    from cdec.diagnosis.page import diagnosis_sections
    from cdec.evaluation.same_task import check_reported
    from cdec.statistics.comparison import compare
    from cdec.statistics.report_page import summary_page

    experiment = run.experiment(run.named(run.answered), run.setting)
    check_reported(saved, experiment)
    fitted = run.fitted(plan, experiment)
    sections = tuple(diagnosis_sections(experiment, run.part, run.lemmas(), run.top))
    comparison = compare(experiment, fitted) if len(experiment.runs) > 1 else None
    return summary_page(saved, comparison, sections, run.title)

"""``cdec compare``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.option import rarely
from cdec.cli.run import Run, command
from cdec.errors import UsageError

if TYPE_CHECKING:
    from cdec.statistics.comparison import Comparison
    from cdec.statistics.draws import Plan


@command(
    o.ANSWERS.but(
        help="Two or more of: baselines, by id; response files, as [NAME=]FILE; published "
        "systems, as leaderboard:NAME; scored pairs, as pairs:FILE@T; result files of `cdec eval "
        "--by topic --format json`.",
        required=False,
    ),
    o.setting("pure", "By default the strictest only", ": each further setting increases p (Holm)"),
    o.METRICS,
    s.STRATA,
    *rarely(o.KEY_PATCH),
    *o.SCORED_PART,
    *s.FILES,
    *s.DRAWS,
    *rarely(*o.WORK),
    *o.REPORT,
)
def compare(call: Run) -> None:
    """Test whether A is better than B: difference, confidence interval, paired test.

    Whole topics are resampled and exchanged. Choose setting and metric before
    you see results: each additional one increases p (Holm).

    \b
    # Two baselines, one metric
    cdec compare lemma lemma-wd --setting pure --metric conll
    # Also where they differ: links by their head lemmas in train
    cdec compare lemma lemma-wd --metric conll --by seen-lemma
    # Two response files, the second under another name
    cdec compare mine.conll theirs=other.jsonl --setting pure
    """
    from cdec.diagnosis.by_stratum import with_strata
    from cdec.evaluation.parts import check_documents
    from cdec.statistics.comparison import compare as compared
    from cdec.statistics.page import comparison_page

    plan = call.plan()
    if _all_saved(call.answered):
        call.refuse(("by",), "result files")
        return call.show(comparison_page(_saved(call.answers, plan)))
    strata = call.strata
    experiment = call.experiment(call.named(call.answered), call.setting, call.metric)
    check_documents(experiment.runs, call.policy())
    page = comparison_page(compared(experiment, call.fitted(plan, experiment)))
    return call.show(with_strata(page, experiment, strata) if strata else page)


def _all_saved(answers: list[str]) -> bool:
    """Return whether all arguments are result files. Raises UsageError if only some are."""
    from cdec.evaluation.saved import is_saved

    saved = [name for name in answers if Path(name).is_file() and is_saved(Path(name))]
    if saved and len(saved) < len(answers):
        raise UsageError(
            "input-mismatch",
            "a result file contains scores, not chains, and cannot be compared with a response",
            place=saved[0],
            hint="give only response files and systems, or only result files",
        )
    return bool(saved)


def _saved(answers: list[str], plan: Plan) -> Comparison:
    from cdec.evaluation.saved import load_results
    from cdec.statistics.saved_comparison import compare_saved

    results = [result for name in answers for result in load_results(name)]
    if {result.by for result in results} == {"subtopic"}:
        plan = replace(plan, unit="subtopic")
    return compare_saved(results, plan)

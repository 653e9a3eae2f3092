"""``cdec compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cdec.cli.groups import grouped
from cdec.cli.options import (
    FileOptions,
    MetricsOption,
    PartOptions,
    SystemOptions,
    answers_argument,
    setting_option,
)
from cdec.cli.resampling import ComparisonOptions, all_cores
from cdec.cli.run import Run
from cdec.cli.targets import OutputOptions

if TYPE_CHECKING:
    from cdec.statistics.comparison import Comparison
    from cdec.statistics.draws import Plan


@grouped
def compare(
    answers: Annotated[
        list[str],
        answers_argument(
            "Baselines, by id; response files, `NAME=FILE` or FILE; or results of "
            "`cdec eval --by topic --format json`."
        ),
    ],
    *,
    setting: Annotated[
        list[str],
        setting_option("By default the strictest alone: each further one makes p (Holm) larger."),
    ] = ["pure"],
    metric: MetricsOption = None,
    systems: SystemOptions,
    corpus: PartOptions,
    files: FileOptions,
    draws: ComparisonOptions,
    output: OutputOptions,
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
    from cdec.statistics.comparison import compare as compared
    from cdec.statistics.view import comparison_page

    plan = draws.plan()
    if _all_saved(answers):
        output.show(comparison_page(_saved(answers, plan)))
        return
    run = Run(corpus, output, systems, files)
    experiment = run.experiment(run.responses(answers), setting, metric)
    with all_cores():
        output.show(comparison_page(compared(experiment, plan)))


def _all_saved(answers: list[str]) -> bool:
    """Return whether the answers are saved results. Raises UsageError where only some are."""
    from cdec.errors import UsageError
    from cdec.evaluation.saved import is_saved

    saved = [name for name in answers if Path(name).is_file() and is_saved(Path(name))]
    if saved and len(saved) < len(answers):
        raise UsageError(
            "a saved result holds scores and no chains: it cannot be compared with a response",
            place=saved[0],
            hint="give response files or systems only, or results only",
        )
    return bool(saved)


def _saved(answers: list[str], plan: Plan) -> Comparison:
    from cdec.evaluation.saved import read_saved
    from cdec.statistics.saved_comparison import compare_saved

    return compare_saved([result for name in answers for result in read_saved(Path(name))], plan)

"""``cdec eval``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.option import Option, rarely
from cdec.cli.run import Run, command
from cdec.errors import UsageError
from cdec.rooms import added, imported

if TYPE_CHECKING:
    from cdec.evaluation.experiment import Experiment
    from cdec.evaluation.response import Response

_LITERATURE = Option(
    "--literature",
    None,
    "The scores that papers on ECB+ publish: cybulska/test, topic and corpus level, with and "
    "without own singletons, detection of mentions, and the published tables that each number can "
    "be compared with.",
    bool,
    False,
    brief="The scores that papers on ECB+ publish.",
)
_FILES = o.ANSWERS.but(
    metavar="FILE",
    help="Response files, as [NAME=]FILE (several runs of a system: NAME=FILE,FILE or "
    "NAME='PATTERN'); scored pairs, as pairs:FILE@T; baselines, by id; or published systems, as "
    "leaderboard:NAME.",
    brief="Response files, baselines, leaderboard:NAME.",
    required=False,
)
_PAPERS = added("scores of papers").get("literature")
_FIXED = (*("setting", "mentions", "metric", "by", "scorer", "ci", "key_patch"),)


@command(
    _FILES,
    o.setting(
        "all",
        "By default all",
        ", because scores differ between settings",
        "as scope=topic,ignore_singletons=yes",
    ),
    o.SYSTEMS.but(help=o.SYSTEMS.help.replace("Default:", "Default without a file:")),
    o.METRICS,
    s.BY_ANY,
    s.CI,
    *([_LITERATURE] if _PAPERS else []),
    *rarely(*o.PARAMETERS, o.SCORER, o.KEY_PATCH),
    *o.SCORED_PART,
    *s.FILES,
    *rarely(*s.INTERVALS, *o.WORK),
    *o.REPORT,
)
def evaluate(call: Run) -> None:
    """Score response files and baselines against the gold chains of a corpus.

    \b
    # Your system, all six settings, with confidence intervals
    cdec eval mine.conll --ci
    # The baselines of the paper, under the strictest setting
    cdec eval --setting pure
    # The numbers that papers print for ECB+
    cdec eval mine.conll --literature
    """
    from cdec.baselines import DEFAULT

    if _PAPERS and call.literature:
        return _show_literature(call, imported(_PAPERS))
    plan = call.interval_plan()
    if call.strata:
        call.refuse(("metric", "scorer"), f"--by {call.by}")
    configured = [config.system for config in call.configs()]
    nothing = not (call.answers or configured)
    responses = _responses(call, configured or ([*DEFAULT] if nothing else []))
    key_first = _key_first([one for one in call.answers or [] if one in responses])
    experiment = call.experiment(responses, call.setting, call.metric, key_first)
    if strata := call.strata:
        from cdec.diagnosis.by_stratum import strata_page

        return call.show(strata_page(experiment, strata))
    return call.show_scores(experiment, plan and call.fitted(plan, experiment))


def _responses(call: Run, default: list[str]) -> list[Response]:
    """Return the systems and files of the call; ``default`` are the systems if --system is not."""
    from cdec.baselines import names_system

    named = {name: names_system(name) for name in call.answers or []}
    systems = [*(call.system or default), *(name for name in named if named[name])]
    files = [name for name in call.answers or [] if not named[name]]
    return [*call.ready(systems), *files]


def _key_first(files: list[str]) -> Callable[[Experiment], None] | None:
    """Return the check of the first of several files, which may be the key of the others."""
    return partial(_refuse_key, files[0]) if len(files) > 1 else None


def _refuse_key(file: str, experiment: Experiment) -> None:
    """Raise UsageError if this file has the chains of the key, as in a call of a scorer."""
    from cdec.evaluation.response_forms import parse_response

    for run in experiment.systems.get(parse_response(file).name, ()):
        if run.response == run.key:
            message = "its chains are those of the key, which this command takes from the corpus"
            hint = "for a key file and a response file: cdec score KEY RESPONSE"
            raise UsageError("input-mismatch", message, place=file, hint=hint)


def _show_literature(call: Run, papers: Any) -> None:
    """Show the page of --literature, which fixes split, mentions, settings and metrics."""
    split = papers.preset().split
    call.refuse(_FIXED if call.split == split else ("split", *_FIXED), "--literature")
    run = call.but(split=split)
    responses = papers.given(_responses(run, []))
    experiments = papers.experiments_of(run.part, responses, run.policy())
    run.notify(papers.notices_of(experiments))
    run.show(papers.literature_page(experiments))

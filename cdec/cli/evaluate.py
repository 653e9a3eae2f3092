"""``cdec eval``."""

from __future__ import annotations

from typing import Any

from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.option import Option
from cdec.cli.run import Run, command
from cdec.errors import UsageError
from cdec.rooms import added, imported

_LITERATURE = Option(
    "--literature",
    None,
    "The scores that papers on ECB+ publish: cybulska/test, topic and corpus level, with and "
    "without own singletons, detection of mentions, and the published tables that each number can "
    "be compared with.",
    bool,
    False,
)
_PAPERS = added("scores of papers").get("literature")
_FIXED = (
    *("setting", "split", "mentions", "key_variant", "metric"),
    *("by", "scorer", "ci", "key_patch"),
)


@command(
    o.setting(
        "all",
        "By default all, because scores differ between settings.",
        "as scope=topic,ignore_singletons=yes",
    ),
    o.SYSTEMS.but(help=o.SYSTEMS.help.replace("Default:", "Default without --response:")),
    o.RESPONSES,
    *([_LITERATURE] if _PAPERS else []),
    *o.PARAMETERS,
    *o.SCORES,
    *o.SCORED_PART,
    *s.FILES,
    s.CI,
    *s.INTERVALS,
    *o.WORK,
    *o.REPORT,
)
def evaluate(call: Run) -> None:
    """Score baselines and response files against the gold chains of a corpus.

    \b
    # All baselines that need no training, under the strictest setting
    cdec eval --setting pure
    # A baseline and your system, all six settings, with confidence intervals
    cdec eval --system lemma --response mine.conll --ci --resamples 200
    # The numbers that papers print for ECB+
    cdec eval -r mine.conll --literature
    # Scores of each topic, saved for cdec report and cdec compare
    cdec eval -r mine.conll -s pure --by topic -f json -o topics.json
    """
    from cdec.baselines import ready_names

    if _PAPERS and call.literature:
        return _show_literature(call, imported(_PAPERS))
    plan, responses = call.interval_plan(), call.response or []
    names = call.system or [config.system for config in call.configs()]
    ready = call.ready(names if names or responses else ready_names())
    experiment = call.experiment([*ready, *responses], call.setting, call.metric)
    return call.show_scores(experiment, plan and call.fitted(plan, experiment))


def _show_literature(call: Run, papers: Any) -> None:
    """Show the page of --literature, which fixes split, mentions, settings and metrics."""
    call.refuse(_FIXED, "--literature")
    run = call.but(split=papers.preset().split)
    responses = [*run.ready(run.system or []), *(run.response or [])]
    if not responses:
        message = "no response to score"
        raise UsageError("response-missing", message, hint="name a system or a file")
    experiments = papers.literature(run.part, responses, run.policy())
    run.notify(papers.notices_of(experiments))
    run.show(papers.literature_page(experiments))

"""``cdec score``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.option import Option, rarely
from cdec.cli.run import Run, command
from cdec.errors import UsageError
from cdec.rooms import added, imported

if TYPE_CHECKING:
    from cdec.evaluation.experiment import Experiment

_KEY = Option("key", "KEY", "Key file: the correct chains.", Path)
_RESPONSE = Option(
    "response",
    "[NAME=]RESPONSE",
    "Response file: the chains of a system.",
    reads=o.RESPONSES.reads,
)


@command(
    _KEY,
    _RESPONSE,
    s.SCOPE,
    o.setting(None, "Instead of a scope", own="as scope=topic,ignore_singletons=yes"),
    o.TOPICS,
    s.CI,
    o.METRICS,
    o.BY,
    *rarely(o.SCORER, o.KEY_PATCH),
    s.PRESET,
    *s.TASK,
    *s.DATASETS,
    *s.FILES,
    *rarely(*s.INTERVALS, *o.WORK),
    *o.REPORT,
)
def score(call: Run) -> None:
    """Score a response file against a key file; no corpus is needed.

    File formats are recognised by content: CoNLL-2012 and variants, CoNLL-U (CorefUD),
    JSON Lines, CSV, TSV, JSON, CRAC's plain text and JSON. The text of these two can differ from
    a CoNLL-U key, as a language model changes words: the words are aligned by edit distance.

    \b
    # Within documents, as the reference scorer does
    cdec score key.conll response.conll --scope document
    # Across documents, with a name for the response
    cdec score key.conll mine=response.jsonl --scope corpus --format json
    # CorefUD, as scored by CRAC since 2024
    cdec score key.conllu mine=response.conllu --preset crac24
    # The plain text that a language model wrote
    cdec score key.conllu model=response.txt --preset crac25
    # Systems ranked over data sets, as in a shared task
    cdec score --preset conll12 --macro --pair a=key.conll:mine.conll
    """
    if call.pair:
        return _show_datasets(call)
    _check_files(call)
    experiment, plan = _experiment(call), call.interval_plan()
    call.notify(experiment.notices)
    return call.show_scores(experiment, plan)


def _experiment(call: Run) -> Experiment:
    from cdec.evaluation.pair import prepare_pair

    names = ("scope", "setting", "topics", "scorer")
    choices = {name: getattr(call, name) for name in names}
    experiment = prepare_pair(
        call.key, call.response, metrics=call.metrics(), policy=call.policy(), **choices
    )
    if not call.key_patch:
        return experiment
    from cdec.corpus.claims import read_patch
    from cdec.evaluation.corrected import patched

    return patched(experiment, read_patch(call.key_patch))


def _check_files(call: Run) -> None:
    """Raise UsageError unless there are two files, and no option of several data sets."""
    if call.key is None or call.response is None:
        message = "missing KEY and RESPONSE" if call.key is None else "missing RESPONSE"
        raise UsageError("argument-missing", message, hint="name two files, or use --pair")
    call.require(("macro",), "--pair", "add --pair DATASET=KEY:RESPONSE")


def _show_datasets(call: Run) -> None:
    call.refuse(("key", "by", "scorer", "key_patch"), "--pair")
    datasets = imported(added("scorer of pairs")["data sets"])
    page, notices = datasets.score_datasets(
        call.pair,
        scope=call.scope or "document",
        metrics=call.metrics(),
        policy=call.policy(),
        macro=call.macro,
    )
    call.notify(notices)
    call.show(page)

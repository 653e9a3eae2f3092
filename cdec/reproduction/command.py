"""``cdec reproduce``, ``cdec corpus page`` and ``cdec corpus robustness``."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli import values
from cdec.cli.completion import Names, corpora
from cdec.cli.option import Option, rarely
from cdec.cli.run import Run, command
from cdec.errors import UsageError
from cdec.rooms import added, imported

if TYPE_CHECKING:
    from cdec.render.page import Page

_ALL, _FIGURE = "all", "figure3"
_OF_ROOMS = added("artefact")  # pages of other rooms, each on its own
_ARTEFACTS = Names("artefact", "cdec.reproduction.page", "ARTEFACTS", (*_OF_ROOMS, _ALL))
# Shared tasks, whose tables are shown with the results of pairs of files.
_TASKS = ("crac", "conll")
_WHAT = Option(
    "what",
    "[WHAT]...",
    "table1, table2, table3, simulation, intervals, ranking, cybulska, corrected, figure3, "
    "settings, or all (the default); leaderboard: published systems under every setting; crac or "
    "conll: the tables of a shared task, with files as DATASET=KEY:[SYSTEM=]RESPONSE.",
    many=True,
    complete=_ARTEFACTS,
    reads=values.pair_files,
)
_CORPORA = Option(
    "names",
    "PATH|NAME...",
    "The corpora, as for --corpus.",
    many=True,
    required=True,
    complete=corpora,
)
_MODELS = Option(
    "--model",
    "SYSTEM=FILE",
    "Also score a model from `cdec train`, as sac=FILE (repeatable).",
    many=True,
    reads=o.RESPONSES.reads,
)
_DECOMPOSED = "Decompose the scores of this system in Table 2, by id"
_CHART = o.TO_FILE.but(
    words="--chart",
    metavar="FILE.svg|FILE.png",
    help="Also draw the chart of the ranking to this file.",
    check=values.picture,
    panel=None,
)


_VERSION = Option("version", "PATH|NAME", "The other version.", required=True, complete=corpora)
_LISTS = Option(
    "--pairs",
    "NAME=FILE,FILE",
    "Also score decisions on the candidate pairs of each version, with the mention ids of --corpus:"
    " yes to every candidate, and the best decision (repeatable).",
    many=True,
    reads=lambda text: map(Path, text.partition("=")[2].split(",")),
)


@command(
    _WHAT,
    o.SYSTEMS.but(
        help=o.SYSTEMS.help.replace("A baseline, by id", _DECOMPOSED).partition(" Default")[0]
    ),
    o.RESPONSES.but(
        words="--response",
        help="Decompose this response file in Table 2, and show it next to the baselines.",
    ),
    _CHART,
    o.KEY_PATCH,
    o.NLP,
    *o.WHOLE_CORPUS,
    s.DRAWS[0].but(default=500),
    s.DRAWS[1],
    *o.WORK,
    *o.REPORT,
)
def reproduce(call: Run) -> None:
    """Recompute the tables and the figure of the paper, with the published values and notes.

    \b
    # All of them, as one page
    cdec reproduce all --format html -o reproduction.html
    # Table 2 for your system
    cdec reproduce table2 --response mine.conll
    # The worked example of Figure 3, which needs no corpus
    cdec reproduce figure3
    # The tables of CoNLL-2011/2012, with your own files next to the published values
    cdec reproduce conll 2012-english=key.conll:mine=mine.conll
    # Published systems: how far the setting decides their order
    cdec reproduce leaderboard --format html -o leaderboard.html
    """
    from cdec.reproduction.page import figure3_page
    from cdec.reproduction.shared_tasks import scored_task

    if call.what and call.what[0] in _TASKS:
        page, notices = scored_task(call.what[0], call.what[1:])
        call.notify(notices)
        return call.show(page)
    names = _known(call.what)
    _check_chart(call, names)
    if names == [_FIGURE]:
        return call.show(figure3_page())
    if names[0] in _OF_ROOMS:
        return call.show(imported(_OF_ROOMS[names[0]])(call))
    return call.show(_page(call, names))


def _known(names: list[str] | None) -> list[str]:
    names = names or [_ALL]
    for name in names:
        _ARTEFACTS.check(name)
        if name in _OF_ROOMS and len(names) > 1:
            message = f"{name} cannot be combined with other artefacts"
            raise UsageError("option-conflict", message, hint="call it without other artefacts")
    every = [name for name in _ARTEFACTS.complete() if name not in (_ALL, *_OF_ROOMS)]
    return every if _ALL in names else list(dict.fromkeys(names))


def _check_chart(call: Run, names: list[str]) -> None:
    from cdec.reproduction.material import BARE

    if call.chart is not None and set(names) <= {*BARE, *_OF_ROOMS}:
        message = f"--chart requires system scores, got only {' and '.join(names)}"
        raise UsageError("option-requires", message, hint="add ranking")


def _page(call: Run, names: list[str]) -> Page:
    """Run the systems, draw the chart, and return the page of the artefacts."""
    from cdec.reproduction.material import prepare_request
    from cdec.reproduction.page import reproduction_page
    from cdec.reproduction.page.chart import save_chart

    own = {"systems": call.system or [], "responses": call.response or []}
    request = prepare_request(call.whole, names, call.make, plan=call.plan(), **own)
    call.notify(request.material.notices)
    if call.chart is not None:
        save_chart(request.material.results, call.chart)
        folder = call.output.parent if call.output else "."
        file = Path(os.path.relpath(call.chart, folder)).as_posix()
        request = replace(request, chart_file=file)
    # No bar here: systems show their own progress, and only one display can be live.
    with call.progress("resampling: systems and settings") as tick:
        return reproduction_page(replace(request, tick=tick), names)


@command(_CORPORA, _MODELS, o.NLP, *s.DRAWS, *o.WORK, *o.REPORT)
def compare_corpora(call: Run) -> None:
    """Compare corpora: their size, and the baselines under every setting that their levels allow.

    \b
    # Two corpora in one page
    cdec corpus page ecb+ gvc -o corpora.md
    # With a model that was trained on the first
    cdec corpus page gvc --model sac=ecb.model -o gvc.html
    """
    from cdec.api import load_corpus
    from cdec.reproduction.corpora import all_findings, trained
    from cdec.reproduction.corpora_page import corpora_page

    models = [trained(text, call.nlp) for text in call.model or []]
    plan, corpora = call.plan(), [load_corpus(name) for name in call.names]
    call.show(corpora_page(list(all_findings(corpora, models, plan, call.bar)), plan))


@command(
    _VERSION,
    o.SYSTEMS.but(help=o.SYSTEMS.help.partition(" Default")[0] + " Default: the lemma baselines."),
    _LISTS,
    o.DIAGNOSED,
    o.METRICS.but(default=["conll"], help=o.METRICS.help.partition(" Default")[0]),
    *rarely(*o.PARAMETERS),
    *o.SCORED_PART,
    *s.INTERVALS,
    *o.WORK,
    *o.REPORT,
)
def compare_versions(call: Run) -> None:
    """Compare systems on two versions of the same documents, mention by mention paired.

    \b
    # The lemma baselines
    cdec corpus robustness my-corpus
    # One system, by all settings
    cdec corpus robustness my-corpus --system lemma --setting all
    """
    from cdec.reproduction.corpora import UNTRAINED
    from cdec.reproduction.robustness import versions

    call.inputs = {}  # the lists are of both versions
    both = versions(call.part, call.version)
    systems = both.systems(call.ready(call.system or UNTRAINED))
    responses = [*systems, *both.lists(call.pairs or [])]
    call.part = both.key
    experiment = call.experiment(responses, call.setting, call.metric)
    plan = replace(call.fitted(call.plan(), experiment), test="topic")
    call.show(both.page(experiment, plan))

"""``cdec reproduce``."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import ARTEFACTS
from cdec.cli.corpus_options import CorpusOptions
from cdec.cli.groups import grouped
from cdec.cli.options import KeyPatchOption, NlpOption, SystemOptions, system_option
from cdec.cli.resampling import DrawOptions
from cdec.cli.run import Run
from cdec.cli.screen import ScreenOptions
from cdec.cli.targets import OutputOptions, writable
from cdec.cli.workers import WorkOptions
from cdec.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cdec.render.page import Page
    from cdec.reproduction.page.request import Request
    from cdec.statistics.draws import Plan

_ALL, _BOARD = "all", "leaderboard"
_FIGURE = "figure3"
_ONE_PAGE = ([_BOARD], [_FIGURE])
# Artefacts that need only the systems of the call, not all baselines.
_ALONE = {"table1", "table2", "figure3", "settings"}
# Artefacts that need the baselines, but none that is trained.
_UNTRAINED = {"corrected"}
# Artefacts that need the part of reviewed sentences, too.
_REVIEWED = {"cybulska", "corrected"}
# Artefacts that need no system.
_BARE = {"table1", "figure3"}
# Shared tasks, whose tables are shown with the results of pairs of files.
_TASKS = ("crac", "conll")
_DRAWS = DrawOptions(resamples=500)


def _known(names: list[str] | None) -> list[str]:
    names = names or [_ALL]
    for name in names:
        ARTEFACTS.check(name)
    if _BOARD in names and len(names) > 1:
        message, hint = "leaderboard is a page by itself", "call it without other artefacts"
        raise UsageError("option-conflict", message, hint=hint)
    every = [name for name in ARTEFACTS.complete() if name not in (_ALL, _BOARD)]
    return every if _ALL in names else list(dict.fromkeys(names))


def _picture(path: Path | None) -> Path | None:
    from cdec.reproduction.page.chart import FORMATS

    if path is not None and path.suffix.removeprefix(".") not in FORMATS:
        message, hint = "the chart must be an .svg or .png file", "choose another ending"
        raise UsageError("output-ending", message, place=path, hint=hint)
    return writable(path)


def _request(
    run: Run, names: list[str], systems: list[str], responses: list[str], plan: Plan
) -> Request:
    """Run the systems that the artefacts need: the baselines of the paper, and the user's."""
    from cdec.baselines import SYSTEMS
    from cdec.corpus.splits import default_split, divided
    from cdec.evaluation.response import ResponseFile
    from cdec.reproduction.material import Material
    from cdec.reproduction.page.request import LEMMA, Request
    from cdec.reproduction.printed import paper
    from cdec.system import is_learner

    printed = [name for name in paper().systems.values() if name in SYSTEMS]
    own = [*systems, *(ResponseFile.parse(text).name for text in responses)] or [LEMMA]
    required = [*systems, *([LEMMA] if own == [LEMMA] else [])]
    if set(names) - _ALONE:
        trains = set(names) - _ALONE - _UNTRAINED
        required = [*(n for n in printed if trains or not is_learner(SYSTEMS[n])), *required]
    elif set(names) <= _BARE:
        required = []

    def material(split: str, files: Sequence[ResponseFile] = ()) -> Material:
        return Material.from_responses(divided(run.whole, split), [*run.make(required), *files])

    reviewed = not _REVIEWED.isdisjoint(names) and run.whole.name == paper().corpus
    return Request(
        material(default_split(run.whole).name, [ResponseFile.parse(text) for text in responses]),
        material("cybulska") if reviewed else None,
        tuple(own),
        plan,
    )


def _draw(request: Request, chart: Path | None) -> None:
    """Write the chart to its file, if any: completely or not at all."""
    if chart is None:
        return
    from cdec.io.output import save_bytes
    from cdec.reproduction.material import conll_by_setting
    from cdec.reproduction.page.chart import draw

    table = conll_by_setting(request.material.results)
    save_bytes(draw(table, chart.suffix.removeprefix(".")), chart)


def _link(chart: Path | None, output: Path | None) -> str:
    """Return the path of the chart relative to the folder of the output."""
    if chart is None:
        return ""
    return Path(os.path.relpath(chart, output.parent if output else ".")).as_posix()


@grouped
def reproduce(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WHAT]...",
            help="table1, table2, table3, simulation, intervals, ranking, cybulska, "
            "corrected, figure3, settings, or all (the default); leaderboard: published systems "
            "under every setting; crac or conll: the tables of a shared task, with files as "
            "DATASET=KEY:[SYSTEM=]RESPONSE.",
            autocompletion=ARTEFACTS.complete,
            show_default=False,
        ),
    ] = None,
    *,
    system: Annotated[
        list[str] | None, system_option("Decompose the scores of this system in Table 2, by id")
    ] = None,
    response: Annotated[
        list[str] | None,
        typer.Option(
            "--response",
            metavar="[NAME=]FILE",
            help="Decompose this response file in Table 2, and show it next to the baselines.",
        ),
    ] = None,
    chart: Annotated[
        Path | None,
        typer.Option(
            "--chart",
            metavar="FILE.svg|FILE.png",
            callback=_picture,
            help="Also draw the chart of the ranking to this file.",
        ),
    ] = None,
    key_patch: KeyPatchOption = None,
    nlp: NlpOption = "hanta",
    corpus: CorpusOptions,
    draws: DrawOptions = _DRAWS,
    work: WorkOptions,
    output: OutputOptions,
) -> None:
    """Recompute the tables and the figure of the paper, with the published values and notes.

    \b
    # All of them, as one page
    cdec reproduce all --format html -o reproduction.html
    # Table 2 for your system
    cdec reproduce table2 --response mine.conll
    # The worked example of Figure 3, which needs no corpus
    cdec reproduce figure3
    # The tables of CoNLL-2011/2012, with your own files beside the print
    cdec reproduce conll 2012-english=key.conll:mine=mine.conll
    # Published systems: how far the setting decides their order
    cdec reproduce leaderboard --format html -o leaderboard.html
    """
    if what and what[0] in _TASKS:
        output.show(_of_task(what[0], what[1:], output))
        return
    names = _known(what)
    if chart is not None and set(names) <= {*_BARE, _BOARD}:
        message = f"--chart requires system scores, got only {' and '.join(names)}"
        raise UsageError("option-requires", message, hint="add ranking")
    if names in _ONE_PAGE:
        output.show(_one_page(names[0], output))
        return
    run = Run(corpus, output, SystemOptions(nlp), key_patch=key_patch)
    request = _request(run, names, system or [], response or [], draws.plan())
    output.notify(request.material.notices)
    _draw(request, chart)
    output.show(_page(replace(request, chart_file=_link(chart, output.output)), names, output))


def _of_task(task: str, texts: list[str], output: OutputOptions) -> Page:
    """Return the printed tables of a shared task, with the scores of pairs of files."""
    from cdec.evaluation.datasets import Pair, score_pairs
    from cdec.matching.policy import FilePolicy
    from cdec.reproduction.shared_tasks import check_datasets, preset_of
    from cdec.reproduction.shared_tasks_view import task_page

    pairs = [Pair.parse(text) for text in texts]
    check_datasets(task, [pair.dataset for pair in pairs])
    preset = preset_of(task)
    policy = FilePolicy(**preset.policy)
    scored = None
    if pairs:
        scored = score_pairs(pairs, scope="document", metrics=preset.metrics, policy=policy)
        output.notify(scored.notices)
    return task_page(task, scored)


def _one_page(name: str, output: OutputOptions) -> Page:
    """Return the page of an artefact that needs no corpus."""
    from cdec.reproduction.page import figure3_page

    return figure3_page() if name == _FIGURE else _board_page(output)


def _board_page(output: OutputOptions) -> Page:
    """Return the page of published systems under every setting, with pictures in HTML only."""
    from cdec.configs import folder
    from cdec.leaderboard.folder import BOARD, BOARD_FILE
    from cdec.leaderboard.study.page import study_page
    from cdec.leaderboard.study.tables import Study

    facts = BOARD_FILE.read_toml(folder(BOARD)).study
    return study_page(Study.read(folder(_BOARD)), facts, pictures=output.kind == "html")


def _page(request: Request, names: list[str], screen: ScreenOptions) -> Page:
    from cdec.reproduction.page import reproduction_page

    # No bar here: systems show their own progress, and only one display can be live.
    with screen.progress("resampling: systems and settings") as tick:
        return reproduction_page(replace(request, tick=tick), names)

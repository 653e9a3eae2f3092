"""``cdec reproduce``."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import ARTEFACTS
from cdec.cli.groups import grouped
from cdec.cli.options import (
    CorpusOptions,
    KeyPatchOption,
    NlpOption,
    SystemOptions,
    system_option,
)
from cdec.cli.resampling import DrawOptions, all_cores
from cdec.cli.run import Run
from cdec.cli.screen import QuietOptions
from cdec.cli.targets import OutputOptions, writable
from cdec.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cdec.render.page import Page
    from cdec.reproduction.page.request import Request
    from cdec.statistics.draws import Plan

_ALL = "all"
# What needs no other systems than those that the user names.
_ALONE = {"table1", "table2", "figure3", "settings"}
# What needs no system at all.
_BARE = {"table1", "figure3"}
_DRAWS = DrawOptions(resamples=500)


def _known(names: list[str] | None) -> list[str]:
    given = names or [_ALL]
    for name in given:
        ARTEFACTS.check(name)
    every = [name for name in ARTEFACTS.complete() if name != _ALL]
    return every if _ALL in given else list(dict.fromkeys(given))


def _picture(path: Path | None) -> Path | None:
    from cdec.reproduction.page.chart import FORMATS

    if path is not None and path.suffix.removeprefix(".") not in FORMATS:
        raise UsageError("a chart is an .svg or a .png", place=path)
    return writable(path)


def _request(
    run: Run, names: list[str], systems: list[str], responses: list[str], plan: Plan
) -> Request:
    """Run what the artefacts need: the baselines of the print, and what the user names."""
    from cdec.baselines import SYSTEMS
    from cdec.corpus.splits import default_split, divided
    from cdec.evaluation.response import ResponseFile
    from cdec.reproduction.material import Material
    from cdec.reproduction.page.request import LEMMA, Request
    from cdec.reproduction.printed import paper

    printed = [name for name in paper().systems.values() if name in SYSTEMS]
    asked = [*systems, *(ResponseFile.parse(text).name for text in responses)] or [LEMMA]
    wanted = [*systems, *([LEMMA] if asked == [LEMMA] else [])]
    if set(names) - _ALONE:
        wanted = [*printed, *wanted]
    elif set(names) <= _BARE:
        wanted = []

    def material(split: str, files: Sequence[ResponseFile] = ()) -> Material:
        return Material.from_responses(divided(run.whole, split), [*run.make(wanted), *files])

    reviewed = "cybulska" in names and run.whole.name == paper().corpus
    return Request(
        material(default_split(run.whole), [ResponseFile.parse(text) for text in responses]),
        material("cybulska") if reviewed else None,
        tuple(asked),
        plan,
    )


def _draw(request: Request, chart: Path | None) -> None:
    """Write the chart, whole or not at all."""
    if chart is None:
        return
    from cdec.io.output import save_bytes
    from cdec.reproduction.material import conll_by_setting
    from cdec.reproduction.page.chart import draw

    table = conll_by_setting(request.material.results)
    save_bytes(draw(table, chart.suffix.removeprefix(".")), chart)


def _link(chart: Path | None, output: Path | None) -> str:
    """Return how the output calls the chart: from the folder in which it stands."""
    if chart is None:
        return ""
    return Path(os.path.relpath(chart, output.parent if output else ".")).as_posix()


@grouped
def reproduce(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WHAT]...",
            help="table1, table2, table3, simulation, intervals, ranking, cybulska, figure3, "
            "settings, or all (the default).",
            autocompletion=ARTEFACTS.complete,
            show_default=False,
        ),
    ] = None,
    *,
    system: Annotated[
        list[str] | None, system_option("A system to decompose in Table 2, by id")
    ] = None,
    response: Annotated[
        list[str] | None,
        typer.Option(
            "--response",
            metavar="[NAME=]FILE",
            help="A response file to decompose in Table 2, and to show beside the baselines.",
        ),
    ] = None,
    chart: Annotated[
        Path | None,
        typer.Option(
            "--chart",
            metavar="FILE.svg|FILE.png",
            callback=_picture,
            help="Also write the chart of the ranking to this file.",
        ),
    ] = None,
    key_patch: KeyPatchOption = None,
    nlp: NlpOption = "hanta",
    corpus: CorpusOptions,
    draws: DrawOptions = _DRAWS,
    output: OutputOptions,
) -> None:
    """Make the paper's tables and figure again, beside the print, with the notes on the print.

    \b
    # Everything, as one page
    cdec reproduce all --format html -o reproduction.html
    # Table 2 for your system
    cdec reproduce table2 --response mine.conll
    # The worked example of Figure 3; no corpus is needed
    cdec reproduce figure3
    """
    from cdec.reproduction.page import figure3_page

    names = _known(what)
    if chart is not None and set(names) <= _BARE:
        raise UsageError("these run no system to draw", place="--chart", hint="ask for ranking too")
    if names == ["figure3"]:
        output.show(figure3_page())
        return
    run = Run(corpus, output, SystemOptions(nlp), key_patch=key_patch)
    request = _request(run, names, system or [], response or [], draws.plan())
    output.tell(request.material.notices)
    _draw(request, chart)
    output.show(_page(replace(request, chart_file=_link(chart, output.output)), names, output))


def _page(request: Request, names: list[str], screen: QuietOptions) -> Page:
    from cdec.reproduction.page import reproduction_page

    # Systems show their own progress: only one display can be live.
    with all_cores(), screen.progress("resampling: systems and settings") as tick:
        return reproduction_page(replace(request, tick=tick), names)

"""``cdec reproduce``."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.inputs import make_systems, read_corpus
from cdec.cli.options import (
    CorpusOption,
    FormatOption,
    KeyPatchOption,
    NlpOption,
    OutputOption,
    QuietOption,
    VerboseOption,
    writable,
)
from cdec.cli.output import emit, show_notices
from cdec.cli.plan import ResamplesOption, SeedOption
from cdec.cli.progress import progress
from cdec.cli.workers import all_cores
from cdec.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cdec.corpus.model import Corpus
    from cdec.reproduction.page.request import Request
    from cdec.statistics.draws import Plan

_ALL = "all"
# What needs no other systems than those that the user names.
_ALONE = {"table1", "table2", "figure3", "settings"}
# What needs no system at all.
_BARE = {"table1", "figure3"}


def _known(names: list[str] | None) -> list[str]:
    from cdec.reproduction.page import ARTEFACTS

    given = names or [_ALL]
    for name in given:
        if name not in (*ARTEFACTS, _ALL):
            raise UnknownNameError("artefact", name, [*ARTEFACTS, _ALL])
    return list(ARTEFACTS) if _ALL in given else list(dict.fromkeys(given))


def _picture(path: Path | None) -> Path | None:
    from cdec.reproduction.page.chart import FORMATS

    if path is not None and path.suffix.removeprefix(".") not in FORMATS:
        raise UsageError("a chart is an .svg or a .png", place=path)
    return writable(path)


def _request(
    whole: Corpus,
    names: list[str],
    systems: list[str],
    responses: list[str],
    nlp: str,
    quiet: bool,
    plan: Plan,
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
        return Material.from_responses(
            divided(whole, split), [*make_systems(wanted, nlp, quiet), *files]
        )

    reviewed = "cybulska" in names and whole.name == paper().corpus
    return Request(
        material(default_split(whole), [ResponseFile.parse(text) for text in responses]),
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


def reproduce(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WHAT]...",
            help="table1, table2, table3, simulation, intervals, ranking, cybulska, figure3, "
            "settings, or all (the default).",
            show_default=False,
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option("--system", help="A system to decompose in Table 2, by id (repeatable)."),
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
    corpus: CorpusOption = None,
    key_patch: KeyPatchOption = None,
    nlp: NlpOption = "hanta",
    resamples: ResamplesOption = 500,
    seed: SeedOption = 0,
    format: FormatOption = "table",
    output: OutputOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
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
    from cdec.reproduction.page import figure3_page, reproduction_page
    from cdec.statistics.draws import Plan

    names = _known(what)
    if chart is not None and set(names) <= _BARE:
        raise UsageError("these run no system to draw", place="--chart", cure="ask for ranking too")
    if names == ["figure3"]:
        emit(figure3_page(), format, output)
        return
    whole = read_corpus(corpus, "all", quiet, key_patch)
    plan = Plan(resamples=resamples, seed=seed)
    request = _request(whole, names, system or [], response or [], nlp, quiet, plan)
    show_notices(request.material.notices, quiet, verbose)
    _draw(request, chart)
    # Systems show their own progress: only one display can be live.
    with all_cores(), progress("resampling: systems and settings", quiet) as tick:
        request = replace(request, chart_file=_link(chart, output), tick=tick)
        page = reproduction_page(request, names)
    emit(page, format, output)

"""``cdec reproduce``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from cdec.cli import options as o
from cdec.cli.command import argument, command, option
from cdec.errors import one_of
from cdec.errors.notices import warn_of

app = typer.Typer()
_ALL, _FIGURE = "all", "figure3"


@command(app, "reproduce")
def reproduce(
    what: Annotated[
        list[str] | None,
        argument("[WHAT]...", "table1, table2, table3, figure3, or all (the default)."),
    ] = None,
    system: Annotated[
        list[str] | None,
        option(
            "--system",
            "SYSTEM",
            "Decompose the scores of this baseline in Table 2, by id; or of your own class, "
            "as module:Class (repeatable).",
        ),
    ] = None,
    response: Annotated[
        list[str] | None,
        option(
            "--response",
            "[NAME=]FILE",
            "Decompose this response file in Table 2, and show it next to the baselines.",
        ),
    ] = None,
    key_patch: o.KeyPatch = None,
    *,
    whole: o.Whole,
    work: o.Work,
    out: o.Report,
) -> None:
    """Recompute the tables and the figure of the paper, with the published values and notes.

    \b
    # All of them, as one page
    cdec reproduce all --format html -o reproduction.html
    # Table 2 for your system
    cdec reproduce table2 --response mine.conll
    # The worked example of Figure 3, which needs no corpus
    cdec reproduce figure3
    """
    from cdec.baselines import system_id
    from cdec.baselines.config import make_systems
    from cdec.files.progress import notebook
    from cdec.reproduction.material import prepare_request
    from cdec.reproduction.page import ARTEFACTS, figure3_page, reproduction_page

    names = list(dict.fromkeys(what or [_ALL]))
    for name in names:
        one_of("artefact", name, [*ARTEFACTS, _ALL])
    if _ALL in names:
        names = list(ARTEFACTS)
    if names == [_FIGURE]:
        return out.show(figure3_page())

    def made(ids: Any) -> Any:
        unique = dict.fromkeys(map(system_id, ids))
        return make_systems(unique, [], None, pipeline="hanta", progress=notebook())

    own: Any = {"systems": system or [], "responses": response or []}
    request = prepare_request(whole.load(key_patch=key_patch), names, made, **own)
    warn_of(request.material.notices)
    return out.show(reproduction_page(request, names))

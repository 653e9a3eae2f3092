"""``cdec reproduce``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from cdec.cli import options as o
from cdec.cli.command import argument, command, option
from cdec.errors import one_of

app = typer.Typer()


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
    """Recompute the tables of the paper beside the print.

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
    from cdec.reproduction.page import ARTEFACTS, reproduction_page

    names = list(dict.fromkeys(what or ["all"]))
    for name in names:
        one_of("artefact", name, [*ARTEFACTS, "all"])
    if "all" in names:
        names = list(ARTEFACTS)

    def made(ids: Any) -> Any:
        unique = dict.fromkeys(map(system_id, ids))
        return make_systems(unique, [], None, pipeline="hanta", progress=notebook())

    corpus: Any = None if names == ["figure3"] else whole.load(key_patch=key_patch)
    about: Any = {"systems": system or [], "responses": response or []}
    out.show(reproduction_page(corpus, names, made, **about))

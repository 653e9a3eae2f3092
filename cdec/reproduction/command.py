"""``cdec reproduce``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from cdec.cli import options as o
from cdec.cli.command import argument, command, option, refuse
from cdec.errors import one_of

app = typer.Typer()


@dataclass
class Papers:
    """The option of ``cdec eval`` for the numbers of papers."""

    literature: bool = option(
        "--literature",
        "The scores that papers on ECB+ publish. That is: cybulska/test, topic and corpus level, "
        "with and without own singletons, detection of mentions, and the published tables that "
        "each number can be compared with.",
        default=False,
    )

    def verb(self, source: o.Source) -> Callable[..., Any] | None:
        """Return the verb of the option, for which ``source`` has the part; None without it."""
        if not self.literature:
            return None
        from cdec.reproduction.literature import literature, preset

        split = preset().split
        fixed = ("setting", "mentions", "metric", "by", "scorer", "ci", "key_patch")
        refuse("--literature", *(fixed if source.split == split else ("split", *fixed)))
        source.split = split
        return literature


@command(app, "reproduce")
def reproduce(
    what: Annotated[
        list[str] | None,
        argument("[WHAT]...", "table1, table2, table3, figure3, or all (the default)."),
    ] = None,
    system: Annotated[
        list[str] | None,
        option(
            "--system SYSTEM",
            "Decompose the scores of this baseline in Table 2, by id; or of your own class, "
            "as module:Class (repeatable).",
        ),
    ] = None,
    response: Annotated[
        list[str] | None,
        option(
            "--response [NAME=]FILE",
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

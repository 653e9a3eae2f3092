"""``cdec reproduce``, and the option of ``cdec eval`` for the numbers of papers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from cdec.cli import options as o
from cdec.cli.command import argument, command, option, refuse, require
from cdec.errors import one_of

app = typer.Typer()
What = Annotated[
    list[str] | None, argument("[WHAT]...", "table1, table2, table3, figure3, or all.")
]


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

    def verb(self, source: o.PartOf) -> Callable[..., Any]:
        """Return the verb of the option, for which ``source`` has the part."""
        from cdec.reproduction.literature import literature, preset

        split = preset()["split"]
        fixed = ["setting", "metric", "by", "scorer", "ci", "key_patch", "figures"]
        if source.split != split:
            fixed.append("split")
        refuse("--literature", *fixed)
        source.split = split
        return literature


@command(app, "reproduce")
def reproduce(
    what: What = None,
    *,
    whole: o.Whole,
    work: o.Work,
    out: o.Report,
) -> None:
    """Recompute the tables of the paper beside the print.

    \b
    # All of them, as one page
    cdec reproduce all --format html -o reproduction.html
    # The worked example of Figure 3, which needs no corpus
    cdec reproduce figure3
    """
    from cdec.reproduction.page import TITLES, reproduction_page

    artefacts = [one_of("artefact", name, [*TITLES, "all"]) for name in what or ["all"]]
    names = list(dict.fromkeys(artefacts))
    if "all" in names:
        names = list(TITLES)
    corpus = None  # which Figure 3 does not need
    if names == ["figure3"]:
        require("table1, table2 or table3", "corpus", "mentions")
    else:
        corpus = whole.load()
    out.show(reproduction_page(names, corpus))

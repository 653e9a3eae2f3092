"""Options that several commands of ``cdec audit`` share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import CASES
from cdec.cli.completion import choice as completed
from cdec.errors import one_of

if TYPE_CHECKING:
    from cdec.audit.shortlist import ShortList
    from cdec.corpus.model import Corpus

FOUND = "Which cases"


@dataclass(frozen=True)
class ChoiceOptions:
    """Selection of the cases of a short-list."""

    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            autocompletion=CASES.complete,
            help="Keep only cases of this kind (repeatable).",
            rich_help_panel=FOUND,
        ),
    ] = None
    topic: Annotated[
        list[str] | None,
        typer.Option(
            "--topic",
            metavar="TOPIC",
            help="Keep only cases of this topic (repeatable).",
            rich_help_panel=FOUND,
        ),
    ] = None
    reviewed: Annotated[
        str,
        typer.Option(
            "--reviewed",
            metavar="only|outside|all",
            autocompletion=completed("only", "outside", "all"),
            help="Keep only cases inside, or outside, the reviewed sentences of the corpus.",
            rich_help_panel=FOUND,
        ),
    ] = "all"
    top: Annotated[
        int | None,
        typer.Option("--top", metavar="N", help="Keep at most N cases.", rich_help_panel=FOUND),
    ] = None

    def select(self, cases: ShortList) -> ShortList:
        """Return the selected cases."""
        return cases.select(
            kinds=self.kind or (), topics=self.topic or (), reviewed=self.reviewed, top=self.top
        )

    def checked(self, corpus: Corpus) -> Corpus:
        """Return the corpus. Raises as ``check_choice`` does, and for a --topic not in it."""
        from cdec.audit.shortlist import check_choice

        check_choice(self.kind or (), self.reviewed, self.top)
        known = dict.fromkeys(document.topic for document in corpus.documents.values())
        for topic in self.topic or ():
            one_of("topic", topic, known)
        return corpus


ShortListArgument = Annotated[
    Path, typer.Argument(metavar="CASES", help="Short-list of `cdec audit run -o CASES.jsonl`.")
]
DecisionsArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="DECISIONS...",
        help="Decision files exported from review pages, one for each reviewer.",
    ),
]
SkipOption = Annotated[
    bool,
    typer.Option(
        "--skip-conflicts/--no-skip-conflicts",
        help="Leave out the cases whose corrections exclude each other, or refuse them.",
    ),
]

"""The options that several commands of ``cdec audit`` share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import CASES
from cdec.errors import one_of

if TYPE_CHECKING:
    from cdec.audit.shortlist import ShortList
    from cdec.corpus.model import Corpus

FOUND = "What counts as a find"


@dataclass(frozen=True)
class ChoiceOptions:
    """Which cases of a short-list to take."""

    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            autocompletion=CASES.complete,
            help="Only cases of this kind (repeatable).",
            rich_help_panel=FOUND,
        ),
    ] = None
    topic: Annotated[
        list[str] | None,
        typer.Option(
            "--topic", help="Only cases of this topic (repeatable).", rich_help_panel=FOUND
        ),
    ] = None
    top: Annotated[
        int | None,
        typer.Option("--top", help="Only the first so many cases.", rich_help_panel=FOUND),
    ] = None

    def select(self, cases: ShortList) -> ShortList:
        """Return the cases to take."""
        return cases.select(kinds=self.kind or (), topics=self.topic or (), top=self.top)

    def checked(self, corpus: Corpus) -> Corpus:
        """Return the corpus. Raises UnknownNameError for a topic that it lacks."""
        known = dict.fromkeys(document.topic for document in corpus.documents.values())
        for topic in self.topic or ():
            one_of("topic", topic, known)
        return corpus


ShortListArgument = Annotated[
    Path, typer.Argument(metavar="CASES", help="What `cdec audit run -o CASES.jsonl` wrote.")
]
DecisionsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="DECISIONS...", help="Files that review pages export, one a reviewer."),
]

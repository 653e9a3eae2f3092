"""The options that several commands of ``cdec audit`` share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.errors import UnknownNameError

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus

FOUND = "What counts as a find"
KindOption = Annotated[
    list[str] | None,
    typer.Option("--kind", help="Only cases of this kind (repeatable).", rich_help_panel=FOUND),
]
TopicOption = Annotated[
    list[str] | None,
    typer.Option("--topic", help="Only cases of this topic (repeatable).", rich_help_panel=FOUND),
]
TopOption = Annotated[
    int | None,
    typer.Option("--top", help="Only the first so many cases.", rich_help_panel=FOUND),
]
ShortListArgument = Annotated[
    Path, typer.Argument(metavar="CASES", help="What `cdec audit run -o CASES.jsonl` wrote.")
]
DecisionsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="DECISIONS...", help="Files that review pages export, one a reviewer."),
]


def check_topics(corpus: Corpus, asked: list[str] | None) -> None:
    """Raise UnknownNameError for a topic that the corpus lacks."""
    known = dict.fromkeys(document.topic for document in corpus.documents.values())
    for topic in asked or ():
        if topic not in known:
            raise UnknownNameError("topic", topic, known)

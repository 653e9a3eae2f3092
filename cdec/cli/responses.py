"""The options on response files that commands share: repeated mentions, words, alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import REPEATED, WORDS, choice

if TYPE_CHECKING:
    from cdec.matching.policy import FilePolicy

_FILES = "Response files"


def _rule(text: str) -> str:
    from cdec.matching.policy import Rule

    Rule.parse(text)
    return text


@dataclass(frozen=True)
class FileOptions:
    """How to treat irregular response files."""

    repeated: Annotated[
        str,
        typer.Option(
            "--repeated",
            metavar="first|error|drop",
            autocompletion=REPEATED.complete,
            help="If a response mention occurs more than once: keep the first occurrence (as the "
            "reference scorer does), reject the file, or drop all occurrences.",
            rich_help_panel=_FILES,
        ),
    ] = "first"
    allow_empty: Annotated[
        bool,
        typer.Option(
            "--allow-empty",
            help="Score a response even if it contains no mention of the key.",
            rich_help_panel=_FILES,
        ),
    ] = False
    words: Annotated[
        str | None,
        typer.Option(
            "--words",
            metavar="warn|error|ignore",
            callback=WORDS.check,
            autocompletion=WORDS.complete,
            help="If words of key and response differ at the same position: score with a warning, "
            "reject the file, or score without a warning. Default: warn if more than 90 % of the "
            "words agree, or if all words of key mentions and more than half of all words do; "
            "otherwise reject the file.",
            rich_help_panel=_FILES,
        ),
    ] = None

    match: Annotated[
        str,
        typer.Option(
            "--match",
            metavar="exact|head|partial|overlap:X",
            callback=_rule,
            autocompletion=choice("exact", "head", "partial", "overlap:0.5"),
            help="When a response mention stands for a key mention: same tokens; same head; inside "
            "the key mention, with its head; or at least X of all their tokens in common. Equal "
            "mentions first, then one to one with the greatest overlap.",
            rich_help_panel=_FILES,
        ),
    ] = "exact"

    def policy(self, **more: str) -> FilePolicy:
        """Return the policy that the library takes, with ``more`` of its fields."""
        from cdec.matching.policy import FilePolicy

        return FilePolicy(self.repeated, self.allow_empty, self.words, alignment=self.match, **more)

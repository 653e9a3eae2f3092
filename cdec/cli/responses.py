"""The options on response files that commands share: repeated mentions, words, alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdec.cli.completion import MISSING, NOISE, OUTSIDE, REPEATED, WORDS, choice

if TYPE_CHECKING:
    from cdec.matching.policy import FilePolicy

_FILES = "Response files"


NoiseOption = Annotated[
    str | None,
    typer.Option(
        "--noise",
        metavar="singletons|absent",
        callback=NOISE.check,
        autocompletion=NOISE.complete,
        help="Mentions of key or response whose label means no chain (-1, a blank, nan, None, "
        "null): each is a chain of its own, or that file lacks them. Without this option such a "
        "label of several mentions is an error.",
        rich_help_panel=_FILES,
    ),
]


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
            help="When a response mention matches a key mention: same tokens; same head; inside "
            "the key mention, with its head; or at least X of all their tokens in common. Equal "
            "mentions first, then one to one with the greatest overlap. Brackets, and start and "
            "end, match a corpus mention with a gap by its first and last token; lists of tokens "
            "match exactly.",
            rich_help_panel=_FILES,
        ),
    ] = "exact"

    outside: Annotated[
        str,
        typer.Option(
            "--outside",
            metavar="drop|keep|error",
            callback=OUTSIDE.check,
            autocompletion=OUTSIDE.complete,
            help="Response mentions outside the annotated sentences, in a split of reviewed "
            "sentences: leave them out, count them as wrong, or reject the file. Mentions in "
            "documents outside the part are left out, or rejected.",
            rich_help_panel=_FILES,
        ),
    ] = "drop"
    missing: Annotated[
        str,
        typer.Option(
            "--missing",
            metavar="count|singletons|drop",
            callback=MISSING.check,
            autocompletion=MISSING.complete,
            help="Key mentions that are missing from the response: count them as not found, make "
            "each a singleton of the response (for a response without its singletons), or remove "
            "them from the key.",
            rich_help_panel=_FILES,
        ),
    ] = "count"

    noise: NoiseOption = None

    def policy(self, **more: Any) -> FilePolicy:
        """Return the policy that the library takes, with ``more`` of its fields."""
        from cdec.matching.policy import FilePolicy

        values: dict[str, Any] = dict(vars(self))
        return FilePolicy(alignment=values.pop("match"), **values, **more)

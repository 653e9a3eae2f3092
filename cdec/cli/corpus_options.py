"""The options that choose a corpus, a part of it, and the mentions to score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from cdec.cli.completion import FINDERS, KINDS, corpora, splits
from cdec.errors import one_of

_CORPUS = "Which corpus"
_PREDICTED = "predicted:"
_PARTS = ("train", "dev", "test", "all")


def _is_split(text: str) -> bool:
    from cdec.corpus.split_file import split_names
    from cdec.corpus.splits import OFFICIAL

    return text.endswith(".toml") or text in (*split_names(), OFFICIAL)


def _part(param: typer.CallbackParam, value: str | None) -> str | None:
    """Return ``[SPLIT/]PART``; a split without a part gets the default part."""
    if value is None or value in _PARTS or not _is_split(value):
        return value
    return f"{value}/{param.default or _PARTS[2]}"


def _split(value: str | None) -> str | None:
    """Return the split of ``SPLIT`` or ``[SPLIT/]PART``; None means the default of the corpus."""
    from cdec.corpus.split_file import load_split
    from cdec.corpus.splits import OFFICIAL

    if value is None or value in _PARTS or _is_split(value):
        return None if value in _PARTS else value
    named, _, part = value.rpartition("/")
    if named != OFFICIAL:
        one_of("part", part, [*load_split(named or value).parts, "all"])
    return named


def _split_option(check: Callable[..., str | None], text: str) -> Any:
    return typer.Option(
        "--split",
        metavar="[SPLIT/]PART",
        callback=check,
        autocompletion=splits,
        help=text,
        rich_help_panel=_CORPUS,
    )


def part_option(text: str) -> Any:
    """Return ``--split`` for a command that works on one part."""
    more = "A split without a part (cybulska) means its default part."
    return _split_option(_part, f"{text} {more}")


def split_option(text: str) -> Any:
    """Return ``--split`` for a command that works on a whole split."""
    more = "A part, as in cybulska/test, is ignored. Default: the split of the corpus."
    return _split_option(_split, f"{text}: ycf, cybulska or my.toml. {more}")


def _chosen(mentions: str | None) -> tuple[str | None, str | None]:
    """Return detector and kind of ``KIND`` or ``predicted:DETECTOR[/KIND]``.

    >>> _chosen("entity"), _chosen("predicted:runs/mine/entity"), _chosen("predicted:runs/mine")
    ((None, 'entity'), ('runs/mine', 'entity'), ('runs/mine', None))
    """
    if mentions is None or not mentions.startswith(_PREDICTED):
        return None, mentions
    from cdec.corpus.model import KINDS as kinds  # noqa: N811

    named = mentions.removeprefix(_PREDICTED)
    detector, _, kind = named.rpartition("/")
    return (detector, kind) if kind in kinds else (named, None)


def _mention_names() -> list[str]:
    return [*KINDS.complete(), *(f"{_PREDICTED}{name}" for name in FINDERS.complete())]


def _mentions(value: str | None) -> str | None:
    """Return the value of --mentions; raise UnknownNameError for an unknown kind or detector."""
    detector, kind = _chosen(value)
    KINDS.check(kind)
    _detector(detector)
    return value


def _detector(value: str | None) -> str | None:
    """Return the name or file of a detector; raise UnknownNameError if it is neither."""
    return value if value and Path(value).is_file() else FINDERS.check(value)


@dataclass(frozen=True)
class CorpusOptions:
    """A whole corpus."""

    corpus: Annotated[
        str | None,
        typer.Option(
            "--corpus",
            metavar="PATH|NAME",
            autocompletion=corpora,
            help="Folder or zip file of ECB+, or name of an installed corpus. Default: the path "
            "in the variable CDEC_ECBPLUS, else the installed ECB+, else the embedded sample.",
            rich_help_panel=_CORPUS,
        ),
    ] = None
    mentions: Annotated[
        str | None,
        typer.Option(
            "--mentions",
            metavar="event|entity|all",
            callback=KINDS.check,
            autocompletion=KINDS.complete,
            help="The mentions to cluster and score. Default: event, or entity for a corpus "
            "without events.",
            rich_help_panel=_CORPUS,
        ),
    ] = None
    key_variant: Annotated[
        str | None,
        typer.Option(
            "--key-variant",
            metavar="NAME",
            help="The reading of the key, for a corpus with several (`cdec corpus info` lists "
            "them), as one-chain for GVC.",
            rich_help_panel=_CORPUS,
        ),
    ] = None
    split = cast("str | None", "all")  # for commands without this option

    @property
    def kind(self) -> str | None:
        """The kind of mention to score; None for the default of the corpus."""
        return _chosen(self.mentions)[1]

    @property
    def detector(self) -> str | None:
        """The detector of ``predicted:…``, by name or file; None for gold mentions."""
        return _chosen(self.mentions)[0]


@dataclass(frozen=True)
class PartOptions(CorpusOptions):
    """A part of a corpus."""

    split: Annotated[
        str | None,
        part_option(
            "train, dev, test or all; or SPLIT/PART, as cybulska/test or my.toml/dev. Default: "
            "test, or all for a corpus without a test part."
        ),
    ] = None


@dataclass(frozen=True)
class ScoredOptions(PartOptions):
    """A part of a corpus, with gold mentions or those of a detector."""

    mentions: Annotated[
        str | None,
        typer.Option(
            "--mentions",
            metavar="event|entity|all|predicted:DETECTOR[/KIND]",
            callback=_mentions,
            autocompletion=_mention_names,
            help="The mentions to cluster and score. Default: event, or entity for a corpus "
            "without events. predicted: a detector finds the mentions that the systems cluster: "
            "detector-lexicon, detector-tagger, or a file from `cdec train`.",
            rich_help_panel=_CORPUS,
        ),
    ] = None


DetectorOption = Annotated[
    str | None,
    typer.Option(
        "--detector",
        metavar="NAME|FILE",
        callback=_detector,
        autocompletion=FINDERS.complete,
        help="Only with --text: detector-lexicon, detector-tagger (the default), or a file from "
        "`cdec train`.",
    ),
]

WHOLE = PartOptions(split="all")

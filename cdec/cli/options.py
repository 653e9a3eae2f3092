"""The groups of options about what is scored, each declared once; ``cdec.cli.groups`` joins them.

What stands at the end of a run is checked at its start: some runs take minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdec.cli.completion import (
    METRIC_IDS,
    METRICS,
    PARTITIONS,
    REPEATED,
    SCORERS,
    SETTING_IDS,
    SETTINGS,
    SYSTEM_IDS,
    SYSTEMS,
    WORDS,
    answers,
    choice,
    corpora,
    listed,
    splits,
)
from cdec.errors import one_of

if TYPE_CHECKING:
    from cdec.evaluation.response import FilePolicy

_CORPUS, _FILES = "Which corpus", "Response files"
_PARTS = ("train", "dev", "test", "all")


def given(ctx: typer.Context, names: Iterable[str]) -> list[str]:
    """Return the options, as in ``--seed``, that the user gave among the parameters ``names``."""
    options = {parameter.name: parameter.opts[0] for parameter in ctx.command.params}
    sources = {name: ctx.get_parameter_source(name) for name in names}
    return [options[name] for name, s in sources.items() if s and s.name == "COMMANDLINE"]


def _is_split(text: str) -> bool:
    from cdec.corpus.splits import split_names

    return text.endswith(".toml") or text in split_names()


def _part(param: typer.CallbackParam, value: str) -> str:
    """Return ``[SPLIT/]PART``; a split alone means its part of the name of the default."""
    return f"{value}/{param.default}" if value not in _PARTS and _is_split(value) else value


def _split(value: str | None) -> str | None:
    """Return the split that ``SPLIT`` or ``[SPLIT/]PART`` names; None for the corpus's own."""
    from cdec.corpus.splits import load_split

    if value is None or value in _PARTS or _is_split(value):
        return None if value in _PARTS else value
    named, _, part = value.rpartition("/")
    known = [*load_split(named or value).topics, "all"]
    one_of(f"part of the split '{named}':", part, known)
    return named


def _sound_patch(path: Path | None) -> Path | None:
    from cdec.audit.patches.model import read_patch

    if path is not None:
        read_patch(path)
    return path


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
    """Return ``--split`` of a command that works on one part."""
    more = "Without a part, as in cybulska: the default part of that split."
    return _split_option(_part, f"{text} {more}")


def split_option(text: str) -> Any:
    """Return ``--split`` of a command that works on a whole split."""
    more = "a part, as in cybulska/test, only names its split. Default: the corpus's own."
    return _split_option(_split, f"{text}: ycf, cybulska or my.toml; {more}")


def setting_option(text: str, many: bool = True, own: str = "as in `cdec eval`") -> Any:
    """Return ``--setting``; ``text`` says why the default is what it is, ``own`` how to write."""
    names = f"{', '.join(SETTING_IDS)} or all (repeatable)" if many else listed(SETTING_IDS)
    return typer.Option(
        "--setting",
        "-s",
        autocompletion=SETTINGS.complete,
        help=f"{names}; or your own, {own}. {text}",
    )


def system_option(text: str, many: bool = True, after: str = "") -> Any:
    """Return ``--system``: ``text``, then the ids, then ``after``."""
    return typer.Option(
        "--system",
        autocompletion=SYSTEMS.complete,
        help=f"{text}: {listed(SYSTEM_IDS)}; or your own class, as module:Class"
        f"{' (repeatable)' if many else ''}.{after and f' {after}'}",
    )


def answers_argument(text: str) -> Any:
    """Return the argument that names systems and files."""
    return typer.Argument(metavar="A B…", autocompletion=answers, help=text, show_default=False)


def scope_option(text: str) -> Any:
    """Return ``--scope`` of key and response without a corpus."""
    names = ("document", "corpus")
    return typer.Option(
        "--scope", metavar="|".join(names), autocompletion=choice(*names), help=text
    )


NlpOption = Annotated[
    str,
    typer.Option(
        "--nlp",
        metavar="PIPELINE",
        autocompletion=choice("hanta"),
        help="Language pipeline: hanta or spacy:MODEL.",
    ),
]
ConfigOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--config",
        metavar="FILE.toml",
        help="A baseline's parameters, as `cdec tune` writes them (repeatable).",
    ),
]
ModelOption = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="FILE",
        help="A trained model (`cdec train`) for sac or sac-plus. Default: train, or take the "
        "model that was trained on the same data before.",
    ),
]
JobsOption = Annotated[
    int,
    typer.Option(
        "--jobs", "-j", min=1, metavar="N", help="Train with N threads; the result is the same."
    ),
]
MetricsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        autocompletion=METRICS.complete,
        help=f"Only this metric, by id (repeatable): {listed(METRIC_IDS)}. Default: all.",
    ),
]
KeyPatchOption = Annotated[
    Path | None,
    typer.Option(
        "--key-patch",
        metavar="FILE",
        callback=_sound_patch,
        help="Score against the key as this patch corrects it (`cdec audit apply` makes one).",
    ),
]


@dataclass(frozen=True)
class CorpusOptions:
    """A whole corpus."""

    corpus: Annotated[
        str | None,
        typer.Option(
            "--corpus",
            metavar="PATH|NAME",
            autocompletion=corpora,
            help="Folder or zip of ECB+, or the name of an installed corpus. Default: the "
            "variable CDEC_ECBPLUS, the installed ECB+, the embedded sample.",
            rich_help_panel=_CORPUS,
        ),
    ] = None
    split = "all"  # of a command without that option


@dataclass(frozen=True)
class PartOptions(CorpusOptions):
    """A part of a corpus."""

    split: Annotated[
        str,
        part_option(
            "train, dev, test or all; of another split as in cybulska/test or my.toml/dev."
        ),
    ] = "test"


WHOLE = PartOptions(split="all")


@dataclass(frozen=True)
class SystemOptions:
    """What systems are made from."""

    nlp: NlpOption = "hanta"
    config: ConfigOption = None
    model: ModelOption = None
    jobs: JobsOption = 1


@dataclass(frozen=True)
class ScoreOptions:
    """What is counted, by whom, against which key."""

    metric: MetricsOption = None
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="UNIT",
            callback=PARTITIONS.check,
            autocompletion=PARTITIONS.complete,
            help="Break the scores down by document, subtopic or topic (those that there are), "
            "with micro and macro.",
        ),
    ] = None
    scorer: Annotated[
        str,
        typer.Option(
            "--scorer",
            autocompletion=SCORERS.complete,
            help="Who computes: cdec, or neleval (the paper's scorer).",
        ),
    ] = "cdec"
    key_patch: KeyPatchOption = None


@dataclass(frozen=True)
class FileOptions:
    """What to do with irregular response files."""

    repeated: Annotated[
        str,
        typer.Option(
            "--repeated",
            metavar="first|error|drop",
            autocompletion=REPEATED.complete,
            help="A mention that the response repeats: keep the first (as the reference scorer), "
            "refuse the file, or drop all its occurrences.",
            rich_help_panel=_FILES,
        ),
    ] = "first"
    allow_empty: Annotated[
        bool,
        typer.Option(
            "--allow-empty",
            help="Score a response that holds no mention of the key.",
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
            help="Words at the same place that differ between key and response: warn and score, "
            "refuse the file, or score all the same. Default: warn where more than 90 % agree, or "
            "more than half and those of every key mention; else error.",
            rich_help_panel=_FILES,
        ),
    ] = None

    def policy(self) -> FilePolicy:
        """Return the library's form of it."""
        from cdec.evaluation.response import FilePolicy

        return FilePolicy(self.repeated, self.allow_empty, self.words)

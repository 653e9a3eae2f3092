"""The groups of options that several commands share: corpus, systems, scores, response files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from cdec.cli.completion import (
    METRIC_IDS,
    METRICS,
    PARTITIONS,
    SCORERS,
    SETTING_IDS,
    SETTINGS,
    SYSTEM_IDS,
    SYSTEMS,
    answers,
    choice,
    corpora,
    listed,
    splits,
)
from cdec.errors import one_of

_CORPUS = "Which corpus"
_PARTS = ("train", "dev", "test", "all")


def options_in_call(ctx: typer.Context, names: Iterable[str]) -> list[str]:
    """Return the parameters among ``names`` that the call sets, as options (``--seed``)."""
    options = {parameter.name: parameter.opts[0] for parameter in ctx.command.params}
    sources = {name: ctx.get_parameter_source(name) for name in names}
    return [options[name] for name, s in sources.items() if s and s.name == "COMMANDLINE"]


def _is_split(text: str) -> bool:
    from cdec.corpus.splits import split_names

    return text.endswith(".toml") or text in split_names()


def _part(param: typer.CallbackParam, value: str) -> str:
    """Return ``[SPLIT/]PART``; a split without a part gets the default part."""
    return f"{value}/{param.default}" if value not in _PARTS and _is_split(value) else value


def _split(value: str | None) -> str | None:
    """Return the split of ``SPLIT`` or ``[SPLIT/]PART``; None means the default of the corpus."""
    from cdec.corpus.splits import load_split

    if value is None or value in _PARTS or _is_split(value):
        return None if value in _PARTS else value
    named, _, part = value.rpartition("/")
    known = [*load_split(named or value).topics, "all"]
    one_of("part", part, known)
    return named


def _valid_patch(path: Path | None) -> Path | None:
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
    """Return ``--split`` for a command that works on one part."""
    more = "A split without a part (cybulska) means its default part."
    return _split_option(_part, f"{text} {more}")


def split_option(text: str) -> Any:
    """Return ``--split`` for a command that works on a whole split."""
    more = "A part, as in cybulska/test, is ignored. Default: the split of the corpus."
    return _split_option(_split, f"{text}: ycf, cybulska or my.toml. {more}")


def setting_option(text: str, many: bool = True, own: str = "as in `cdec eval`") -> Any:
    """Return ``--setting``; ``text`` justifies the default, ``own`` shows a description."""
    names = f"{', '.join(SETTING_IDS)} or all" if many else listed(SETTING_IDS)
    return typer.Option(
        "--setting",
        "-s",
        metavar="SETTING",
        autocompletion=SETTINGS.complete,
        help=f"{names}; or your own setting, {own}{' (repeatable)' if many else ''}. {text}",
    )


def system_option(text: str, many: bool = True, after: str = "") -> Any:
    """Return ``--system``: ``text``, then the ids, then ``after``."""
    return typer.Option(
        "--system",
        metavar="SYSTEM",
        autocompletion=SYSTEMS.complete,
        help=f"{text}: {listed(SYSTEM_IDS)}; or your own class, as module:Class"
        f"{' (repeatable)' if many else ''}.{after and f' {after}'}",
    )


def answers_argument(text: str) -> Any:
    """Return the argument that names systems and files."""
    return typer.Argument(metavar="A B…", autocompletion=answers, help=text, show_default=False)


def scope_option(text: str) -> Any:
    """Return ``--scope`` for key and response files without a corpus."""
    scopes = choice("document", "corpus")
    return typer.Option("--scope", metavar="document|corpus", autocompletion=scopes, help=text)


NlpOption = Annotated[
    str,
    typer.Option(
        "--nlp",
        metavar="PIPELINE",
        autocompletion=choice("hanta"),
        help="Language pipeline for lemmas and tags: hanta or spacy:MODEL.",
    ),
]
ConfigOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--config",
        metavar="FILE.toml",
        help="Parameters of a baseline, as written by `cdec tune` (repeatable).",
    ),
]
ModelOption = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="FILE",
        help="A model from `cdec train`, for sac or sac-plus. Default: reuse the model of an "
        "earlier run on the same data, else train one.",
    ),
]
JobsOption = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        metavar="N",
        help="Train with N threads; the result is the same.",
    ),
]
MetricsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        metavar="METRIC",
        autocompletion=METRICS.complete,
        help=f"Compute only this metric (repeatable): {listed(METRIC_IDS)}. Default: all.",
    ),
]
KeyPatchOption = Annotated[
    Path | None,
    typer.Option(
        "--key-patch",
        metavar="FILE",
        callback=_valid_patch,
        help="Correct the key by this patch (from `cdec audit apply`) before scoring.",
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
            help="Folder or zip file of ECB+, or name of an installed corpus. Default: the path "
            "in the variable CDEC_ECBPLUS, else the installed ECB+, else the embedded sample.",
            rich_help_panel=_CORPUS,
        ),
    ] = None
    split = "all"  # for commands without this option


@dataclass(frozen=True)
class PartOptions(CorpusOptions):
    """A part of a corpus."""

    split: Annotated[
        str,
        part_option("train, dev, test or all; or SPLIT/PART, as cybulska/test or my.toml/dev."),
    ] = "test"


WHOLE = PartOptions(split="all")


@dataclass(frozen=True)
class SystemOptions:
    """Parameters of systems."""

    nlp: NlpOption = "hanta"
    config: ConfigOption = None
    model: ModelOption = None
    jobs: JobsOption = 1


@dataclass(frozen=True)
class ScoreOptions:
    """Metrics, breakdown, scorer and key."""

    metric: MetricsOption = None
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="UNIT",
            callback=PARTITIONS.check,
            autocompletion=PARTITIONS.complete,
            help="Also score each document, subtopic or topic separately, with micro- and "
            "macro-average.",
        ),
    ] = None
    scorer: Annotated[
        str,
        typer.Option(
            "--scorer",
            metavar="cdec|neleval",
            autocompletion=SCORERS.complete,
            help="Compute the metrics with cdec, or with neleval (the scorer of the paper).",
        ),
    ] = "cdec"
    key_patch: KeyPatchOption = None

"""The groups of options that several commands share: corpus, systems, scores, response files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from cdec.cli.completion import (
    METRIC_IDS,
    METRICS,
    PARTITIONS,
    PATCH_IDS,
    SCORERS,
    SETTING_IDS,
    SETTINGS,
    SYSTEM_IDS,
    SYSTEMS,
    answers,
    choice,
    listed,
)


def options_in_call(ctx: typer.Context, names: Iterable[str]) -> list[str]:
    """Return the parameters among ``names`` that the call sets, as options (``--seed``)."""
    options = {parameter.name: parameter.opts[0] for parameter in ctx.command.params}
    sources = {name: ctx.get_parameter_source(name) for name in names}
    return [options[name] for name, s in sources.items() if s and s.name == "COMMANDLINE"]


def _valid_patch(path: Path | None) -> Path | None:
    if path is not None:
        from cdec.audit.patches.model import read_patch

        read_patch(path)
    return path


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
        metavar="FILE|NAME",
        callback=_valid_patch,
        help="Correct the key first, by a patch from `cdec audit apply` or one of cdec: "
        f"{listed(PATCH_IDS)}.",
    ),
]


@dataclass(frozen=True)
class SystemOptions:
    """Parameters of systems."""

    nlp: NlpOption = "hanta"
    config: ConfigOption = None
    model: ModelOption = None


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
            help="Also score each document, subtopic, topic or kind (event, entity) separately, "
            "with micro- and macro-average.",
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

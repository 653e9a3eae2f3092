"""The options of ``cdec score`` that shared tasks on coreference use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import PRESETS, choice
from cdec.cli.options import ScoreOptions, options_in_call
from cdec.cli.responses import FileOptions

if TYPE_CHECKING:
    from cdec.evaluation.presets import Preset
    from cdec.matching.policy import FilePolicy

_TASK, _SETS = "Shared tasks", "Several data sets"


@dataclass(frozen=True)
class TaskOptions:
    """Preset, singletons, and what applies to CoNLL-U files only."""

    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            metavar="crac22|crac24|conll12",
            callback=PRESETS.check,
            autocompletion=PRESETS.complete,
            help="The choices of a shared task: --match, --singletons, --zeros and the metrics. "
            "Options in the call override it.",
            rich_help_panel=_TASK,
        ),
    ] = None
    singletons: Annotated[
        str,
        typer.Option(
            "--singletons",
            metavar="keep|drop",
            autocompletion=choice("keep", "drop"),
            help="drop: each side drops its own singletons before mentions are aligned.",
            rich_help_panel=_TASK,
        ),
    ] = "keep"
    zeros: Annotated[
        str,
        typer.Option(
            "--zeros",
            metavar="linear|dependent",
            autocompletion=choice("linear", "dependent"),
            help="How zeros (mentions headed by an empty node) of two CoNLL-U files are aligned: "
            "by their place among the words, or first by their parents and relations.",
            rich_help_panel=_TASK,
        ),
    ] = "linear"
    heads: Annotated[
        str,
        typer.Option(
            "--heads",
            metavar="file|tree",
            autocompletion=choice("file", "tree"),
            help="Heads of the mentions of CoNLL-U files: as the file gives them, or from the "
            "dependency tree.",
            rich_help_panel=_TASK,
        ),
    ] = "file"
    upos: Annotated[
        str,
        typer.Option(
            "--upos",
            metavar="TAG",
            help="Score only entities with a mention whose head has this universal tag, as VERB "
            "(CoNLL-U).",
            show_default=False,
            rich_help_panel=_TASK,
        ),
    ] = ""
    chain: Annotated[
        str,
        typer.Option(
            "--chain",
            metavar="entity|FIELD",
            help="The chain of a mention: its entity, or a field of Entity= such as identity "
            "(CoNLL-U; with --scope corpus chains cross documents).",
            rich_help_panel=_TASK,
        ),
    ] = "entity"
    groups: Annotated[
        Path | None,
        typer.Option(
            "--groups",
            metavar="FILE",
            help="For --by group: lines document,group. Default: the first part of document names "
            "such as bc/cctv/00/cctv_0001.",
            rich_help_panel=_TASK,
        ),
    ] = None

    def preset_of(self) -> Preset | None:
        """Return the preset, if any."""
        from cdec.evaluation.presets import find_preset

        return find_preset(self.preset) if self.preset else None

    def policy(self, ctx: typer.Context, files: FileOptions) -> FilePolicy:
        """Return the policy of the call, over that of the preset."""
        from dataclasses import replace

        names = ("singletons", "zeros", "heads", "upos", "chain")
        policy = files.policy(**{name: getattr(self, name) for name in names})
        preset = self.preset_of()
        if preset is None:
            return policy
        own = {"alignment": "match"}
        return replace(
            policy,
            **{
                field: value
                for field, value in preset.policy.items()
                if not options_in_call(ctx, [own.get(field, field)])
            },
        )

    def metrics(self, counts: ScoreOptions) -> list[str] | None:
        """Return the metrics of the call, else those of the preset."""
        preset = self.preset_of()
        return counts.metric or (list(preset.metrics) if preset else None)


@dataclass(frozen=True)
class DatasetOptions:
    """Several data sets instead of one key and one response."""

    pair: Annotated[
        list[str] | None,
        typer.Option(
            "--pair",
            metavar="DATASET=KEY:[SYSTEM=]RESPONSE",
            help="A data set with its key and the response of a system (repeatable).",
            rich_help_panel=_SETS,
        ),
    ] = None
    macro: Annotated[
        bool,
        typer.Option(
            "--macro",
            help="Rank systems by the mean over the data sets; one without a response counts 0.",
            rich_help_panel=_SETS,
        ),
    ] = False
    variants: Annotated[
        bool,
        typer.Option(
            "--variants",
            help="Also show head, partial and exact match and the other choice of singletons, with "
            "the difference (requires --macro).",
            rich_help_panel=_SETS,
        ),
    ] = False

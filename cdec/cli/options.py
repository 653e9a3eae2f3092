"""The options that several commands share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from cdec.errors import CdecError, UnknownNameError

_CORPUS, _OUTPUT = "Which corpus", "Output"


# What stands at the end of a run is checked at its start: some runs take minutes.
def _known_format(name: str) -> str:
    from cdec.render import FORMATS

    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    return name


def _known_file_format(name: str | None) -> str | None:
    from cdec.formats import FORMATS

    if name is not None and name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    return name


def _known_unit(name: str | None) -> str | None:
    from cdec.evaluation.experiment import UNITS

    if name is not None and name not in UNITS:
        raise UnknownNameError("unit", name, UNITS)
    return name


def writable(path: Path | None) -> Path | None:
    """Return the path; raise CdecError where its folder is missing, or it is a folder itself."""
    if path is not None and not path.parent.is_dir():
        raise CdecError("no such folder", place=path.parent, cure="make it, or choose another")
    if path is not None and path.is_dir():
        raise CdecError("this is a folder", place=path, cure="name a file in it")
    return path


def _sound_patch(path: Path | None) -> Path | None:
    from cdec.audit.patches.model import read_patch

    if path is not None:
        read_patch(path)
    return path


def given(ctx: typer.Context, names: Iterable[str]) -> list[str]:
    """Return the options, as in ``--seed``, that the user gave among the parameters ``names``."""
    options = {parameter.name: parameter.opts[0] for parameter in ctx.command.params}
    sources = {name: ctx.get_parameter_source(name) for name in names}
    return [options[name] for name, s in sources.items() if s and s.name == "COMMANDLINE"]


CorpusOption = Annotated[
    str | None,
    typer.Option(
        "--corpus",
        metavar="PATH|NAME",
        help="Folder or zip of ECB+, or the name of an installed corpus. Default: the variable "
        "CDEC_ECBPLUS, the installed ECB+, the embedded sample.",
        rich_help_panel=_CORPUS,
    ),
]
SplitOption = Annotated[
    str,
    typer.Option(
        "--split",
        metavar="[SPLIT/]PART",
        help="train, dev, test or all; of another split as in cybulska/test or my.toml/dev.",
        rich_help_panel=_CORPUS,
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
NlpOption = Annotated[
    str,
    typer.Option("--nlp", metavar="PIPELINE", help="Language pipeline: hanta or spacy:MODEL."),
]
MetricOption = Annotated[
    list[str] | None,
    typer.Option("--metric", help="Only this metric, by id (repeatable). Default: all."),
]
ScorerOption = Annotated[
    str, typer.Option("--scorer", help="Who computes: cdec, or neleval (the paper's scorer).")
]
RepeatedOption = Annotated[
    str,
    typer.Option(
        "--repeated",
        metavar="first|error|drop",
        help="A mention that the response repeats: keep the first (as the reference scorer), "
        "refuse the file, or drop all its occurrences.",
    ),
]
AllowEmptyOption = Annotated[
    bool,
    typer.Option("--allow-empty", help="Score a response that holds no mention of the key."),
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
ByOption = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="UNIT",
        callback=_known_unit,
        help="Break the scores down by document, subtopic or topic (those that there are), with "
        "micro and macro.",
    ),
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        callback=_known_format,
        help="table, markdown, latex, csv, json or html.",
        rich_help_panel=_OUTPUT,
    ),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        callback=writable,
        help="Write to this file instead of the terminal.",
        rich_help_panel=_OUTPUT,
    ),
]
QuietOption = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="No notices and no progress.", rich_help_panel=_OUTPUT),
]
VerboseOption = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="List every case of a notice.", rich_help_panel=_OUTPUT),
]
FileFormatOption = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="FORMAT",
        callback=_known_file_format,
        help="conll, jsonl, csv, tsv or json. Default: by the file's ending, else conll.",
        rich_help_panel=_OUTPUT,
    ),
]

"""Output: to the terminal, or to a file whose ending fits its format."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from cdec.cli.completion import FILE_FORMATS, FORMATS
from cdec.cli.screen import PANEL, ScreenOptions
from cdec.errors import CdecError, UsageError

if TYPE_CHECKING:
    from cdec.formats import Annotation
    from cdec.render import Page

REPORTS = {
    ".md": "markdown",
    ".tex": "latex",
    ".csv": "csv",
    ".json": "json",
    ".html": "html",
}
# Endings that name a format; any other ending, such as .txt or .out, fits every format.
_MEANINGFUL = {*REPORTS, ".conll", ".jsonl", ".tsv", ".toml", ".svg", ".png", ".pdf"}


def format_of(
    path: Path | None, requested: str | None, known: Mapping[str, str], default: str, option: str
) -> str:
    """Return the format to write: ``requested``, else that of the ending, else ``default``.

    ``known`` maps ending → format. Raises UsageError if the ending belongs to another format.
    """
    ending = path.suffix.lower() if path else ""
    implied = known.get(ending)
    chosen = requested or implied or default
    if implied is None and ending in _MEANINGFUL:
        raise _mismatch(path, ending, chosen, "choose another ending")
    if implied is not None and implied != chosen:
        raise _mismatch(path, ending, chosen, f"choose another ending, or leave out {option}")
    return chosen


def _mismatch(path: object, ending: str, content: str, hint: str) -> UsageError:
    message = f"a file ending in {ending} cannot contain {content}"
    return UsageError("output-ending", message, place=path, hint=hint)


def writable(path: Path | None) -> Path | None:
    """Return the path; raise CdecError if it is a folder, or its folder does not exist."""
    if path is not None and not path.parent.is_dir():
        message, hint = "the folder does not exist", "create it, or choose another one"
        raise CdecError("file-unwritable", message, place=path.parent, hint=hint)
    if path is not None and path.is_dir():
        message, hint = "expected a file, got a folder", "name a file in it"
        raise CdecError("file-unwritable", message, place=path, hint=hint)
    return path


def file_of(content: str, *endings: str) -> Callable[[Path | None], Path | None]:
    """Return a callback that checks a path to which ``content`` will be written."""

    def check(path: Path | None) -> Path | None:
        ending = path.suffix.lower() if path else ""
        if ending in _MEANINGFUL and ending not in endings:
            hint = f"choose another ending{f', such as {endings[0]}' if endings else ''}"
            raise _mismatch(path, ending, content, hint)
        return writable(path)

    return check


def file_option(text: str, metavar: str, content: str, *endings: str, panel: str = "") -> Any:
    """Return ``--output`` for a command that writes ``content`` to files with these endings."""
    check = file_of(content, *endings)
    return typer.Option(
        "--output", "-o", metavar=metavar, callback=check, help=text, rich_help_panel=panel or None
    )


def _format_option(more: str = "") -> Any:
    return typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        callback=FORMATS.check,
        autocompletion=FORMATS.complete,
        help=f"table, markdown, latex, csv, json or html.{more}",
        rich_help_panel=PANEL,
    )


FormatOption = Annotated[str, _format_option()]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        callback=writable,
        help="Write to this file, not to the terminal.",
        rich_help_panel=PANEL,
    ),
]


@dataclass(frozen=True)
class _TargetOptions:
    """--output: a file whose ending must fit the format ``kind``."""

    output: OutputOption = None

    def __post_init__(self) -> None:
        _ = self.kind

    @property
    def kind(self) -> str:
        """The format to write. Raises UsageError if the ending belongs to another."""
        raise NotImplementedError


@dataclass(frozen=True)
class ReportOptions(_TargetOptions):
    """--format and --output of a table or page."""

    _endings: ClassVar[Mapping[str, str]] = REPORTS

    format: Annotated[
        str | None,
        _format_option(
            f" Default: the format of the ending of --output ({', '.join(REPORTS)}), else table. "
            "Must agree with that ending."
        ),
    ] = None

    @property
    def kind(self) -> str:
        """The format to write. Raises UsageError if the ending belongs to another."""
        return format_of(self.output, self.format, self._endings, "table", "--format")

    def show(self, page: Page) -> None:
        """Render a page and print it, or write it to the file: completely or not at all."""
        from cdec.io.output import save
        from cdec.render import render
        from cdec.render.terminal import to_text

        kind = self.kind
        on_screen = kind == "table" and self.output is None and sys.stdout.isatty()
        columns = shutil.get_terminal_size().columns
        text = to_text(page, columns) if on_screen else render(page, kind)
        save([text], self.output or "-")


@dataclass(frozen=True)
class OutputOptions(ScreenOptions, ReportOptions):
    """--format, --output, --quiet, --verbose."""


@dataclass(frozen=True)
class CasesOptions(OutputOptions):
    """OutputOptions of a short-list; .jsonl and .csv files contain its cases."""

    _endings: ClassVar[Mapping[str, str]] = REPORTS | {".jsonl": "jsonl"}

    @property
    def ending(self) -> str:
        """The ending of the file without its dot."""
        return self.output.suffix.lower().removeprefix(".") if self.output else ""


@dataclass(frozen=True)
class AnnotationOptions(ScreenOptions, _TargetOptions):
    """--to and --output of mentions and chains."""

    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            callback=FILE_FORMATS.check,
            autocompletion=FILE_FORMATS.complete,
            help="conll, jsonl, csv, tsv or json. Default: the format of the ending of --output, "
            "else conll. Must agree with that ending.",
            rich_help_panel=PANEL,
        ),
    ] = None

    @property
    def kind(self) -> str:
        """The format to write. Raises UsageError if the ending belongs to another."""
        if self.output is None:
            return self.to or "conll"
        known = {f".{name}": name for name in FILE_FORMATS.complete()}
        return format_of(self.output, self.to, known, "conll", "--to")

    def write(self, annotation: Annotation) -> None:
        """Write mentions and chains to the file or the terminal.

        In CoNLL, labels become numbers: the reference scorer ignores other labels without notice.
        """
        from cdec.formats import write

        kind = self.kind
        written = annotation.numbered() if kind == "conll" else annotation
        write(written, self.output or "-", kind)

"""Where output goes: a file whose ending agrees with what is written into it, or the terminal."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from cdec.cli.completion import FILE_FORMATS, FORMATS
from cdec.cli.screen import PANEL, NoticeOptions, QuietOptions
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
# Endings that say what a file holds; any other, as .txt or .out, fits everything.
_TELLING = {*REPORTS, ".conll", ".jsonl", ".tsv", ".toml", ".svg", ".png", ".pdf"}


def format_of(
    path: Path | None, given: str | None, known: Mapping[str, str], default: str, option: str
) -> str:
    """Return the format to write: ``given``, else that of the ending, else ``default``.

    ``known`` maps ending → format. Raises UsageError for an ending that means another format.
    """
    ending = path.suffix.lower() if path else ""
    named = known.get(ending)
    chosen = given or named or default
    if named is None and ending in _TELLING:
        raise _unfit(path, ending, chosen, "choose another ending")
    if named is not None and named != chosen:
        raise _unfit(path, ending, chosen, f"choose another ending, or leave out {option}")
    return chosen


def _unfit(path: object, ending: str, content: str, hint: str) -> UsageError:
    return UsageError(f"a file that ends in {ending} cannot hold {content}", place=path, hint=hint)


def writable(path: Path | None) -> Path | None:
    """Return the path; raise CdecError where its folder is missing, or it is a folder itself."""
    if path is not None and not path.parent.is_dir():
        raise CdecError("no such folder", place=path.parent, hint="make it, or choose another")
    if path is not None and path.is_dir():
        raise CdecError("this is a folder", place=path, hint="name a file in it")
    return path


def file_of(content: str, *endings: str) -> Callable[[Path | None], Path | None]:
    """Return the check of a path to which ``content`` is to be written."""

    def check(path: Path | None) -> Path | None:
        ending = path.suffix.lower() if path else ""
        if ending in _TELLING and ending not in endings:
            hint = f"choose another ending{f', as {endings[0]}' if endings else ''}"
            raise _unfit(path, ending, content, hint)
        return writable(path)

    return check


def file_option(text: str, metavar: str, content: str, *endings: str, panel: str = "") -> Any:
    """Return ``--output`` of a command that writes ``content`` into files with these endings."""
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
        help="Write to this file instead of the terminal.",
        rich_help_panel=PANEL,
    ),
]


@dataclass(frozen=True)
class _TargetOptions:
    """A file whose ending decides the format or must agree with it; ``kind`` is the format."""

    output: OutputOption = None

    def __post_init__(self) -> None:
        _ = self.kind

    @property
    def kind(self) -> str:
        """The format to write. Raises UsageError where the ending means another."""
        raise NotImplementedError


@dataclass(frozen=True)
class ReportOptions(_TargetOptions):
    """In which format a table or page is written, and where."""

    _endings: ClassVar[Mapping[str, str]] = REPORTS

    format: Annotated[
        str | None,
        _format_option(
            f" Default: by the ending of --output ({', '.join(REPORTS)}), else table; an ending of "
            "another format is refused."
        ),
    ] = None

    @property
    def kind(self) -> str:
        """The format to write. Raises UsageError where the ending means another."""
        return format_of(self.output, self.format, self._endings, "table", "--format")

    def show(self, page: Page) -> None:
        """Render a page and show it, or write it whole or not at all."""
        from cdec.io.output import save
        from cdec.render import render
        from cdec.render.terminal import to_text

        kind = self.kind
        on_screen = kind == "table" and self.output is None and sys.stdout.isatty()
        columns = shutil.get_terminal_size().columns
        text = to_text(page, columns) if on_screen else render(page, kind)
        save([text], self.output or "-")


@dataclass(frozen=True)
class TableOptions(QuietOptions, ReportOptions):
    """--format, --output, --quiet."""


@dataclass(frozen=True)
class OutputOptions(NoticeOptions, ReportOptions):
    """--format, --output, --quiet, --verbose."""


@dataclass(frozen=True)
class CasesOptions(TableOptions):
    """As TableOptions, of a short-list, which .jsonl and .csv hold case by case."""

    _endings: ClassVar[Mapping[str, str]] = REPORTS | {".jsonl": "jsonl"}

    @property
    def ending(self) -> str:
        """The ending of the file, as in ``csv``."""
        return self.output.suffix.lower().removeprefix(".") if self.output else ""


@dataclass(frozen=True)
class AnnotationOptions(QuietOptions, _TargetOptions):
    """In which format mentions and chains are written, and where."""

    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            callback=FILE_FORMATS.check,
            autocompletion=FILE_FORMATS.complete,
            help="conll, jsonl, csv, tsv or json. Default: by the ending of --output, else conll; "
            "an ending of another format is refused.",
            rich_help_panel=PANEL,
        ),
    ] = None

    @property
    def kind(self) -> str:
        """The format to write. Raises UsageError where the ending means another."""
        if self.output is None:
            return self.to or "conll"
        known = {f".{name}": name for name in FILE_FORMATS.complete()}
        return format_of(self.output, self.to, known, "conll", "--to")

    def write(self, annotation: Annotation) -> None:
        """Write mentions and chains to the file or the terminal.

        In CoNLL, chains get numbers: the reference scorer passes over any other label in silence.
        """
        from cdec.formats import write

        kind = self.kind
        given = annotation.numbered() if kind == "conll" else annotation
        write(given, self.output or "-", kind)

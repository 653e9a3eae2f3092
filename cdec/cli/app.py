"""The program ``cdec``: its commands, its streams and its errors."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import platform
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version as version_of
from itertools import pairwise
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from cdec._version import __version__
from cdec.cli.failure import ErrorFormat, as_cdec_error
from cdec.cli.help import Command
from cdec.errors import CdecWarning, UsageError
from cdec.rooms import added, imported

COMMANDS = {
    "eval": "cdec.cli.evaluate:evaluate",
    "score": "cdec.cli.score:score",
    "compare": "cdec.cli.compare:compare",
    "diagnose": "cdec.cli.diagnose:diagnose",
    "check": "cdec.cli.check:check",
    "predict": "cdec.cli.predict:predict",
    "tune": "cdec.cli.tune:tune",
    "train": "cdec.cli.train:train",
    "corpus": "cdec.cli.corpus:app",
    "audit": "cdec.cli.audit:app",
    "plugins": "cdec.cli.plugins:plugins",
    **added("command"),
}
# The panels of the first help; it does not show the other commands.
_PANELS = {
    "Score": ("eval", "score", "compare", "diagnose", "pairs", "check"),
    "Systems": ("predict", "tune", "train"),
    "Data": ("corpus", "audit", "leaderboard"),
    "Paper": ("reproduce",),
}
_PANEL_OF = {name: panel for panel, names in _PANELS.items() for name in names}


class Commands(Mapping[str, Any]):
    """The commands and groups by name, each imported when it is used."""

    def __getitem__(self, name: str) -> Any:
        """Return the command, or the group, as the parser needs it."""
        found, alone = imported(COMMANDS[name]), typer.Typer()
        panel = _PANEL_OF.get(name)
        shown: Any = {"rich_help_panel": panel, "hidden": panel is None}
        if isinstance(found, typer.Typer):
            alone.add_typer(found, name=name, **shown)
        else:
            alone.command(name, cls=Command, **shown)(found)
        return get_group(alone).commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Program(TyperGroup):
    """The program, which imports a command when it is called."""

    def __init__(self, **facts: Any) -> None:
        super().__init__(**facts)
        self.commands: Any = Commands()


app = typer.Typer(
    name="cdec",
    cls=Program,
    help="Evaluate cross-document event coreference: every setting, every metric, "
    "one signature.\n\nIf ECB+ is not installed (`cdec corpus add ecb+`), all commands use a small "
    "sample.\n\n"
    "\b\n# The baselines under the strictest setting\ncdec eval --setting pure\n"
    "# Your system against the gold chains of the corpus\ncdec eval mine.conll\n"
    "# A response file against a key file\ncdec score key.conll response.conll --scope corpus",
    epilog="`cdec plugins` lists all systems, metrics, settings and formats. docs/errors.md "
    "explains the codes of errors, which --verbose shows.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_DEBUG = "--debug"
# Libraries that can change a score: arithmetic, assignment, tf-idf, lemmas, the second scorer.
_LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "spacy", "HanTa", "neleval")


def _show_version(requested: bool) -> None:
    """Print the versions and exit if ``requested``."""
    if requested:
        libraries = ", ".join(f"{name} {version_of(name)}" for name in _LIBRARIES)
        typer.echo(f"cdec {__version__} (Python {platform.python_version()}; {libraries})")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help="Show the version of cdec and of the libraries that can change a score, and exit.",
        ),
    ] = False,
    debug: Annotated[bool, typer.Option(_DEBUG, help="Show the traceback of an error.")] = False,
) -> None:
    """Declare the options of the program itself."""


def main() -> None:
    """Run the command line; an error is printed in one line and sets the exit code."""
    # Anywhere in the call: users append it to the call that has just failed.
    debug = _DEBUG in sys.argv
    sys.argv = [argument for argument in sys.argv if argument != _DEBUG]
    logging.basicConfig(format="cdec: %(message)s", level=logging.WARNING)
    _prepare_streams()
    form = ErrorFormat.from_arguments(sys.argv[1:])
    _show_warnings(form)
    try:
        _refuse_split_list(sys.argv[1:])
        try:
            sys.exit(app(standalone_mode=False))
        except SystemExit:
            sys.stdout.flush()  # so that an error of writing is reported
            raise
    except BrokenPipeError:
        # The reader (head, less) has closed the pipe.
        _drop_output()
    except Exception as error:
        if debug:
            raise
        if type(error).__name__ == "NoArgsIsHelpError":  # it has printed the help
            sys.exit(2)
        failure = as_cdec_error(error)
        print(form.line(failure), file=sys.stderr)
        _drop_output()
        sys.exit(failure.exit_code)


def _refuse_split_list(arguments: Sequence[str]) -> None:
    """Raise UsageError for a list that a blank after its comma divides into two arguments."""
    for one, other in pairwise(arguments):
        if one.endswith(",") and not other.startswith("-"):
            message, hint = f"blank in the list '{one} {other}'", "write it without blanks"
            raise UsageError("call-invalid", message, hint=hint)


def _show_warnings(form: ErrorFormat) -> None:
    """Print the warnings of cdec, as of a deprecated name, in a line; none if quiet."""
    usual = warnings.showwarning

    def show(message: Warning | str, kind: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(kind, CdecWarning):
            usual(message, kind, *place, **more)
        elif not form.quiet:
            print(f"cdec: warning: {message}", file=sys.stderr)

    warnings.simplefilter("default", CdecWarning)
    warnings.showwarning = show  # type: ignore[assignment]


def _prepare_streams() -> None:
    """Write UTF-8 in every locale, as in files."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _drop_output() -> None:
    """Discard the buffer of stdout if it cannot be written: Python would complain at exit."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

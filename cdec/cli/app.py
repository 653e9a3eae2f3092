"""The program ``cdec``: its commands, its streams and its errors."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import platform
import re
import sys
from collections.abc import Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, TextIO

import typer
from typer.core import TyperGroup
from typer.main import get_group

from cdec._version import __version__
from cdec.cli.command import option
from cdec.errors import CdecError, UsageError, one_line
from cdec.rooms import added, imported

COMMANDS = {
    **dict.fromkeys(("eval", "score", "check"), "cdec.cli.score:app"),
    "compare": "cdec.cli.compare:app",
    **dict.fromkeys(("predict", "tune", "train"), "cdec.cli.systems:app"),
    "corpus": "cdec.cli.corpus:app",
    "plugins": "cdec.cli.plugins:app",
    **added("command"),
}
# The panels of the first help; it does not show the other commands.
_PANELS = {
    **dict.fromkeys(("eval", "score", "compare", "diagnose", "pairs", "check"), "Score"),
    **dict.fromkeys(("predict", "tune", "train"), "Systems"),
    **dict.fromkeys(("corpus", "audit", "leaderboard", "reproduce"), "Data, boards, the paper"),
}


class Program(TyperGroup):
    """The program, which imports a command when it is called."""

    def __init__(self, **facts: Any) -> None:
        super().__init__(**facts)
        self.commands: Any = dict.fromkeys([*_PANELS, *COMMANDS])

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command, or the group of commands, of a name; None if it is unknown."""
        if cmd_name not in COMMANDS:
            return None
        group = get_group(imported(COMMANDS[cmd_name]))
        found: Any = group.commands.get(cmd_name, group)
        found.name = cmd_name
        found.rich_help_panel, found.hidden = _PANELS.get(cmd_name), cmd_name not in _PANELS
        return found

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options; help does not show those of completion, which the epilog names."""
        found: list[Any] = super().get_params(ctx)
        for one in found:
            one.hidden = one.hidden or "completion" in one.name
        return found


app = typer.Typer(
    name="cdec",
    cls=Program,
    help="Evaluate cross-document event coreference: every setting, every metric, "
    "one signature.\n\nWithout ECB+ (`cdec corpus add ecb+`) commands use a small sample.\n\n"
    "\b\n# The baselines under the strictest setting\ncdec eval --setting pure\n"
    "# Your system against the gold chains of the corpus\ncdec eval mine.conll\n"
    "# A response file against a key file\ncdec score key.conll response.conll --scope corpus",
    epilog="`cdec plugins` lists systems, metrics, settings and formats, docs/errors.md the codes "
    "that --verbose shows. `cdec --install-completion` completes names.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_DEBUG = "--debug"
_CLOSED_PIPE = 141  # 128 + SIGPIPE, as other programs
# Libraries that can change a score: arithmetic, assignment, tf-idf, lemmas, the second scorer.
_LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "spacy", "HanTa", "neleval")


def _show_version(requested: bool) -> None:
    """Print the versions and exit if ``requested``."""
    if requested:
        found = {one.name: one.version for one in distributions()}
        libraries = ", ".join(f"{n} {found.get(n, 'not installed')}" for n in _LIBRARIES)
        typer.echo(f"cdec {__version__} (Python {platform.python_version()}; {libraries})")
        raise typer.Exit


@app.callback()
def options(
    version: bool = option(
        "--version",
        "Show the versions that can change a score.",
        default=False,
        callback=_show_version,
        is_eager=True,
    ),
    debug: bool = option(_DEBUG, "Show the traceback of an error.", default=False),
) -> None:
    """Declare the options of the program itself."""


def main() -> None:
    """Run the command line; an error is printed in one line and sets the exit code."""
    # Anywhere in the call: users append it to the call that has just failed.
    debug = _DEBUG in sys.argv
    sys.argv = [argument for argument in sys.argv if argument != _DEBUG]
    logging.basicConfig(format="cdec: %(message)s", level=logging.WARNING)
    if sys.stdout is None:  # closed by the shell
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # UTF-8 in every locale, as in files
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    stdout = sys.stdout
    try:
        try:
            sys.exit(app(standalone_mode=False))
        except SystemExit:
            if sys.stdout is not stdout:  # typer has replaced it, and would exit with 1
                raise BrokenPipeError from None
            stdout.flush()  # so that an error of writing is reported
            raise
    except BrokenPipeError:  # the reader has closed the pipe
        _drop_output(stdout)
        sys.exit(_CLOSED_PIPE)
    except Exception as error:
        if debug:
            raise
        if type(error).__name__ == "NoArgsIsHelpError":  # it has printed the help
            sys.exit(2)
        failure = as_cdec_error(error)
        print(line_of(failure, sys.argv[1:]), file=sys.stderr)
        _drop_output(stdout)
        sys.exit(failure.exit_code)


def _drop_output(stream: TextIO) -> None:
    """Discard the buffer of stdout if it cannot be written: Python would complain at exit."""
    with contextlib.suppress(OSError, ValueError):
        stream.flush()
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


# ---- errors ----


def line_of(error: CdecError, arguments: Sequence[str]) -> str:
    """Return the line that reports an error of a call, also of one that cannot be parsed.

    With ``--verbose`` it has the code and where that is explained; with ``--format json`` it is
    JSON, for programs.

    >>> line_of(CdecError("input-mismatch", "no key"), ["eval"])
    'cdec: error: no key'
    >>> print(line_of(CdecError("input-mismatch", "no key"), ["eval", "-v"]))
    cdec: error[input-mismatch]: no key
    cdec: on this code: docs/errors.md#input-mismatch
    """
    if {"json", "-fjson", "--format=json"} & {*arguments}:
        return json.dumps({"error": error.to_dict()}, ensure_ascii=False)
    if not any(re.fullmatch(r"-[hq]*v.*|--verbose", argument) for argument in arguments):
        return f"cdec: error: {error}"
    page = f"cdec: on this code: docs/errors.md#{error.code}"
    return f"cdec: error[{error.code}]: {error}\n{page}"


def as_cdec_error(error: Exception) -> CdecError:
    """Return ``error``, or the CdecError that describes an exception of another class."""
    if isinstance(error, CdecError):
        return error
    if isinstance(error, OSError):
        from cdec.files.input import how_to_write

        message, hint = error.strerror or str(error), how_to_write(error)
        place = error.filename or "standard output"
        return CdecError("file-unwritable", message, place=place, hint=hint)
    if hasattr(error, "format_message"):
        return _of_parser(error)
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("cdec"):
        package = "scikit-learn" if error.name == "sklearn" else error.name
        message = f"this call needs the package {package}, which is not installed"
        return CdecError("package-missing", message, hint=f"pip install {package}")
    said = one_line(f"{type(error).__name__}: {error}")
    code, message = "internal-error", f"this is a bug in cdec: {said}"
    hint = "please report it with the traceback that --debug shows"
    if isinstance(error, MemoryError):
        code, message = "file-too-large", "out of memory"
        hint = "allow the process more memory, or evaluate a smaller part"
    elif notes := getattr(error, "__notes__", []):  # the plug-in that it comes from
        code, message = "plugin-failed", f"{notes[0]}: {said}"
        hint = "report it to the authors of that package with the traceback that --debug shows"
    return CdecError(code, message, hint=hint)


def _of_parser(error: Any) -> UsageError:
    """Return the error for one of the parser: what is wrong, and which help to read."""
    message, context = one_line(error.format_message()).rstrip("."), getattr(error, "ctx", None)
    codes = {"No such": "name-unknown", "Missing": "argument-missing"}
    code = next((codes[start] for start in codes if message.startswith(start)), "argument-invalid")
    command = re.sub("^.*?cdec", "cdec", context.command_path) if context else "cdec"
    hint = f"see `{command} --help`"
    return UsageError(code, f"{message[0].lower()}{message[1:]}", hint=hint)

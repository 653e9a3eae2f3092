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
import warnings
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from cdec._version import __version__
from cdec.errors import CdecError, CdecWarning, UsageError
from cdec.rooms import added, imported

COMMANDS = {
    **dict.fromkeys(("eval", "score", "check"), "cdec.cli.score:app"),
    **dict.fromkeys(("compare", "diagnose"), "cdec.cli.analyse:app"),
    **dict.fromkeys(("predict", "tune", "train"), "cdec.cli.systems:app"),
    "corpus": "cdec.cli.corpus:app",
    "plugins": "cdec.cli.plugins:app",
    **added("command"),
}
# The panels of the first help; it does not show the other commands.
_PANELS = {
    "Score": ("eval", "score", "compare", "diagnose", "pairs", "check"),
    "Systems": ("predict", "tune", "train"),
    "Data, boards, the paper": ("corpus", "audit", "leaderboard", "reproduce"),
}
_PANEL_OF = {name: panel for panel, names in _PANELS.items() for name in names}


class Commands(Mapping[str, Any]):
    """The commands and groups by name, each imported when it is used."""

    def __getitem__(self, name: str) -> Any:
        """Return the command, or the group, as the parser needs it."""
        group = get_group(imported(COMMANDS[name]))
        found: Any = group.commands.get(name, group)
        found.name = name
        found.rich_help_panel, found.hidden = _PANEL_OF.get(name), name not in _PANEL_OF
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Program(TyperGroup):
    """The program, which imports a command when it is called."""

    def __init__(self, **facts: Any) -> None:
        super().__init__(**facts)
        self.commands: Any = Commands()

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
# Libraries that can change a score: arithmetic, assignment, tf-idf, lemmas, the second scorer.
_LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "spacy", "HanTa", "neleval")


def _version(library: str) -> str:
    try:
        return version_of(library)
    except PackageNotFoundError:
        return "not installed"


def _show_version(requested: bool) -> None:
    """Print the versions and exit if ``requested``."""
    if requested:
        libraries = ", ".join(f"{name} {_version(name)}" for name in _LIBRARIES)
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
            help="Show the versions that can change a score.",
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
    arguments = sys.argv[1:]
    logging.basicConfig(format="cdec: %(message)s", level=logging.WARNING)
    if sys.stdout is None:  # closed by the shell
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # UTF-8 in every locale, as in files
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    _show_warnings(quiet=_has(r"-[hv]*q.*|--quiet", arguments))
    try:
        _refuse_split_list(arguments)
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
        print(line_of(failure, arguments), file=sys.stderr)
        _drop_output()
        sys.exit(failure.exit_code)


def _has(form: str, arguments: Sequence[str]) -> bool:
    return any(re.fullmatch(form, argument) for argument in arguments)


def _refuse_split_list(arguments: Sequence[str]) -> None:
    """Raise UsageError for a list that a blank after its comma divides into two arguments."""
    for one, other in pairwise(arguments):
        if one.endswith(",") and not other.startswith("-"):
            message, hint = f"blank in the list '{one} {other}'", "write it without blanks"
            raise UsageError("argument-invalid", message, hint=hint)


def _show_warnings(*, quiet: bool) -> None:
    """Print the warnings of cdec in a line; none if quiet."""
    usual = warnings.showwarning

    def show(message: Warning | str, kind: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(kind, CdecWarning):
            usual(message, kind, *place, **more)
        elif not quiet:
            print(f"cdec: warning: {message}", file=sys.stderr)

    warnings.simplefilter("default", CdecWarning)
    warnings.showwarning = show  # type: ignore[assignment]


def _drop_output() -> None:
    """Discard the buffer of stdout if it cannot be written: Python would complain at exit."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# ---- errors ----

# What the parser says → code, and message in our words.
_PARSER_ERRORS = (
    (r"No such (option|command):? '?([^' ]+).*", "name-unknown", r"unknown \1 '\2'"),
    (r"Missing \w+ '(.+?)'.*", "argument-missing", r"missing \1"),
    (
        r"Invalid value for '(.+?)'.*: Input should be ([^,]+).*",
        "argument-invalid",
        r"\1 must be \2",
    ),
    (r"Invalid value for '(.+?)'.*?: (.*)", "argument-invalid", r"\1: \2"),
    (r"Got unexpected extra argument\S* \((.*)\)", "argument-invalid", r"unexpected argument: \1"),
    (r"(.*)", "argument-invalid", r"\1"),
)
_NEAR = 0.75  # similarity of a name that is suggested


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
    words = [*arguments, ""]
    formats = [
        (match[1] or following).lower()
        for argument, following in pairwise(words)
        if (match := re.fullmatch(r"(?:-[hqv]*f|--format(?:=|$))(.*)", argument))
    ]
    if "json" in formats:
        return json.dumps({"error": error.to_dict()}, ensure_ascii=False)
    if not _has(r"-[hq]*v.*|--verbose", arguments):
        return f"cdec: error: {error}"
    page = f"cdec: on this code: docs/errors.md#{error.code}"
    return f"cdec: error[{error.code}]: {error}\n{page}"


def as_cdec_error(error: Exception) -> CdecError:
    """Return ``error``, or the CdecError that describes an exception of another class."""
    if isinstance(error, CdecError):
        return error
    if isinstance(error, OSError):
        from cdec.files.input import how_to_write

        reason, hint = error.strerror or str(error), how_to_write(error)
        return CdecError("file-unwritable", reason, place=error.filename, hint=hint)
    if hasattr(error, "format_message"):
        return _of_parser(error)
    if isinstance(error, ModuleNotFoundError) and not _is_ours(error.name):
        package = "scikit-learn" if error.name == "sklearn" else error.name
        message = f"this call needs the package {package}, which is not installed"
        return CdecError("package-missing", message, hint=f"pip install {package}")
    return _of_failure(error)


def _of_failure(error: Exception) -> CdecError:
    """Return the CdecError for an exception that no user is expected to cause."""
    if isinstance(error, MemoryError):
        hint = "allow the process more memory, or evaluate a smaller part"
        return CdecError("file-too-large", "out of memory", hint=hint)
    said = " ".join(f"{type(error).__name__}: {error}".split())
    if notes := getattr(error, "__notes__", []):  # the plug-in that it comes from
        hint = "report it to the authors of that package with the traceback that --debug shows"
        return CdecError("plugin-failed", f"{notes[0]}: {said}", hint=hint)
    hint = "please report it with the traceback that --debug shows"
    return CdecError("internal-error", f"this is a bug in cdec: {said}", hint=hint)


def _is_ours(module: str | None) -> bool:
    return (module or "cdec").partition(".")[0] == "cdec"


def _of_parser(error: Any) -> UsageError:
    """Return the error for one of the parser: what is wrong, and which help to read."""
    said = " ".join(error.format_message().rstrip(".").split())
    matches = ((re.fullmatch(form, said), code, words) for form, code, words in _PARSER_ERRORS)
    match, code, words = next((m, code, words) for m, code, words in matches if m)
    path, context = ["--help"], getattr(error, "ctx", None)
    command = context and context.command
    while context and context.parent:
        path.insert(0, context.info_name)
        context = context.parent
    hint = f"see `{' '.join(['cdec', *path])}`" if command else "see --help"
    if code == "name-unknown" and command:
        options = [name for parameter in command.params for name in parameter.opts]
        known = options if match[1] == "option" else [*command.commands]
        near = get_close_matches(match[2], known, 1, _NEAR)
        hint = f"did you mean '{near[0]}'? {hint}" if near else hint
    message = match.expand(words)
    return UsageError(code, f"{message[0].lower()}{message[1:]}", hint=hint)

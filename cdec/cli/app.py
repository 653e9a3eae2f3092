"""The program ``cdec``: its commands, and what becomes of an error."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import platform
import sys
from importlib.metadata import version as version_of
from typing import Annotated

import typer

from cdec._version import __version__
from cdec.cli import (
    compare,
    diagnose,
    evaluate,
    explain,
    plugins,
    predict,
    report,
    reproduce,
    score,
    stats,
    train,
    tune,
)
from cdec.cli.audit.app import app as audit
from cdec.cli.corpus.app import app as corpus
from cdec.cli.memory import is_out_of_memory, load_numerics, out_of_memory
from cdec.errors import CdecError
from cdec.io.inputfile import how_to_write

app = typer.Typer(
    name="cdec",
    help="Evaluation of cross-document event coreference: every setting, every metric, "
    "one signature.\n\nWithout ECB+ (`cdec corpus fetch`) everything runs on a small sample.\n\n"
    "\b\n# The baselines under the strictest setting\ncdec eval --setting pure\n"
    "# Your system, its key the corpus\ncdec eval --response mine.conll\n"
    "# Any key, any response\ncdec score key.conll response.conll --scope corpus",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("eval")(evaluate.evaluate)
app.command("score")(score.score)
app.command("explain")(explain.explain)
app.command("predict")(predict.predict)
app.command("tune")(tune.tune)
app.command("train")(train.train)

app.command("compare")(compare.compare)
app.command("diagnose")(diagnose.diagnose)
app.command("report")(report.report)
app.command("reproduce")(reproduce.reproduce)
app.command("stats")(stats.stats)
app.command("plugins")(plugins.plugins)
app.add_typer(audit, name="audit")
app.add_typer(corpus, name="corpus")

_DEBUG = "--debug"
_VERBOSE = {"--verbose", "-v"}
# What can move a number: arithmetic, assignment, tf-idf, lemmas, the second scorer.
_LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "spacy", "HanTa", "neleval")


def _show_version(wanted: bool) -> None:
    """Print the versions and exit, if that is wanted."""
    if wanted:
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
            help="Show the versions that can move a number, and exit.",
        ),
    ] = False,
    debug: Annotated[bool, typer.Option(_DEBUG, help="Show a traceback with an error.")] = False,
) -> None:
    """Take the options of the program itself."""
    load_numerics()


def main() -> None:
    """Run the command line; what a user can cause ends in one line and an exit code."""
    # Anywhere on the line: one adds it to the command that has just failed.
    debug = _DEBUG in sys.argv
    sys.argv = [argument for argument in sys.argv if argument != _DEBUG]
    logging.basicConfig(format="cdec: %(message)s", level=logging.WARNING)
    _prepare_streams()
    try:
        _run()
    except BrokenPipeError:
        # The reader (head, less) has seen enough.
        _drop_output()
    except Exception as error:
        if debug:
            raise
        _fail(as_cdec_error(error))


def _prepare_streams() -> None:
    """Write UTF-8 whatever the locale, as files do; open what the caller closed."""
    for name, number in (("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is None:
            setattr(sys, name, _stand_in(number))
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _stand_in(number: int) -> io.TextIOWrapper:
    """Return a stream in the place of a closed one: stderr swallows, stdout fails when written to.

    With the descriptor taken no file that is opened later gets it, and what others print.
    """
    free = os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_WRONLY)
    if free != number:
        os.dup2(free, number)
        os.close(free)
    os.set_inheritable(number, True)
    return open(number, "w", encoding="utf-8", closefd=False)


def _run() -> None:
    """Run the command; what is still in the buffer is written while an error can be told."""
    try:
        app()
    except SystemExit:  # how typer ends a command, however it went
        sys.stdout.flush()
        raise


def as_cdec_error(error: Exception) -> CdecError:
    """Return the error as a CdecError: itself, or one with a code for what it means."""
    if isinstance(error, CdecError):
        return error
    if is_out_of_memory(error):
        return out_of_memory()
    if isinstance(error, OSError):
        reason, hint = error.strerror or str(error), how_to_write(error)
        return CdecError("file-unwritable", reason, place=error.filename, hint=hint)
    description = " ".join(f"{type(error).__name__}: {error}".split())
    notes = getattr(error, "__notes__", [])
    if notes:
        hint = "report it to the authors of that package, with the traceback that --debug shows"
        return CdecError("plugin-failed", f"{notes[0]}: {description}", hint=hint)
    hint = "please report it, with the traceback that --debug shows"
    return CdecError("internal-error", f"this is a bug of cdec: {description}", hint=hint)


def _fail(error: CdecError) -> None:
    code = f"[{error.code}]" if _VERBOSE.intersection(sys.argv) else ""
    print(f"cdec: error{code}: {error}", file=sys.stderr)
    _drop_output()
    sys.exit(error.exit_code)


def _drop_output() -> None:
    """Forget what stdout still holds: Python must not complain when it cannot flush it."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

"""Entry point of the program ``cdec``: its signals, its streams and its errors."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import logging
import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

from cdec.errors import CdecError, UsageError, one_line

GRACE_SECONDS = 2.0
_COLLECTION = (100_000, 50, 50)
_STOPPING = ("SIGINT", "SIGTERM", "SIGHUP")
_CLOSED_PIPE = 141  # 128 + SIGPIPE, as other programs
_DEBUG = "--debug"
_HAS_TIMER = hasattr(signal, "setitimer")  # Windows has none


class Stop:
    """Handler of signals: it exits with 128 + the signal number, after cleaning up.

    A second signal within GRACE_SECONDS is ignored: `timeout` and terminals signal both a process
    and its group, and the second signal must not interrupt the removal of incomplete files.

    Python drops an exception that a handler raises inside a finaliser or the callback of a weak
    reference, of which each import has one. So a timer asks again, until the exit is under way.
    """

    _first = -GRACE_SECONDS
    _exit: SystemExit | None = None

    @contextlib.contextmanager
    def handling(self) -> Iterator[None]:
        """Handle the signals; those that the caller ignores (nohup) stay ignored."""
        # Windows has no SIGHUP.
        numbers = [getattr(signal, name) for name in _STOPPING if hasattr(signal, name)]
        caught = [
            number for number in numbers if signal.getsignal(number) != signal.SIG_IGN
        ]
        for number in caught:
            signal.signal(number, self._leave)
        try:
            yield
        finally:
            # Nothing is left to clean up, and at exit Python would print an exception.
            for number in caught:
                signal.signal(number, signal.SIG_DFL)
            if self._exit is not None and _HAS_TIMER:
                signal.setitimer(signal.ITIMER_REAL, 0)

    def _leave(self, number: int, _: FrameType | None) -> None:
        now = time.monotonic()
        if now - self._first >= GRACE_SECONDS:
            self._first = now
            if number == signal.SIGINT:
                os.write(2, b"\ncdec: interrupted\n")  # print is not safe in a handler
            self._exit = SystemExit(128 + number)
            if _HAS_TIMER:
                signal.signal(signal.SIGALRM, self._ask_again)
                signal.setitimer(signal.ITIMER_REAL, GRACE_SECONDS, GRACE_SECONDS)
            raise self._exit

    def _ask_again(self, _number: int, _: FrameType | None) -> None:
        """Exit, unless the exit is being handled: then files are being removed."""
        if self._exit is not None and sys.exception() is not self._exit:
            raise self._exit


def main() -> None:
    """Run the command line; an error is printed in one line and sets the exit code.

    SIGTERM and SIGHUP end it without a message, SIGINT with one.
    """
    # A run imports and reads many objects that all stay: with Python's default thresholds the
    # search for cycles among them takes a tenth of a short run.
    gc.set_threshold(*_COLLECTION)
    with Stop().handling():
        # Anywhere in the call: users append it to the call that has just failed.
        debug = _DEBUG in sys.argv
        sys.argv = [argument for argument in sys.argv if argument != _DEBUG]
        logging.basicConfig(format="cdec: %(message)s", level=logging.WARNING)
        if sys.stdout is None:  # closed by the shell
            sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
        for stream in (sys.stdout, sys.stderr):
            if isinstance(
                stream, io.TextIOWrapper
            ):  # UTF-8 in every locale, as in files
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        stdout = sys.stdout
        try:
            from cdec.cli.command import (
                program,  # takes a moment, in which signals are handled
            )

            try:
                sys.exit(program(standalone_mode=False))
            except SystemExit:
                if (
                    sys.stdout is not stdout
                ):  # typer has replaced it, and would exit with 1
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
    if not any(
        re.fullmatch(r"-[hq]*v.*|--verbose", argument) for argument in arguments
    ):
        return f"cdec: error: {error}"
    return (
        f"cdec: error[{error.code}]: {error}\n"
        f"cdec: on this code: docs/errors.md#{error.code}"
    )


def as_cdec_error(error: Exception) -> CdecError:
    """Return ``error``, or the CdecError that describes an exception of another class."""
    if isinstance(error, CdecError):
        return error
    if isinstance(error, OSError):
        from cdec.files.input import how_to_write

        return CdecError(
            "file-unwritable",
            error.strerror or str(error),
            place=error.filename or "standard output",
            hint=how_to_write(error),
        )
    if hasattr(error, "format_message"):
        return _of_parser(error)
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith(
        "cdec"
    ):
        package = "scikit-learn" if error.name == "sklearn" else error.name
        return CdecError(
            "package-missing",
            f"this call needs the package {package}, which is not installed",
            hint=f"pip install {package}",
        )
    if isinstance(error, MemoryError):
        return CdecError(
            "file-too-large",
            "out of memory",
            hint="allow the process more memory, or evaluate a smaller part",
        )
    text = one_line(f"{type(error).__name__}: {error}")
    code = "internal-error"
    message = f"this is a bug in cdec: {text}"
    hint = "please report it with the traceback that --debug shows"
    notes = getattr(error, "__notes__", [])
    if notes:  # the plug-in that it comes from
        code = "plugin-failed"
        message = f"{notes[0]}: {text}"
        hint = "report it to the authors of that package with the traceback that --debug shows"
    return CdecError(code, message, hint=hint)


def _of_parser(error: Any) -> UsageError:
    """Return the error for one of the parser: what is wrong, and which help to read."""
    message = one_line(error.format_message()).rstrip(".")
    code = "argument-invalid"
    if message.startswith("No such"):
        code = "name-unknown"
    elif message.startswith("Missing"):
        code = "argument-missing"
    command = "cdec"
    context = getattr(error, "ctx", None)
    if context:
        command = re.sub("^.*?cdec", "cdec", context.command_path)
    return UsageError(
        code, f"{message[0].lower()}{message[1:]}", hint=f"see `{command} --help`"
    )

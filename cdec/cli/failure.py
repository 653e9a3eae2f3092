"""The error of a command: its code, and the line that is printed for it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from cdec.errors import CdecError, UsageError
from cdec.files.input import how_to_write

_VERBOSE, _QUIET = re.compile(r"-[hq]*v.*|--verbose"), re.compile(r"-[hv]*q.*|--quiet")
_FORMAT = re.compile(r"(?:-[hqv]*f|--format(?:=|$))(.*)")
# What the parser says → code, and message in our words.
_PARSER_ERRORS = (
    (r"No such (option|command):? '?([^' ]+).*", "name-unknown", r"unknown \1 '\2'"),
    (r"Missing \w+ '(.+?)'.*", "argument-missing", r"missing \1"),
    (r"Invalid value for '(.+?)'.*: Input should be ([^,]+).*", "option-invalid", r"\1 must be \2"),
    (r"Invalid value for '(.+?)'.*?: (.*)", "option-invalid", r"\1: \2"),
    (r"Got unexpected extra argument\S* \((.*)\)", "call-invalid", r"unexpected argument: \1"),
    (r"(.*)", "call-invalid", r"\1"),
)
_NEAR = 0.75  # similarity of a name that is suggested


@dataclass(frozen=True)
class ErrorFormat:
    """How errors are printed: ``verbose`` adds the code and its page, ``json`` is for programs.

    ``quiet`` leaves out warnings.

    >>> error = CdecError("key-missing", "no key")
    >>> ErrorFormat().line(error)
    'cdec: error: no key'
    >>> print(ErrorFormat(verbose=True).line(error))
    cdec: error[key-missing]: no key
    cdec: on this code: docs/errors.md#key-missing
    """

    verbose: bool = False
    json: bool = False
    quiet: bool = False

    @classmethod
    def from_arguments(cls, arguments: Sequence[str]) -> ErrorFormat:
        """Return the format that these arguments ask for, even where they cannot be parsed.

        Only ``--format json`` asks for JSON: a file that ends in .json does not.

        >>> ErrorFormat.from_arguments(["eval", "-qv", "--format=json"])
        ErrorFormat(verbose=True, json=True, quiet=True)
        """
        following = [*arguments[1:], ""]
        formats = [
            (match[1] or value).lower()
            for argument, value in zip(arguments, following, strict=False)
            if (match := _FORMAT.fullmatch(argument))
        ]
        verbose, quiet = (any(map(one.fullmatch, arguments)) for one in (_VERBOSE, _QUIET))
        return cls(verbose, "json" in formats, quiet)

    def line(self, error: CdecError) -> str:
        """Return the line that reports ``error``."""
        if self.json:
            return json.dumps({"error": error.to_dict()}, ensure_ascii=False)
        if not self.verbose:
            return f"cdec: error: {error}"
        page = f"cdec: on this code: docs/errors.md#{error.code}"
        return f"cdec: error[{error.code}]: {error}\n{page}"


def as_cdec_error(error: Exception) -> CdecError:
    """Return ``error``, or the CdecError that describes an exception of another class."""
    if isinstance(error, CdecError):
        return error
    if isinstance(error, MemoryError):
        hint = "allow the process more memory, or evaluate a smaller part"
        return CdecError("out-of-memory", "out of memory", hint=hint)
    if isinstance(error, OSError):
        reason, hint = error.strerror or str(error), how_to_write(error)
        return CdecError("file-unwritable", reason, place=error.filename, hint=hint)
    if hasattr(error, "format_message"):
        return _of_parser(error)
    return _unexpected(error)


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


def _unexpected(error: Exception) -> CdecError:
    """Return the error for a bug: of the plug-in that the notes name, otherwise of cdec."""
    description = " ".join(f"{type(error).__name__}: {error}".split())
    if notes := getattr(error, "__notes__", []):
        hint = "report it to the authors of that package with the traceback that --debug shows"
        return CdecError("plugin-failed", f"{notes[0]}: {description}", hint=hint)
    hint = "please report it with the traceback that --debug shows"
    return CdecError("internal-error", f"this is a bug in cdec: {description}", hint=hint)

"""Strict JSON: NaN and duplicate keys are errors; errors name the line where it is known.

So is a value nested deeper than ``DEEPEST``: Python's own limit depends on the caller, and what
it lets through, functions that show or write the value do not.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, NoReturn

from cdec.errors import CdecError
from cdec.files.input import Fail, FileKind
from cdec.records import Row

DEEPEST = 100
_SHOWN = 40
CUT = "ends in the middle of a record"
_CUT_VALUE = re.compile(r"[\w\\+.-]*\s*")  # what may be left of a text after the error
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not valid JSON")


def _unique(pairs: list[tuple[str, object]]) -> Row:
    value = dict(pairs)
    if len(value) < len(pairs):
        duplicate, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"duplicate key '{duplicate[:40]}' in one object")
    return value


_DECODER = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_unique)
_FLAT = json.JSONDecoder(parse_constant=_refuse)


def parse(text: str) -> Any:
    """Return the value of a JSON text; raises ValueError if it is not strict JSON."""
    try:
        value = _flat(text)
        if value is None:
            value = _DECODER.decode(text)
        if text.count("[") + text.count("{") > DEEPEST:
            _refuse_deep(value, DEEPEST)
        if "\\" in text and _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("too deeply nested") from None
    except UnicodeEncodeError:
        raise ValueError(
            "string contains an unpaired surrogate (invalid Unicode)"
        ) from None
    return value


def _flat(text: str) -> Row | None:
    """Return the object of a text, None if it may be another value or have a key twice.

    An object without another one inside, and without a colon in a string, has as many colons as
    keys are written: fewer different keys are found by their number.
    """
    if text[:1] != "{":
        return None
    try:
        value, end = _FLAT.raw_decode(text)
    except ValueError:
        return None
    is_whole = end == len(text) and len(value) == text.count(":")
    return value if is_whole else None


def parse_lines(lines: Sequence[str]) -> list[Row] | None:
    """Return the objects of lines, None if a line may be more or less than one that is flat.

    Together they take half the time. A line break between objects is outside of strings, because
    JSON does not allow it inside; keys are counted as in one object.
    """
    are_closed = all(line[:1] == "{" and line[-1:] == "}" for line in lines)
    text = ",\n".join(lines)
    brackets = max(map(str.count, lines, repeat("[")))
    if not are_closed or brackets > DEEPEST or "\\" in text:
        return None
    try:
        values = _FLAT.decode(f"[{text}]")
    except ValueError:
        return None
    if len(values) == len(lines) and sum(map(len, values)) == text.count(":"):
        return list(values)
    return None


def _refuse_deep(value: Any, levels: int) -> None:
    if levels < 0:
        raise RecursionError
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, dict | list):
            _refuse_deep(item, levels - 1)


def located(error: ValueError, text: str) -> tuple[int, str]:
    """Return the line of a JSON error, 0 if unknown, and its description.

    >>> located(json.JSONDecodeError("Expecting value", '{"a": nul', 6), '{"a": nul') == (1, CUT)
    True
    """
    last_line = text.rstrip().count("\n") + 1
    if not isinstance(error, json.JSONDecodeError):
        # The parser gives no line: only a text of one line has it.
        return (1 if last_line == 1 else 0), str(error)
    is_cut = error.msg.startswith("Unterminated string")
    if error.msg != "Extra data" and error.pos > 0:
        is_cut = is_cut or _CUT_VALUE.fullmatch(text, error.pos) is not None
    if is_cut:
        return last_line, CUT
    return error.lineno, f"{error.msg}, column {error.colno}"


def parse_at(text: str, line: int, fail: Fail, *, last: bool = False) -> Any:
    """Return the JSON value of ``text``, which begins in ``line``; raises the error of ``fail``.

    ``last``: the file ends with this text.
    """
    try:
        return parse(text)
    except ValueError as error:
        line_in_text, reason = located(error, text)
        place = 0
        hint = "fix the file"
        if line_in_text > 0:
            place = line + line_in_text - 1
            hint = "fix this line"
        if reason == CUT:
            reason = f"the {'file' if last else 'line'} {CUT}"
            hint = "write the file again: it may be truncated"
        raise fail("file-invalid", place, f"invalid JSON: {reason}", hint) from None


def shown(value: object) -> str:
    """Return a value for a message, in at most 40 characters.

    >>> shown(None), shown(True), shown([1, 2]), shown(10**20)
    ('null', 'true', '[1, 2]', 'a huge number')
    """
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int) and abs(value) >= 10**15:  # which may have no text
        return "a huge number"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def read_json(path: Path, kind: FileKind) -> Any:
    """Return the JSON value of a file; raises the error of ``kind``."""

    def fail(_code: str, line: int, message: str, _hint: str) -> CdecError:
        return kind.refuse(f"{path}:{line}" if line else path, message)

    return parse_at(kind.read_text(path), 1, fail, last=True)

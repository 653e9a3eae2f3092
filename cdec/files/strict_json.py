"""Strict JSON: NaN and duplicate keys are errors; errors name the line where it is known.

So is a value nested deeper than ``DEEPEST``: Python's own limit depends on the caller, and what
it lets through, functions that show or write the value do not.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

from cdec.files.inputfile import FileKind
from cdec.files.source import Fail

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
DEEPEST = 100
_LONG = "integer with thousands of digits"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not valid JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        duplicate, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"duplicate key '{duplicate[:40]}' in one object")
    return value


_DECODER = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_unique)


def parse(text: str) -> Any:
    """Return the value of a JSON text; raises ValueError if it is not strict JSON."""
    bare = text.rstrip()
    try:
        value, end = _DECODER.raw_decode(bare, len(bare) - len(bare.lstrip()))
        if bare.count("[") + bare.count("{") > DEEPEST:
            _refuse_deep(value)
        if "\\" in bare and _SURROGATE.search(bare):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("too deeply nested") from None
    except UnicodeEncodeError:
        raise ValueError("string contains an unpaired surrogate (invalid Unicode)") from None
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        raise ValueError(_LONG if str(error).startswith("Exceeds the limit") else error) from None
    if end < len(bare):
        raise json.JSONDecodeError("Extra data", text, end)
    return value


def _refuse_deep(value: Any) -> None:
    """Raise RecursionError if ``value`` is nested deeper than DEEPEST."""
    level: list[Any] = [[value]]
    for _ in range(DEEPEST + 1):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return
    raise RecursionError


def parse_at(text: str, line: int, fail: Fail) -> Any:
    """Return the JSON value of ``text``, which begins in ``line``; raises the error of ``fail``."""
    try:
        return parse(text)
    except ValueError as error:
        at, reason = located(error, text)
        hint = "fix this line" if at else "fix the file"
        place = line + at - 1 if at else 0
        raise fail("json-invalid", place, f"invalid JSON: {reason}", hint) from None


def read_json(path: Path, kind: FileKind) -> Any:
    """Return the JSON value of a file; raises the error of ``kind``."""
    text = kind.read_text(path)
    try:
        return parse(text)
    except ValueError as error:
        at, reason = located(error, text)
        raise kind.refuse(f"{path}:{at}" if at else path, f"invalid JSON: {reason}") from None
    except MemoryError:
        raise kind.too_large(path, "the memory") from None


def located(error: ValueError, text: str) -> tuple[int, str]:
    """Return the line of a JSON error, 0 if unknown, and its description."""
    if isinstance(error, json.JSONDecodeError):
        return error.lineno, f"{error.msg}, column {error.colno}"
    return next((n for n, line in enumerate(text.split("\n"), 1) if _is_odd(line)), 0), str(error)


def _is_odd(line: str) -> bool:
    """Return whether a line alone is valid but not strict JSON; the parser gives no line for it."""
    try:
        parse(line)
    except json.JSONDecodeError:
        return False
    except ValueError:
        return True
    return False

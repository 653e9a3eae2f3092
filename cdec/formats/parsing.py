"""Strict JSON: no NaN, no key twice, and errors that name the place."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from cdec.errors import FormatError
from cdec.formats.source import Source


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key '{twice[:40]}' stands twice in one object")
    return value


_DECODER = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_unique)


def parse(text: str) -> Any:
    """Return the value of a JSON text; raises ValueError for anything that is not strict JSON."""
    bare = text.rstrip()
    try:
        value, end = _DECODER.raw_decode(bare, len(bare) - len(bare.lstrip()))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if end < len(bare):
        raise json.JSONDecodeError("Extra data", text, end)
    return value


def parse_at(source: Source, text: str, line: int) -> Any:
    """Return the JSON value that begins in ``line``; raises FormatError with its place."""
    try:
        return parse(text)
    except json.JSONDecodeError as error:
        raise _bad(source, line + error.lineno - 1, f"{error.msg}, column {error.colno}") from None
    except ValueError as error:
        raise _bad(source, line, str(error)) from None


def _bad(source: Source, line: int, reason: str) -> FormatError:
    return source.error(line, f"bad JSON: {reason}", "check this line")

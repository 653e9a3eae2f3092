"""The declaration of a response file: what its system used and was trained on.

A file may begin with one JSON object, on its first line that is not blank:

* CoNLL, CSV, TSV: a comment, ``# cdec: {"uses": {"mentions": "gold"}, "seed": 3}``;
* JSON Lines: a first record, ``{"cdec": {"uses": {"mentions": "gold"}, "seed": 3}}``;

``uses`` says for mentions, sentences, topics, pairs and singletons whether the system used those of
the gold annotation, predicted them, or did without; ``trained_on`` and ``tuned_on`` name data,
``seed`` the run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, get_args

from cdec.errors import FormatError
from cdec.io.source import Source
from cdec.io.strict_json import parse

_COMMENT = re.compile(r"\s*#\s*cdec:\s*(.*)", re.DOTALL)
_FIRST_LINE = re.compile(rb"[^\s\xef\xbb\xbf][^\r\n]*")  # after a byte-order mark
_NAME = "cdec"
_LONGEST = 200
Use = Literal["gold", "predicted", "none"]
_USES = ("mentions", "sentences", "topics", "pairs", "singletons")
_HINT = 'write {"uses": {"mentions": "gold"}, "trained_on": "ecb+ train", "seed": 1}'


def without_declaration(source: Source) -> tuple[Source, dict[str, Any]]:
    r"""Return the source without its declaration, and the declared values by name.

    The values are ``uses.mentions`` and so on as ``mentions``, and trained_on, tuned_on and seed.
    The line becomes blank, so that line numbers remain. Raises FormatError with ``file:line`` for
    an invalid declaration.

    >>> source = Source("mine.csv", '# cdec: {"seed": 3}\ndoc,start,end,chain\n', "0")
    >>> without_declaration(source)[1]
    {'seed': 3}
    """
    data = source.data
    first = _FIRST_LINE.search(data)
    if first is None:
        return source, {}
    number = data.count(b"\n", 0, first.start()) + 1
    declared, rest = _declared(source, first[0].decode("utf-8", "replace"), number)
    if declared is None:
        return source, {}
    content = data[: first.start()] + rest.encode() + data[first.end() :]
    return replace(source, content=content, path=""), _checked(source, declared, number)


def _declared(source: Source, line: str, number: int) -> tuple[object, str]:
    """Return the declared object (None without) and what remains of the line."""
    comment = _COMMENT.match(line)
    if comment:
        try:
            return parse(comment[1]), ""
        except ValueError as error:
            raise _invalid(source, number, f"invalid JSON: {error}") from None
    if f'"{_NAME}"' not in line or not line.lstrip().startswith("{"):
        return None, line
    try:
        record = parse(line)
    except ValueError:  # a JSON file of several lines, or an error that its reader reports
        return None, line
    if not isinstance(record, dict) or _NAME not in record:
        return None, line
    rest = {name: value for name, value in record.items() if name != _NAME}
    return record[_NAME], json.dumps(rest, ensure_ascii=False) if rest else ""


def _checked(source: Source, declared: object, number: int) -> dict[str, Any]:
    """Return the declared values by name, in a fixed order; None counts as missing."""
    uses = declared.get("uses", {}) if isinstance(declared, dict) else {}
    if not isinstance(declared, dict) or not isinstance(uses, dict):
        raise _invalid(source, number, "it and 'uses' must be objects")
    given = {f"uses.{name}": value for name, value in uses.items()}
    given |= {name: value for name, value in declared.items() if name != "uses"}
    for name, value in given.items():
        if name not in _FIELDS:
            raise _invalid(source, number, f"unknown field '{name}'")
        is_valid, expected = _FIELDS[name]
        if value is not None and not is_valid(value):
            raise _invalid(source, number, f"{name} must be {expected}")
    present = (name for name in _FIELDS if given.get(name) is not None)
    return {name.removeprefix("uses."): given[name] for name in present}


def _is_use(value: object) -> bool:
    return value in get_args(Use)


def _is_text(value: object) -> bool:
    return type(value) is str and 0 < len(value) <= _LONGEST


def _is_integer(value: object) -> bool:
    return type(value) is int


_A_USE, _A_TEXT = "gold, predicted or none", f"a text of at most {_LONGEST} characters"
_FIELDS: dict[str, tuple[Callable[[object], bool], str]] = {
    **{f"uses.{name}": (_is_use, _A_USE) for name in _USES},
    "trained_on": (_is_text, _A_TEXT),
    "tuned_on": (_is_text, _A_TEXT),
    "seed": (_is_integer, "an integer"),
}


def _invalid(source: Source, line: int, reason: str) -> FormatError:
    return source.error("declaration-invalid", line, f"not a valid declaration: {reason}", _HINT)

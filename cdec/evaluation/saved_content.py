"""What a file of saved results holds, checked before anything is made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from cdec.metrics import REGISTRY
from cdec.metrics.scores import COUNT_COLUMNS

_NAMED = ("system", "setting")
_ROW = ("unit", "system", "setting", "metric")
_SCORES = ("precision", "recall", "f1")
_ENDS = tuple(f"{name}_{end}" for name in _SCORES for end in ("low", "high"))
# The numbers of a row, and the largest that each can be; rounding may lift a score a little.
_NUMBERS = {(*_SCORES, *_ENDS): 1 + 1e-9, COUNT_COLUMNS: 1e18}
WHOLE = "micro"
Fields = dict[str, Any]


def sound(content: Any) -> tuple[list[Fields], list[Fields], str | None]:
    """Return signatures, rows and the kind of unit; raises ValueError where they are not sound."""
    if not isinstance(content, dict) or not {"signatures", "rows"} <= set(content):
        raise ValueError("no signatures and rows in it")
    by = content.get("by")
    if not isinstance(by, str | None):
        raise ValueError("'by' is no text")  # noqa: TRY004
    signatures = _objects("signature", content["signatures"], _NAMED)
    rows = _objects("row", content["rows"], _ROW if by else _ROW[1:])
    for number, row in enumerate(rows, start=1):
        _check_row(row, f"row {number}")
    names = [tuple(signature[name] for name in _NAMED) for signature in signatures]
    _refuse_repeated("signature", names)
    _refuse_repeated("row", (tuple(str(row.get(name, "")) for name in _ROW) for row in rows))
    whole = {tuple(row[name] for name in _NAMED) for row in rows if not by or row["unit"] == WHOLE}
    lost = next((name for name in names if name not in whole), None)
    if lost:
        raise ValueError(f"no row of {', '.join(lost)}")
    return signatures, rows, by


def _objects(kind: str, values: Any, texts: Iterable[str]) -> list[Fields]:
    """Return a list of objects that have ``texts``, each a text."""
    if not isinstance(values, list) or not values:
        raise ValueError(f"no {kind}s in it")
    for number, value in enumerate(values, start=1):
        for name in texts:
            if not isinstance(value, dict) or not isinstance(value.get(name), str):
                raise ValueError(f"{kind} {number} has no {name}")  # noqa: TRY004
    return values


def _check_row(row: Fields, where: str) -> None:
    """Raise ValueError for an unknown metric or a number out of range; null is a missing number."""
    if row["metric"] not in REGISTRY:
        raise ValueError(f"{where}: unknown metric '{row['metric']}'")
    for names, most in _NUMBERS.items():
        for name in names:
            value: Any = row.get(name)
            if value is None and name != "f1":
                continue
            if type(value) not in (int, float) or not 0 <= value <= most:
                raise ValueError(f"{where}: {name} is {value!s:.40}, not from 0 to {most:g}")


def _refuse_repeated(kind: str, names: Iterable[tuple[Any, ...]]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"the {kind} of {', '.join(filter(None, name))} stands {count} times")

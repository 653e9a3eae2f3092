"""A JSON object of an audit's file, taken apart field by field: nothing is passed over."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from math import isfinite
from typing import Any

_SHOWN = 40


class Record:
    """The fields of a JSON object; ``name`` is what messages call it.

    Every method raises ValueError, with a message for people, where the field is missing or holds
    something else.
    """

    def __init__(self, value: object, name: str, known: Collection[str] | None = None) -> None:
        if not isinstance(value, dict):
            raise ValueError(f"{name} is no object but {_shown(value)}")  # noqa: TRY004
        self.fields: dict[str, Any] = value
        self.name = name
        unknown = [field for field in value if known is not None and field not in known]
        if unknown:
            near = get_close_matches(unknown[0], known or (), n=1)
            hint = f", did you mean '{near[0]}'?" if near else ""
            raise ValueError(f"{name} has an unknown field '{unknown[0]}'{hint}")

    def text(self, field: str, default: str | None = None) -> str:
        """Return a text."""
        value = self._value(field, default)
        if not isinstance(value, str):
            raise self._bad(field, value, "a text")
        return value

    def choice(self, field: str, known: Collection[str]) -> str:
        """Return a text that is one of ``known``."""
        value = self.text(field)
        if value not in known:
            raise ValueError(f"{self.name}: '{field}' is '{value}', not {', '.join(known)}")
        return value

    def number(self, field: str) -> float:
        """Return a finite number."""
        value = self._value(field)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._bad(field, value, "a number")
        try:
            number = float(value)
        except OverflowError:
            number = float("inf")
        if not isfinite(number):
            raise self._bad(field, value, "a finite number")
        return number

    def share(self, field: str) -> float:
        """Return a number from 0 to 1."""
        number = self.number(field)
        if not 0 <= number <= 1:
            raise self._bad(field, number, "a number from 0 to 1")
        return number

    def texts(self, field: str, default: list[str] | None = None) -> tuple[str, ...]:
        """Return a list of texts that are not blank."""
        return texts(self._value(field, default), f"{self.name}: '{field}'")

    def items(self, field: str) -> list[Any]:
        """Return a list of anything."""
        value = self._value(field)
        if not isinstance(value, list):
            raise self._bad(field, value, "a list")
        return value

    def record(self, field: str, known: Collection[str] | None = None) -> Record:
        """Return an object."""
        return Record(self._value(field), f"{self.name}: '{field}'", known)

    def _value(self, field: str, default: object = None) -> Any:
        if field not in self.fields and default is None:
            raise ValueError(f"{self.name} has no '{field}'")
        return self.fields.get(field, default)

    def _bad(self, field: str, value: object, wanted: str) -> ValueError:
        return ValueError(f"{self.name}: '{field}' is {_shown(value)}, not {wanted}")


def texts(value: object, name: str) -> tuple[str, ...]:
    """Return a list of texts that are not blank; raises ValueError for anything else."""
    if not isinstance(value, list):
        raise ValueError(f"{name} is {_shown(value)}, not a list of texts")  # noqa: TRY004
    for item in value:
        if not isinstance(item, str) or not item.strip():
            raise ValueError(f"{name} holds {_shown(item)}, not a text")
    return tuple(value)


def _shown(value: object) -> str:
    kinds = {dict: "an object", list: "a list", type(None): "null"}
    if type(value) in kinds:
        return kinds[type(value)]
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**15 else "a huge number"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"

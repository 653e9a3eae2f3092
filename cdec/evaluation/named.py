"""Several responses as a dict: name of a system → response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard


@dataclass(frozen=True, eq=False)
class Named:
    """A response in any form, and the name of its system in the results."""

    name: str
    response: Any


def is_several(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Return whether a value is a dict of responses, rather than one of mentions.

    A mention is a tuple or has a ``/`` in its id; the name of a system has none.

    >>> is_several({"mine": "mine.conll"}), is_several({"1_1ecb/5": "fire"})
    (True, False)
    """
    if not isinstance(value, Mapping) or not value:
        return False
    return all(isinstance(name, str) and "/" not in name for name in value)

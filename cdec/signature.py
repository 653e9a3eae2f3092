"""The signature: one line that says how to get a result again (the idea is sacreBLEU's)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cdec._version import __version__

# Twelve hexadecimal digits name a corpus without doubt and still fit on the line.
_SHORT_DIGEST = 12


@dataclass(frozen=True)
class Signature:
    """Ordered choices that can move a number, as name → value.

    A tuple stands for several results together: the values that occur in them.
    """

    fields: Mapping[str, Any]

    @classmethod
    def of(cls, **fields: Any) -> Signature:
        """Return a signature with these fields, less those that are None, and the version."""
        known = {name: value for name, value in fields.items() if value is not None}
        return cls({**known, "cdec": __version__})

    def __str__(self) -> str:
        return "|".join(f"{name}:{_short(name, value)}" for name, value in self.fields.items())

    def to_dict(self) -> dict[str, Any]:
        """Return the fields in full, for JSON."""
        return dict(self.fields)


def _short(name: str, value: Any) -> str:
    if isinstance(value, tuple):
        return "+".join(_short(name, one) for one in value)
    if name.endswith("digest"):
        return str(value)[:_SHORT_DIGEST]
    if isinstance(value, Mapping):
        return ",".join(f"{key}={_plain(item)}" for key, item in value.items()) or "-"
    return _plain(value)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

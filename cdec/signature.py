"""The signature: one line that says how to get a result again (the idea is sacreBLEU's)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cdec._version import __version__

# Twelve hexadecimal digits name a corpus without doubt and still fit on the line.
_SHORT_DIGEST = 12


@dataclass(frozen=True)
class Signature:
    """Ordered choices that can move a number, as name → value.

    A tuple stands for several results together: the values that occur in them.

    >>> print(Signature({"corpus": "mine", "split": "test", "setting": ("simple", "pure")}))
    corpus:mine|split:test|setting:simple+pure
    """

    fields: Mapping[str, Any]

    @classmethod
    def from_fields(cls, **fields: Any) -> Signature:
        """Return a signature with these fields, less those that are None, and the version."""
        known = {name: value for name, value in fields.items() if value is not None}
        return cls({**known, "cdec": __version__})

    def __str__(self) -> str:
        return "|".join(f"{name}:{_short(name, value)}" for name, value in self.fields.items())

    def to_dict(self) -> dict[str, Any]:
        """Return the fields in full, for JSON."""
        return dict(self.fields)


def in_json(*signatures: Signature) -> dict[str, Any]:
    """Return what stands in every JSON: one line for all together, and each in full.

    >>> in_json(Signature({"corpus": "mine", "setting": "pure"}))
    {'signature': 'corpus:mine|setting:pure', 'signatures': [{'corpus': 'mine', 'setting': 'pure'}]}
    """
    return {
        "signature": str(merged(signatures)),
        "signatures": [dict(signature.fields) for signature in signatures],
    }


def merged(signatures: Iterable[Signature]) -> Signature:
    """Return one signature whose fields list, in order, the values that occur."""
    given = list(signatures)
    # The longest first: its order holds what the others leave out. The version closes the line.
    longest_first = sorted(given, key=lambda signature: -len(signature.fields))
    names = dict.fromkeys(name for signature in longest_first for name in signature.fields)
    fields: dict[str, Any] = {}
    for name in sorted(names, key=lambda name: name == "cdec"):
        values = [s.fields[name] for s in given if name in s.fields]
        distinct = [value for i, value in enumerate(values) if value not in values[:i]]
        fields[name] = distinct[0] if len(distinct) == 1 else tuple(distinct)
    return Signature(fields)


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

r"""The signature: one line with every choice behind a result (the idea is sacreBLEU's).

Names and values are printable in it: ``|`` (which separates the fields), the backslash and control
characters are written as in Python, as in ``a\x7cb``.

The line is short: parameters with their default value are folded into the version of the system's
defaults, as in ``system:sac@1``, and the metrics shown by default into that of the scorer, as in
``scorer:cdec@2`` (``configs/defaults.toml``). A line without
such a version or metrics is of all metrics. JSON has every field in full.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cdec._version import __version__
from cdec.configs import read_toml
from cdec.errors import escaped

# Twelve hexadecimal digits identify a corpus and fit on the line.
_SHORT_DIGEST = 12
_DEFAULT = "default"
_METRICS = "metrics"
_SCORER = "scorer"
# Values that the line leaves out: the version of cdec says what all metrics are.
_FOLDED = {_METRICS: "all"}
_ESCAPED = str.maketrans({"|": r"\x7c", "\\": r"\\"})


@dataclass(frozen=True)
class Signature:
    """Ordered choices that affect the scores, as name → value.

    A tuple holds the distinct values of several results. ``parts`` are the signatures that were
    merged into this one.

    >>> print(Signature({"corpus": "mine", "split": "test", "setting": ("simple", "pure")}))
    corpus:mine|split:test|setting:simple+pure
    >>> print(Signature({"system": "lemma-delta", "nlp": "mine", "delta": 0.3}))
    system:lemma-delta@1|nlp:mine
    """

    fields: Mapping[str, Any]
    parts: tuple[Signature, ...] = field(default=(), repr=False, compare=False)

    @classmethod
    def from_fields(cls, **fields: Any) -> Signature:
        """Return a signature with these fields, except those that are None, and the version."""
        known = {name: value for name, value in fields.items() if value is not None}
        return cls({**known, "cdec": __version__})

    def __str__(self) -> str:
        shown = []
        for name in self.fields:
            parts = [part.fields for part in self.parts or (self,) if name in part.fields]
            texts = list(dict.fromkeys(_folded(name, fields) for fields in parts))
            if not {*texts} <= {_DEFAULT, _FOLDED.get(name)}:
                shown.append(f"{name}:{'+'.join(texts)}".translate(_ESCAPED))
        return escaped("|".join(shown))


def in_json(*signatures: Signature) -> dict[str, Any]:
    """Return the fields of JSON output: the line of all signatures, and each in full.

    >>> in_json(Signature({"corpus": "mine", "setting": "pure"}))
    {'signature': 'corpus:mine|setting:pure', 'signatures': [{'corpus': 'mine', 'setting': 'pure'}]}
    """
    whole = signatures[0] if len(signatures) == 1 else merged(signatures)
    return {"signature": str(whole), "signatures": [dict(one.fields) for one in signatures]}


def merged(signatures: Iterable[Signature]) -> Signature:
    """Return one signature whose fields have, in order, the distinct values of all of them."""
    parts = tuple(part for signature in signatures for part in signature.parts or (signature,))
    if len(parts) == 1:
        return parts[0]
    # The longest first: its order includes the fields that others lack. The version is last.
    longest_first = sorted((part.fields for part in parts), key=len, reverse=True)
    names = dict.fromkeys(name for fields in longest_first for name in fields if name != "cdec")
    fields: dict[str, Any] = {}
    for name in (*names, "cdec"):
        values = [part.fields[name] for part in parts if name in part.fields]
        distinct = [value for i, value in enumerate(values) if value not in values[:i]]
        if distinct:
            fields[name] = distinct[0] if len(distinct) == 1 else tuple(distinct)
    return Signature(fields, parts)


def _folded(name: str, fields: Mapping[str, Any]) -> str:
    """Return the value of a field of one result; ``default`` for the system's default."""
    value = fields[name]
    if name.endswith("digest"):
        return _short(value)
    of_metrics = name in (_METRICS, _SCORER)
    defaults = read_toml("defaults.toml")  # system → version → name → value
    versions = defaults.get(_METRICS if of_metrics else str(fields.get("system")), {})
    for version, known in [*versions.items()][-1:]:  # the newest
        default = known.get(name)
        usual = name == _SCORER and plain(fields.get(_METRICS)) == plain(known[_METRICS])
        if usual or name == "system":
            return f"{value}@{version}"
        if plain(value) == plain(default):
            return f"{_DEFAULT}@{version}" if of_metrics and _SCORER not in fields else _DEFAULT
        if isinstance(value, Mapping) and isinstance(default, Mapping):
            value = {k: v for k, v in value.items() if v != default.get(k)}
        elif isinstance(value, list) and default and value[: len(default)] == default:
            value = [_DEFAULT, *value[len(default) :]]
    return "+".join(map(plain, value)) if isinstance(value, tuple) else plain(value)


def plain(value: Any) -> str:
    """Return a value without the quotes and brackets of JSON.

    A digest in it is short, too.

    >>> plain({"gate": 0.2, "families": ["head", "words"]})
    'gate=0.2,families=head,words'
    >>> plain({"response_digest": "0123456789abcdef"})
    'response_digest=0123456789ab'
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        parts = []
        for name, item in value.items():
            text = _short(item) if name.endswith("digest") else plain(item)
            parts.append(f"{name}={text}")
        return ",".join(parts) or "-"
    if isinstance(value, list | tuple):
        return ",".join(plain(item) for item in value) or "-"
    return json.dumps(value, ensure_ascii=False)


def _short(digest: Any) -> str:
    """Return the first digits of a digest, or of several."""
    several = digest if isinstance(digest, list | tuple) else [digest]
    return "+".join(str(one)[:_SHORT_DIGEST] for one in several)

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

from cdec._version import __version__
from cdec.configs import read_toml
from cdec.errors import escaped
from cdec.records import Fields, Row

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

    fields: Fields
    parts: tuple[Signature, ...] = field(default=(), repr=False, compare=False)

    @classmethod
    def from_fields(cls, **fields: object) -> Signature:
        """Return a signature with these fields, except those that are None, and the version."""
        stated = {name: value for name, value in fields.items() if value is not None}
        return cls({**stated, "cdec": __version__})

    def __str__(self) -> str:
        texts = []
        for name in self.fields:
            parts = [
                part.fields for part in self.parts or (self,) if name in part.fields
            ]
            values = dict.fromkeys(_folded(name, fields) for fields in parts)
            if not values.keys() <= {_DEFAULT, _FOLDED.get(name)}:
                texts.append(f"{name}:{'+'.join(values)}".translate(_ESCAPED))
        return escaped("|".join(texts))


def in_json(*signatures: Signature) -> Row:
    """Return the fields of JSON output: the line of all signatures, and each in full.

    >>> in_json(Signature({"corpus": "mine", "setting": "pure"}))
    {'signature': 'corpus:mine|setting:pure', 'signatures': [{'corpus': 'mine', 'setting': 'pure'}]}
    """
    whole = signatures[0] if len(signatures) == 1 else merged(signatures)
    return {
        "signature": str(whole),
        "signatures": [dict(signature.fields) for signature in signatures],
    }


def merged(signatures: Iterable[Signature]) -> Signature:
    """Return one signature whose fields have, in order, the distinct values of all of them."""
    parts = tuple(
        part for signature in signatures for part in signature.parts or (signature,)
    )
    if len(parts) == 1:
        return parts[0]
    # The longest first: its order includes the fields that others lack.
    names = {}
    for part in sorted(
        parts,
        key=lambda part: len(part.fields),
        reverse=True,
    ):
        names.update(dict.fromkeys(part.fields))
    fields = {}
    for name in sorted(names, key="cdec".__eq__):  # the version is last
        distinct = []
        for part in parts:
            if name in part.fields and part.fields[name] not in distinct:
                distinct.append(part.fields[name])
        fields[name] = distinct[0] if len(distinct) == 1 else tuple(distinct)
    return Signature(fields, parts)


def _folded(name: str, fields: Fields) -> str:
    """Return the value of a field of one result; ``default`` for the system's default."""
    value = fields[name]
    if name.endswith("digest"):
        digests = value if isinstance(value, tuple) else (value,)
        return "+".join(digest[:_SHORT_DIGEST] for digest in digests)
    is_of_metrics = name in (_METRICS, _SCORER)
    system = _METRICS if is_of_metrics else str(fields.get("system"))
    versions = read_toml("defaults.toml").get(system)  # version → name → value
    if versions:
        version = [*versions][-1]  # the newest
        defaults = versions[version]
        default = defaults.get(name)
        is_default_scorer = (
            name == _SCORER and plain(fields.get(_METRICS)) == defaults[_METRICS]
        )
        if is_default_scorer or name == "system":
            return f"{value}@{version}"
        if plain(value) == plain(default):
            if is_of_metrics and _SCORER not in fields:
                return f"{_DEFAULT}@{version}"
            return _DEFAULT
        if isinstance(value, Mapping) and isinstance(default, Mapping):
            value = {
                part: item for part, item in value.items() if item != default.get(part)
            }
        elif isinstance(value, list) and default and value[: len(default)] == default:
            value = [_DEFAULT, *value[len(default) :]]
    if isinstance(value, tuple):
        return "+".join(map(plain, value))
    return plain(value)


def plain(value: object) -> str:
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
            text = plain(item)
            if name.endswith("digest"):
                text = text[:_SHORT_DIGEST]
            parts.append(f"{name}={text}")
        return ",".join(parts) or "-"
    if isinstance(value, list | tuple):
        return ",".join(plain(item) for item in value) or "-"
    return json.dumps(value, ensure_ascii=False)

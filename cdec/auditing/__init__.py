"""Annotation errors: detection, review, decisions, and the claims that correct a key.

Detectors yield suspects (``suspect``, ``detectors``); ``rank`` orders them, and ``cases`` makes the
list. Decisions on its cases (``review``, ``decisions``) become claims (``correct``), which
``cdec.corpus.claims`` applies to a key.

A plug-in uses the names below: a detector is a function from a ``Key`` to suspects.

>>> from cdec.auditing import MISSING, detector
>>> @detector("nothing", "what is never found", kind=MISSING)
... def nothing(key):
...     return []
>>> nothing.id, nothing.kind
('nothing', 'missing')
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cdec.auditing.case import KINDS, MISSING, CaseSide, Fix
    from cdec.auditing.fixes import put, removals
    from cdec.auditing.suspect import Detector, Flag, Need, Suspect, detector

# Imported on first use, because the help of the commands needs no pandas.
_HOMES = {
    **dict.fromkeys(("KINDS", "MISSING", "CaseSide", "Fix"), "case"),
    **dict.fromkeys(("put", "removals"), "fixes"),
    **dict.fromkeys(("Detector", "Flag", "Need", "Suspect", "detector"), "suspect"),
}

__all__ = [
    "KINDS",
    "MISSING",
    "CaseSide",
    "Detector",
    "Fix",
    "Flag",
    "Need",
    "Suspect",
    "detector",
    "put",
    "removals",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"cdec.auditing.{_HOMES[name]}"), name)

"""Annotation errors: detection, review, decisions, and the claims that correct a key.

Detectors yield suspects (``detectors``), and ``cases`` makes the list, the most probable first.
Decisions on its cases (``review``, ``decisions``) become claims (``correct``), which
``cdec.auditing.claims`` applies to a key.

A plug-in uses the names below: a detector is a function from ``Evidence`` to suspects.

>>> from cdec.auditing import MISSING, detector
>>> @detector("nothing", kind=MISSING)
... def nothing(evidence):
...     return []
>>> nothing.id, nothing.kind
('nothing', 'missing')
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cdec.auditing.case import KINDS, MISSING, CaseSide, Fix
    from cdec.auditing.fixes import put, removals
    from cdec.auditing.suspects import Detector, Suspect, detector

__all__ = [
    "KINDS",
    "MISSING",
    "CaseSide",
    "Detector",
    "Fix",
    "Suspect",
    "detector",
    "put",
    "removals",
]


def __getattr__(name: str) -> Any:
    """Import a name on first use, because the help of the commands needs no pandas."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "case"
    if name in ("put", "removals"):
        home = "fixes"
    elif name in ("Detector", "Suspect", "detector"):
        home = "suspects"
    return getattr(import_module(f"cdec.auditing.{home}"), name)

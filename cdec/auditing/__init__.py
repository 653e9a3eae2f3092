"""Annotation errors: detection, review, decisions, and the claims that correct a key.

Detectors yield suspects (``suspect``, ``detectors``); ``rank`` orders them, and ``cases`` makes the
list. Decisions on its cases (``review``, ``decisions``) become claims (``correct``), which
``cdec.corpus.claims`` applies to a key.

A plug-in uses the names below: a detector is a function from a ``Key`` to suspects.

>>> @detector("nothing", "what is never found", kind=MISSING)
... def nothing(key):
...     return []
>>> nothing.id, nothing.kind
('nothing', 'missing')
"""

from cdec.auditing.case import KINDS, MISSING, CaseSide, Fix
from cdec.auditing.fixes import put, removals
from cdec.auditing.suspect import Detector, Measured, Need, PairDetector, Suspect, detector

__all__ = [
    "KINDS",
    "MISSING",
    "CaseSide",
    "Detector",
    "Fix",
    "Measured",
    "Need",
    "PairDetector",
    "Suspect",
    "detector",
    "put",
    "removals",
]

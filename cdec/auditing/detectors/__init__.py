"""The detectors by id: those of cdec, and those of other packages (group ``cdec.detectors``).

An audit runs ``USUAL`` by default: all of cdec but the one that needs responses. Those of other
packages must be requested by id, so that an installed package changes no list.
"""

from __future__ import annotations

from cdec.auditing.detectors.copies import copies, duplicate
from cdec.auditing.detectors.pairs import companions, held_out, svm, systems
from cdec.auditing.detectors.rules import no_event, tags, two_events, unmarked
from cdec.auditing.suspects import Detector
from cdec.plugins import Registry

# The measurements of a pair are named in this order in the reasons of a case.
_OWN = (
    *(duplicate, tags, svm, held_out, companions, two_events, copies, no_event),
    *(systems, unmarked),
)


def _check(name: str, value: object) -> None:
    """Raise TypeError or ValueError if ``value`` is not a valid plug-in detector ``name``."""
    if not isinstance(value, Detector):
        raise TypeError(f"expected a Detector, got {type(value).__name__}")
    if value.id != name:
        raise ValueError(f"its id is '{value.id}'")


DETECTORS: Registry[Detector] = Registry(
    "detector", "cdec.detectors", {one.id: one for one in _OWN}, _check
)
USUAL = tuple(one.id for one in _OWN if one is not systems)

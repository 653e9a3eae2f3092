"""The detectors by id: those of cdec, and those of other packages (group ``cdec.detectors``).

An audit runs ``USUAL`` by default: all of cdec but ``systems``, which needs responses. Those of
other packages must be requested by id, so that an installed package changes no list.
"""

from __future__ import annotations

from collections.abc import Iterable

from cdec.auditing.detectors.companions import COMPANIONS
from cdec.auditing.detectors.copies import copies
from cdec.auditing.detectors.duplicate import duplicate
from cdec.auditing.detectors.held_out import HELD_OUT
from cdec.auditing.detectors.no_event import no_event
from cdec.auditing.detectors.svm import SVM
from cdec.auditing.detectors.systems import SYSTEMS
from cdec.auditing.detectors.tags import tags
from cdec.auditing.detectors.two_events import two_events
from cdec.auditing.detectors.unmarked import unmarked
from cdec.auditing.suspect import AnyDetector, Detector, PairDetector
from cdec.plugins import Registry

_OWN = (
    *(duplicate, tags, SVM, COMPANIONS, HELD_OUT, two_events, copies, no_event),
    *(SYSTEMS, unmarked),
)


def _check(name: str, value: object) -> None:
    """Raise TypeError or ValueError if ``value`` is not a valid plug-in detector ``name``."""
    if not isinstance(value, AnyDetector):
        raise TypeError(f"expected a Detector or PairDetector, got {type(value).__name__}")
    if value.id != name:
        raise ValueError(f"its id is '{value.id}'")


DETECTORS: Registry[AnyDetector] = Registry(
    "detector", "cdec.detectors", {one.id: one for one in _OWN}, _check
)

USUAL = tuple(one.id for one in _OWN if one is not SYSTEMS)


def with_own(chosen: Iterable[str]) -> list[AnyDetector]:
    """Return the detectors of cdec, then the others among the chosen ids.

    >>> [detector.id for detector in with_own(["tags"])][:3]
    ['duplicate', 'tags', 'svm']
    """
    return [DETECTORS[name] for name in dict.fromkeys((*DETECTORS.own, *chosen))]


def needs_of(names: Iterable[str]) -> dict[str, str]:
    """Return what these detectors need of a corpus; without those that need nothing.

    >>> needs_of(["svm", "no-event"])
    {'no-event': 'mentions of events'}
    """
    known = {name: DETECTORS[name] for name in names if name in DETECTORS}
    return {
        name: one.needs.words
        for name, one in known.items()
        if isinstance(one, Detector) and one.needs
    }


def pair_detectors(chosen: Iterable[str]) -> list[PairDetector]:
    """Return the pair detectors among ``with_own``: first those with margins.

    >>> [detector.id for detector in pair_detectors([])]
    ['svm', 'held-out', 'companions', 'systems']
    """
    pairwise = [one for one in with_own(chosen) if isinstance(one, PairDetector)]
    return sorted(pairwise, key=lambda one: not one.learned)

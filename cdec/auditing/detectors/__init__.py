"""The detectors by id: those of cdec, and those of other packages (group ``cdec.detectors``).

An audit runs ``USUAL`` by default: all of cdec but ``systems``, which needs responses. Those of
other packages must be requested by id, so that an installed package changes no list.
"""

from __future__ import annotations

from collections.abc import Iterable

from cdec.auditing.detector import AnyDetector, Detector, PairDetector
from cdec.auditing.detectors.companions import COMPANIONS
from cdec.auditing.detectors.copies import COPIES
from cdec.auditing.detectors.duplicate import DUPLICATE
from cdec.auditing.detectors.held_out import HELD_OUT
from cdec.auditing.detectors.no_event import NO_EVENT
from cdec.auditing.detectors.svm import SVM
from cdec.auditing.detectors.systems import SYSTEMS
from cdec.auditing.detectors.tags import TAGS
from cdec.auditing.detectors.two_events import TWO_EVENTS
from cdec.auditing.detectors.unmarked import UNMARKED
from cdec.plugins import Registry

_OWN = (
    *(DUPLICATE, TAGS, SVM, COMPANIONS, HELD_OUT, TWO_EVENTS, COPIES, NO_EVENT),
    *(SYSTEMS, UNMARKED),
)


def _check(name: str, value: object) -> None:
    """Raise TypeError or ValueError if ``value`` is not a valid plug-in detector ``name``."""
    if not isinstance(value, AnyDetector):
        raise TypeError(f"expected a Detector or PairDetector, got {type(value).__name__}")
    if value.id != name:
        raise ValueError(f"its id is '{value.id}'")


DETECTORS: Registry[AnyDetector] = Registry(
    "detector", "cdec.detectors", {detector.id: detector for detector in _OWN}, _check
)

USUAL = tuple(detector.id for detector in _OWN if detector is not SYSTEMS)


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

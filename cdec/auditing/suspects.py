"""What a detector is, and what it yields.

A detector is a function of the evidence on a key that yields suspects. It is in a file of
``detectors``, or a plug-in (group ``cdec.detectors``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from cdec.auditing.case import CaseSide, Fix
from cdec.auditing.evidence import Evidence


@dataclass(frozen=True)
class Suspect:
    """A suspected error.

    ``sides``: mentions, each shown with its chain, or ``CaseSide``; ``reason``: a sentence for the
    reviewer; ``fixes``: what would correct it, the most probable first. ``group``: suspects of a
    group are equally often errors; by default all of a detector. ``score`` is in [0, 1].
    """

    sides: Sequence[str | CaseSide]
    reason: str
    fixes: tuple[Fix, ...]
    group: str = ""
    score: float = 1.0


class Flag(NamedTuple):
    """A suspected row of a table of the evidence (``LINKS``, ``MEMBERS``); its score, and why."""

    table: str
    row: int
    score: float
    reason: str


Find: TypeAlias = Callable[[Evidence], Iterable[Suspect | Flag]]


class Detector(NamedTuple):
    """A detector: ``find`` yields what it suspects; ``kind`` is one of ``KINDS``, or ``MISSING``.

    A CorpusError of ``find`` (``Evidence.unfit``) leaves the detector out.

    >>> Detector("none", lambda evidence: [], "two-events").id
    'none'
    """

    id: str
    find: Find
    kind: str = ""


def detector(id_: str, *, kind: str = "") -> Callable[[Find], Detector]:
    """Make a function a detector."""
    return lambda find: Detector(id_, find, kind)

"""What a detector is: a function of a key that yields suspects, or flags on rows of its tables.

Each is one file of ``detectors``, or a plug-in (group ``cdec.detectors``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from cdec.auditing.case import CaseSide, Fix
from cdec.corpus.model import LEVELS, Corpus

if TYPE_CHECKING:
    from cdec.auditing.key import Key

RULE = "rule"  # the group of suspects that the construction of the corpus decides: all are errors
LINKS, MEMBERS = "links", "members"  # the tables of a key


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
    """A row of ``Key.links`` or ``Key.memberships`` that is suspected, its score, and why."""

    table: str
    row: int
    score: float
    reason: str


class Need(NamedTuple):
    """What a detector needs of a corpus: words for it, and whether a corpus has it."""

    words: str
    met: Callable[[Corpus], bool]


Find: TypeAlias = "Callable[[Key], Iterable[Suspect | Flag]]"


@dataclass(frozen=True, eq=False)
class Detector:
    """A detector: ``find`` yields what it suspects.

    ``kind`` of its suspects is one of ``case.KINDS``, or ``case.MISSING``; without what it
    ``needs``, the detector is left out.

    >>> Detector("none", "nothing", lambda key: [], "two-events").id
    'none'
    """

    id: str
    words: str
    find: Find = field(repr=False)
    kind: str = ""
    needs: Need | None = field(default=None, repr=False)


def detector(
    id_: str, words: str, *, kind: str = "", needs: Need | None = None
) -> Callable[[Find], Detector]:
    """Make a function a detector; ``words`` are what help prints."""
    return lambda find: Detector(id_, words, find, kind, needs)


def scopes(corpus: Corpus) -> dict[str, str]:
    """Return document id → its unit of ``corpus.linked_within``; '' for all documents without one.

    No chain is of two units: the annotators, or the construction of the corpus, had no such links.

    >>> from dataclasses import replace
    >>> from cdec import load_corpus
    >>> corpus = replace(load_corpus("sample", "test"), linked_within="topic")
    >>> sorted(set(scopes(corpus).values()))
    ['4', '5', '6']
    """
    names = list(LEVELS)
    depth = names.index(corpus.linked_within) + 1 if corpus.linked_within else 0
    documents = corpus.documents.values()
    return {one.id: "/".join((one.topic, one.subtopic)[:depth]) for one in documents}

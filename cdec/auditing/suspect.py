"""What a detector is: a function from a key to suspects; and what a detector of pairs measures.

A ``Detector`` finds whole cases. A ``PairDetector`` says of every mention pair how probable a link
is; ``rank`` combines what several of them say into missing links and spurious members. Each is one
file of ``detectors``, or a plug-in (group ``cdec.detectors``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pandas as pd

from cdec.arrays import Floats, Ints, Reals
from cdec.auditing.case import CaseSide, Fix
from cdec.corpus.model import LEVELS, Corpus

if TYPE_CHECKING:
    from cdec.auditing.config import AuditConfig
    from cdec.auditing.key import Key

RULE = "rule"  # the group of suspects that the construction of the corpus decides: all are errors


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


class Need(NamedTuple):
    """What a detector needs of a corpus: words for it, and whether a corpus has it."""

    words: str
    met: Callable[[Corpus], bool]


Find: TypeAlias = "Callable[[Key], Iterable[Suspect]]"
Flags: TypeAlias = "Callable[[pd.DataFrame, AuditConfig, bool], Floats]"


@dataclass(frozen=True, eq=False)
class Detector:
    """A detector of whole cases: ``find`` yields suspects.

    ``kind`` is one of ``case.KINDS``, or ``case.MISSING``; ``by_chain``: whether a reviewed member
    of its chain speaks for a mention; ``needs``: without it, the detector is left out.

    >>> Detector("none", "nothing", "two-events", lambda key: []).id
    'none'
    """

    id: str
    words: str
    kind: str
    find: Find = field(repr=False)
    by_chain: bool = True
    needs: Need | None = field(default=None, repr=False)


def detector(
    id_: str, words: str, *, kind: str, by_chain: bool = True, needs: Need | None = None
) -> Callable[[Find], Detector]:
    """Make a function that yields suspects a detector; ``words`` are what help prints."""

    def of(find: Find) -> Detector:
        return Detector(id_, words, kind, find, by_chain, needs)

    return of


@dataclass(frozen=True, eq=False)
class Measured:
    """What a pair detector says of the candidate pairs, and of the pairs inside chains.

    ``margins``: half the log-odds of a link of each; None if it has no opinion on single pairs.
    ``columns``: name → further values of each, which the strongest pair of a row brings with it
    (None: for candidate pairs only). ``weights``: of the columns of a linear model, as evidence.
    ``links``: columns of pairs of chains, ``one`` < ``two``: first of those with a candidate pair,
    then of others that are rows too, with their strongest mentions ``left`` and ``right``.
    ``members``: columns of each mention.
    """

    margins: tuple[Floats, Floats] | None
    columns: Mapping[str, tuple[Reals | Ints, Reals | None]] = field(default_factory=dict)
    weights: Floats | None = None
    links: tuple[pd.DataFrame, pd.DataFrame] | None = None
    members: pd.DataFrame | None = None


@dataclass(frozen=True, eq=False)
class PairDetector:
    """A detector that measures mention pairs.

    ``flags`` returns the score of each row of the links (True) or of the members (False), missing
    where the detector does not flag it; ``reason`` the sentence for such a row. ``feature`` makes
    its column in the learned order from the column ``id`` of the rows. ``learned``: whether it has
    margins. ``requires`` are pair detectors whose measurements it uses. ``ordered``: the tables in
    whose learned order it has its column, of ``links`` and ``members``.
    """

    id: str
    words: str
    measure: Callable[[Key], Measured] = field(repr=False)
    flags: Flags = field(repr=False)
    reason: Callable[[Mapping[Any, Any], bool], str] = field(repr=False)
    feature: Callable[[pd.Series[Any]], pd.Series[Any]] = field(default=lambda x: x, repr=False)
    learned: bool = True
    requires: tuple[PairDetector, ...] = ()
    ordered: tuple[str, ...] = ("links", "members")


AnyDetector: TypeAlias = Detector | PairDetector


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

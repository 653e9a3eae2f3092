"""A detector: one way to find errors in a key.

A ``Detector`` finds whole cases. A ``PairDetector`` says of every mention pair how probable a link
is; ``pairwise`` combines what several of them say into missing links and spurious members. Each is
one file of ``detectors``, or a plug-in (group ``cdec.detectors``). What orders, shows, reviews or
evaluates cases asks these objects and has no list of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pandas as pd

from cdec.arrays import Floats, Ints, Reals
from cdec.corpus.model import LEVELS

if TYPE_CHECKING:
    from cdec.auditing.config import AuditConfig
    from cdec.auditing.key import Key
    from cdec.corpus.model import Corpus
    from cdec.files.progress import Progress

MERGE, LEAVE, DIVIDE = "merge", "leave", "divide"  # what a case proposes to do with chains
ADD = "add"  # a mention at the place of the first side
RULE = "rule"  # the group of cases that the construction of the corpus decides: all are errors

Prepare: TypeAlias = "Callable[[Corpus, AuditConfig, Progress], Any]"
Flags: TypeAlias = "Callable[[pd.DataFrame, AuditConfig, bool], Floats]"


class Need(NamedTuple):
    """What a detector needs of a corpus: words for it, and whether a corpus has it."""

    words: str
    met: Callable[[Corpus], bool]


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


@dataclass(frozen=True, eq=False)
class Detector:
    """A detector of whole cases: ``find`` returns a frame with a row for each suspected error.

    ==============  ============================================================================
    ``mentions``    the sides of the case: ids, each shown with its chain, or ``CaseSide``
    ``score``       in [0, 1]
    ``reason``      one or several sentences
    ``fix``         the corrections, as ``Fix``, the most probable first
    ``group``       optional: the cases that are equally often errors, '' for what is no case
    ==============  ============================================================================

    ``kind`` is one of ``case.KINDS``, or ``case.MISSING``. ``proposes`` is what its cases do with
    chains: MERGE (those of the sides), DIVIDE (one, into two sides), ADD (a missing mention) or ''
    (nothing); a benchmark expects it. ``ranked_by``: the column that ranks the rows, ascending, by
    default −score. ``prepare`` returns what does not depend on the key, as
    ``key.prepared.facts[id]``. ``table`` is the name that orders cases of equal probability,
    ``by_chain``: whether a reviewed
    member of its chain speaks for a mention; ``batched``: whether reviewers judge the cases of the
    same sentences together. ``needs``: the facts of a corpus without which the detector is left
    out.

    >>> Detector("none", "nothing", "two-events", lambda key: pd.DataFrame()).table
    'none'
    """

    id: str
    words: str
    kind: str
    find: Callable[[Key], pd.DataFrame] = field(repr=False)
    proposes: str = ""
    prepare: Prepare | None = field(default=None, repr=False)
    table: str = ""
    ranked_by: str = ""
    by_chain: bool = True
    batched: bool = False
    needs: Need | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", self.table or self.id)

    def applies_to(self, corpus: Corpus) -> bool:
        """Whether ``corpus`` has what the detector needs."""
        return self.needs is None or self.needs.met(corpus)


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

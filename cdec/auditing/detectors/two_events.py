"""Chains that may have the mentions of two events, and how to divide them.

A chain is divided by sub-topic, if it spans several; between two mentions of one sentence with the
same root, as in "murder, attempted murder"; by year, if the sentences of some mentions name a year
and those of others only other years; and by average linkage on the probabilities of a link between
its mentions. The last alone finds paraphrases more often than two events (see
docs/audit.md), so its divisions are flagged only if a link between the parts is very improbable.

These are signs in sentences about events: entities are often twice in a sentence, and of several
years. If no chain may span two units (``Corpus.linked_within``), one that does is an error by rule.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.special import expit

from cdec.arrays import Bools, Floats, Ints
from cdec.auditing.case import TWO_EVENTS as KIND
from cdec.auditing.case import CaseSide, Fix, Operation
from cdec.auditing.detector import DIVIDE, RULE, Detector, Need, scopes
from cdec.corpus.model import EVENT, Corpus
from cdec.errors import counted

if TYPE_CHECKING:
    from cdec.auditing.key import Key

_LARGEST = 80_000  # pairs of a chain; the linkage of a larger one takes too long
_APART = 0.02  # mean probability of a link between the parts of a chain
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True)
class Division:
    """A chain in two parts, as rows of mentions; ``part`` is the smaller.

    ``left`` (of ``part``) and ``right`` are the strongest pair between them, or the two mentions of
    one sentence if ``repeated``. ``between`` is the mean probability of a link between the parts,
    ``within`` that inside them; ``subtopics`` and ``years``: whether these are disjoint. ``level``:
    the name of the units, instead of sub-topics, that no chain may span, '' if it may; ``signs``:
    whether the other signs count.
    """

    part: tuple[int, ...]
    rest: tuple[int, ...]
    left: int
    right: int
    between: float
    within: float
    subtopics: bool
    repeated: bool
    years: bool
    level: str
    signs: bool

    @property
    def quality(self) -> tuple[object, ...]:
        """What makes one division of a chain better than another."""
        return self.subtopics, self.repeated, self.years, self.within - self.between

    @property
    def group(self) -> str:
        """The first sign of two events; '' if there is none."""
        if self.subtopics and self.level:
            return RULE
        signs = {
            "two-subtopics": self.subtopics,
            "two-mentions": self.repeated,
            "two-years": self.years,
            "two-dissimilar": self.between < _APART and self.within > 1 / 2,
        }
        return next((name for name, seen in signs.items() if seen and self.signs), "")

    def reasons(self) -> Iterator[str]:
        """Yield a sentence for each sign that the chain has two events."""
        if self.group == RULE:
            yield f"A and B are of two {self.level}s, and the corpus has links inside one only"
        elif self.subtopics:
            yield "the mentions of A and B are in different sub-topics"
        if self.repeated:
            yield "one sentence has two mentions with the same word, the first of A and of B"
        if self.years:
            yield "the sentences of A and B name different years"
        yield (
            f"mean probability of a link between A and B {self.between:.0%}, "
            f"inside A and inside B {self.within:.0%}"
        )


def has_signs(corpus: Corpus) -> bool:
    """Whether events are audited, in sentences: paragraphs have many years and equal words."""
    return EVENT in set(corpus.selected["kind"]) and corpus.text == "full"


def divisions(
    corpus: Corpus, roots: Ints, chain: Ints, inside: tuple[Ints, Ints], margin: Floats
) -> list[Division]:
    """Return the best division of each chain.

    ``roots`` are codes of the roots of the heads; ``inside`` the mention pairs inside chains, as
    rows; ``margin`` half their log-odds.
    """
    facts = _Facts.of(corpus, roots)
    table = pd.DataFrame({"left": inside[0], "right": inside[1], "margin": margin})
    best = []
    for _, part in table.groupby(chain[inside[0]], sort=True):
        ends = facts.subtopic[part[["left", "right"]].to_numpy()]
        # The division of a chain of two in one sub-topic is a case of one member.
        if len(part) <= _LARGEST and (len(part) > 1 or ends[0, 0] != ends[0, 1]):
            best.append(max(_Chain.of(part, facts).divisions(), key=lambda d: d.quality))
    return best


@dataclass(frozen=True, eq=False)
class _Facts:
    """Sub-topic, years in the sentence, sentence with root, and tokens of each mention.

    ``level`` and ``signs`` as in ``Division``.
    """

    level: str
    signs: bool
    subtopic: Ints
    years: list[frozenset[str]]
    words: list[tuple[str, int, int]]
    tokens: list[frozenset[int]]

    @classmethod
    def of(cls, corpus: Corpus, roots: Ints) -> _Facts:
        events = corpus.selected
        years = [
            frozenset(_YEAR.findall(" ".join(corpus.documents[doc].sentences[number])))
            for doc, number in zip(events["doc"], events["sentence"], strict=True)
        ]
        places = events["topic"].astype(str) + "/" + events["subtopic"].astype(str)
        words = list(zip(events["doc"], events["sentence"], roots.tolist(), strict=True))
        level = corpus.levels[corpus.linked_within] if corpus.linked_within else ""
        units = events["doc"].map(scopes(corpus)) if level else places
        codes, tokens = pd.factorize(units)[0], list(map(frozenset, events["tokens"]))
        return cls(level, has_signs(corpus), codes.astype(np.int64), years, words, tokens)

    def repeated(self, rows: Ints) -> tuple[int, int] | None:
        """Return the places in ``rows`` of two mentions of one sentence with the same root."""
        by_word: dict[tuple[str, int, int], list[int]] = {}
        for place, row in enumerate(rows):
            by_word.setdefault(self.words[row], []).append(place)
        pairs = (pair for places in by_word.values() for pair in combinations(places, 2))
        apart = (p for p in pairs if not self.tokens[rows[p[0]]] & self.tokens[rows[p[1]]])
        return next(apart, None)

    def disjoint_years(self, one: Ints, two: Ints) -> bool:
        """Whether both parts name years, and no common one."""
        left, right = (frozenset().union(*(self.years[at] for at in part)) for part in (one, two))
        return bool(left) and bool(right) and not left & right


@dataclass(frozen=True, eq=False)
class _Chain:
    """The mentions of a chain, as ``rows``, and the probability of a link of each two."""

    rows: Ints
    links: Floats
    facts: _Facts

    @classmethod
    def of(cls, pairs: pd.DataFrame, facts: _Facts) -> _Chain:
        rows = np.unique(pairs[["left", "right"]].to_numpy())
        one, two = (np.searchsorted(rows, pairs[side].to_numpy()) for side in ("left", "right"))
        links = np.ones((len(rows), len(rows)))
        links[one, two] = links[two, one] = expit(2 * pairs["margin"].to_numpy())
        return cls(rows, links, facts)

    def divisions(self) -> Iterator[Division]:
        """Yield the divisions by sub-topic, by year, by linkage and by a repeated word."""
        for mask in self._masks():
            yield self._division(mask)
        twice = self.facts.repeated(self.rows)
        if twice is not None:
            nearer = self.links[:, twice[0]] > self.links[:, twice[1]]
            nearer[list(twice)] = True, False
            yield self._division(nearer, twice)

    def _masks(self) -> Iterator[Bools]:
        """Yield one part of each division."""
        rows, facts = self.rows, self.facts
        subtopics, counts = np.unique(facts.subtopic[rows], return_counts=True)
        if len(subtopics) > 1:
            yield facts.subtopic[rows] == subtopics[counts.argmin()]
        years = Counter(year for row in rows for year in facts.years[row])
        if len(years) > 1:
            most = max(sorted(years), key=lambda year: years[year])
            other = [bool(facts.years[row]) and most not in facts.years[row] for row in rows]
            if any(other):
                yield np.array(other)
        distance = (1 - self.links)[np.triu_indices(len(rows), 1)]
        yield fcluster(linkage(distance, "average"), 2, "maxclust") == 1

    def _division(self, mask: Bools, twice: tuple[int, int] | None = None) -> Division:
        part, rest = (mask, ~mask) if mask.sum() * 2 <= len(mask) else (~mask, mask)
        if not part.any():  # all distances are equal
            part, rest = np.arange(len(mask)) == 0, np.arange(len(mask)) > 0
        one, two = self.rows[part], self.rows[rest]
        across = self.links[np.ix_(part, rest)]
        at, there = np.unravel_index(across.argmax(), across.shape)
        left, right = one[at], two[there]
        if twice is not None:
            left, right = (self.rows[at] for at in sorted(twice, key=lambda at: not part[at]))
        same = np.triu(np.equal.outer(part, part), 1)
        return Division(
            part=tuple(map(int, one)),
            rest=tuple(map(int, two)),
            left=int(left),
            right=int(right),
            between=float(across.mean()),
            within=float(self.links[same].mean()) if same.any() else 1.0,
            subtopics=not set(self.facts.subtopic[one]) & set(self.facts.subtopic[two]),
            repeated=twice is not None,
            years=self.facts.disjoint_years(one, two),
            level=self.facts.level,
            signs=self.facts.signs,
        )


def _find(key: Key) -> pd.DataFrame:
    margins = [one.margins[1] for one in key.measured.values() if one.margins]
    roots, best = key.prepared.pool.mentions.codes["root"], []
    if margins:
        best = divisions(key.corpus, roots, key.chain, key.inside, np.mean(margins, axis=0))
    return pd.DataFrame(
        {
            "mentions": [_sides(key, one) for one in best],
            "score": [min(max(1 - one.between, 0.0), 1.0) for one in best],
            "reason": [list(one.reasons()) for one in best],
            "fix": [_fixes(key, one.part) for one in best],
            "group": [one.group for one in best],
            "between": [one.between for one in best],
        }
    )


def _sides(key: Key, division: Division) -> tuple[CaseSide, ...]:
    sides = []
    for rows, shown in ((division.part, division.left), (division.rest, division.right)):
        first = shown if shown in rows else rows[0]
        sides.append(key.part([key.ids[first]], [key.ids[row] for row in rows if row != first]))
    return tuple(sides)


def _fixes(key: Key, part: tuple[int, ...]) -> tuple[Fix, ...]:
    """Return the corrections of a chain with two events; ``part`` are the mentions of one."""
    if len(part) == 1:
        return key.fixes.member(part[0], key.fixes.rival(part[0], None))
    text = f"split the chain: {counted(len(part), 'mention')} of A become a chain of their own"
    operation = Operation(move=tuple(key.ids[row] for row in part))
    return (Fix(fix="split", text=text, operation=operation),)


TWO_EVENTS = Detector(
    id=KIND,
    words="chains of two sub-topics or years, equal words in a sentence, or two groups",
    kind=KIND,
    find=_find,
    proposes=DIVIDE,
    table="chains",
    judged=(KIND, "two-mentions"),
    ranked_by="between",
    needs=Need(
        "events in sentences, or a level that limits the links",
        lambda corpus: has_signs(corpus) or bool(corpus.linked_within),
    ),
)

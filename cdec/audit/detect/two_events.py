"""Chains that may have the mentions of two events, and how to divide them.

A chain is divided by sub-topic, if it spans several; between two mentions of one sentence with the
same root, as in "murder, attempted murder"; by year, if the sentences of some mentions name a year
and those of others only other years; and by average linkage on the probabilities of a link between
its mentions. The last alone finds paraphrases more often than two events (see
docs/audit.md), so its divisions are flagged only if a link between the parts is very improbable.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.special import expit

from cdec.arrays import Floats, Ints
from cdec.corpus.model import Corpus

_LARGEST = 80_000  # pairs of a chain; the linkage of a larger one takes too long
_YEAR = re.compile(r"(?:19|20)\d\d")
_FACTS = ("subtopics", "repeated", "years")
COLUMNS = ("chain", "part", "rest", "left", "right", "between", "within", *_FACTS)


def two_events(
    corpus: Corpus, roots: Ints, chain: Ints, inside: tuple[Ints, Ints], scores: dict[str, Floats]
) -> pd.DataFrame:
    """Return the best division of each chain, with ``COLUMNS``.

    ``roots`` are codes of the roots of the heads; ``inside`` the mention pairs inside chains, as
    rows; ``scores`` their margins. ``part`` and ``rest`` are rows of mentions, ``part`` the
    smaller; ``left`` (of ``part``) and ``right`` the strongest pair between them, or the two
    mentions of one sentence if ``repeated``. ``between`` is the mean probability of a link between
    the parts, ``within`` that inside them; ``subtopics`` and ``years`` tell whether these are
    disjoint in the parts.
    """
    facts = _Facts.of(corpus, roots)
    margin = np.mean(list(scores.values()), axis=0)
    table = pd.DataFrame({"left": inside[0], "right": inside[1], "margin": margin})
    rows = []
    for _, part in table.groupby(chain[inside[0]], sort=True):
        ends = facts.subtopic[part[["left", "right"]].to_numpy()]
        # The division of a chain of two in one sub-topic is a case of one member.
        if len(part) <= _LARGEST and (len(part) > 1 or ends[0, 0] != ends[0, 1]):
            rows.append((int(chain[part["left"].iloc[0]]), *_divided(part, facts)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


class _Facts:
    """Sub-topic, years in the sentence, sentence with root, and tokens of each mention."""

    def __init__(
        self,
        subtopic: Ints,
        years: list[frozenset[str]],
        words: list[tuple[str, int, int]],
        tokens: list[frozenset[int]],
    ) -> None:
        self.subtopic, self.years, self.words, self.tokens = subtopic, years, words, tokens

    @classmethod
    def of(cls, corpus: Corpus, roots: Ints) -> _Facts:
        events = corpus.selected
        years = [
            frozenset(_YEAR.findall(" ".join(corpus.documents[doc].sentences[number])))
            for doc, number in zip(events["doc"], events["sentence"], strict=True)
        ]
        places = events["topic"].astype(str) + "/" + events["subtopic"].astype(str)
        words = list(zip(events["doc"], events["sentence"], roots.tolist(), strict=True))
        tokens = [frozenset(listed) for listed in events["tokens"]]
        return cls(pd.factorize(places)[0].astype(np.int64), years, words, tokens)

    def repeated(self, rows: Ints) -> tuple[int, int] | None:
        """Return the places in ``rows`` of two mentions of one sentence with the same root."""
        by_word: dict[tuple[str, int, int], list[int]] = {}
        for place, row in enumerate(rows):
            by_word.setdefault(self.words[row], []).append(place)
        for places in by_word.values():
            for one, two in combinations(places, 2):
                if not self.tokens[rows[one]] & self.tokens[rows[two]]:
                    return one, two
        return None

    def disjoint_years(self, one: Ints, two: Ints) -> bool:
        """Whether both parts name years, and no common one."""
        left, right = (frozenset().union(*(self.years[at] for at in part)) for part in (one, two))
        return bool(left) and bool(right) and not left & right


def _divided(pairs: pd.DataFrame, facts: _Facts) -> tuple[Any, ...]:
    rows = np.unique(pairs[["left", "right"]].to_numpy())
    ends = [np.searchsorted(rows, pairs[side].to_numpy()) for side in ("left", "right")]
    matrix = np.ones((len(rows), len(rows)))
    matrix[ends[0], ends[1]] = matrix[ends[1], ends[0]] = expit(2 * pairs["margin"].to_numpy())
    divisions = [_measured(matrix, mask, rows, facts) for mask in _masks(matrix, rows, facts)]
    twice = facts.repeated(rows)
    if twice is not None:
        nearer = matrix[:, twice[0]] > matrix[:, twice[1]]
        nearer[list(twice)] = True, False
        divisions.append(_measured(matrix, nearer, rows, facts, twice))
    return max(divisions, key=lambda d: (*d[6:9], d[5] - d[4]))


def _masks(matrix: Floats, rows: Ints, facts: _Facts) -> Iterator[Any]:
    """Yield the divisions as masks of one part: by sub-topic, by year, by linkage."""
    subtopics, counts = np.unique(facts.subtopic[rows], return_counts=True)
    if len(subtopics) > 1:
        yield facts.subtopic[rows] == subtopics[counts.argmin()]
    years = Counter(year for row in rows for year in facts.years[row])
    if len(years) > 1:
        most = max(sorted(years), key=lambda year: years[year])
        other = [bool(facts.years[row]) and most not in facts.years[row] for row in rows]
        if any(other):
            yield np.array(other)
    distance = (1 - matrix)[np.triu_indices(len(rows), 1)]
    yield fcluster(linkage(distance, "average"), 2, "maxclust") == 1


def _measured(
    matrix: Floats, mask: Any, rows: Ints, facts: _Facts, twice: tuple[int, int] | None = None
) -> tuple[Any, ...]:
    part, rest = (mask, ~mask) if mask.sum() * 2 <= len(mask) else (~mask, mask)
    if not part.any():  # all distances are equal
        part, rest = np.arange(len(mask)) == 0, np.arange(len(mask)) > 0
    across = matrix[np.ix_(part, rest)]
    strongest = np.unravel_index(across.argmax(), across.shape)
    ends = [int(rows[part][strongest[0]]), int(rows[rest][strongest[1]])]
    if twice is not None:
        ends = [int(rows[place]) for place in sorted(twice, key=lambda at: not part[at])]
    same = np.triu(np.equal.outer(part, part), 1)
    inner = float(matrix[same].mean()) if same.any() else 1.0
    one, two = rows[part], rows[rest]
    apart = not set(facts.subtopic[one]) & set(facts.subtopic[two])
    years = facts.disjoint_years(one, two)
    return (
        tuple(map(int, one)),
        tuple(map(int, two)),
        *ends,
        float(across.mean()),
        inner,
        apart,
        twice is not None,
        years,
    )

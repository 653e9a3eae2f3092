"""Chains that may have the mentions of two events, and how to divide them.

A chain is divided by sub-topic, if it spans several; by year, if the sentences of some mentions
name a year and those of others only other years; and by average linkage on the probabilities of a
link between its mentions. The last alone finds paraphrases more often than two events (see
docs/audit.md), so its divisions are flagged only if a link between the parts is very improbable.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.special import expit

from cdec.arrays import Floats, Ints
from cdec.corpus.model import Corpus

_LARGEST = 80_000  # pairs of a chain; the linkage of a larger one takes too long
_YEAR = re.compile(r"(?:19|20)\d\d")
COLUMNS = ("chain", "part", "rest", "left", "right", "between", "within", "subtopics", "years")


def two_events(
    corpus: Corpus, chain: Ints, inside: tuple[Ints, Ints], scores: dict[str, Floats]
) -> pd.DataFrame:
    """Return the best division of each chain, with ``COLUMNS``.

    ``inside`` are the mention pairs inside chains, as rows; ``scores`` their margins. ``part`` and
    ``rest`` are rows of mentions, ``part`` the smaller; ``left`` and ``right`` the strongest pair
    between them. ``between`` is the mean probability of a link between the parts, ``within`` that
    inside them; ``subtopics`` and ``years`` tell whether these are disjoint in the parts.
    """
    facts = _Facts.of(corpus)
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
    """Sub-topic and years in the sentence of each mention."""

    def __init__(self, subtopic: Ints, years: list[frozenset[str]]) -> None:
        self.subtopic, self.years = subtopic, years

    @classmethod
    def of(cls, corpus: Corpus) -> _Facts:
        events = corpus.selected
        years = [
            frozenset(_YEAR.findall(" ".join(corpus.documents[doc].sentences[number])))
            for doc, number in zip(events["doc"], events["sentence"], strict=True)
        ]
        places = events["topic"].astype(str) + "/" + events["subtopic"].astype(str)
        return cls(pd.factorize(places)[0].astype(np.int64), years)

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
    return max(divisions, key=lambda d: (d[6], d[7], d[5] - d[4]))


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


def _measured(matrix: Floats, mask: Any, rows: Ints, facts: _Facts) -> tuple[Any, ...]:
    part, rest = (mask, ~mask) if mask.sum() * 2 <= len(mask) else (~mask, mask)
    if not part.any():  # all distances are equal
        part, rest = np.arange(len(mask)) == 0, np.arange(len(mask)) > 0
    across = matrix[np.ix_(part, rest)]
    strongest = np.unravel_index(across.argmax(), across.shape)
    ends = sorted((int(rows[part][strongest[0]]), int(rows[rest][strongest[1]])))
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
        years,
    )

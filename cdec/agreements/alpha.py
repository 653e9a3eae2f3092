"""Krippendorff's α on chains, with the distances of Passonneau (2004).

Passonneau, *Computing Reliability for Coreference Annotation*, LREC 2004. A unit is a mention that
both annotators have, its value by an annotator is the **set** of mentions of its chain, with the
mention itself: a singleton is a set of one, and labels mean nothing. The distance of two sets is 0
if they are equal, 1/3 if one is inside the other, 2/3 if they overlap otherwise, and 1 if they are
disjoint (she writes .33 and .67). A mention that an annotator lacks has no value by her; so that
each unit has one value of each annotator, it is no unit, and in no set: the agreement on mentions
counts it.

α is 1 − D_o / D_e: the mean distance of the two values of a unit, by that of two values of any
units (Krippendorff 2004, *Content Analysis*, 2nd edition, section 11.3). In resamples only D_o
varies, as in Hayes and Krippendorff (2007), *Answering the Call for a Standard Reliability Measure
for Coding Data*, Communication Methods and Measures 1(1): D_e is of the whole annotation.
"""

from __future__ import annotations

import pandas as pd

from cdec.arrays import AnySeries
from cdec.clustering import SIDES

_INSIDE = 1 / 3
_OVERLAP = 2 / 3


def chain_distances(mentions: pd.DataFrame) -> tuple[AnySeries, float]:
    """Return the distance of the two sets of each mention, D_o in the mean, and D_e.

    ``mentions`` have the chains ``key`` and ``response`` of two annotators in ``meta``; those that
    one of them lacks are left out. D_e is NaN if all values are one set, or there is none.

    >>> mentions = pd.DataFrame({"meta": "m", "key": [1, 1, 2], "response": [1, 1, 1]})
    >>> distances, expected = chain_distances(mentions)  # {a b} {c}; {a b c}
    >>> distances.round(3).tolist(), round(expected, 3)
    ([0.333, 0.333, 0.333], 0.333)
    """
    mentions = mentions.dropna(subset=[*SIDES])
    first = _sizes(mentions, "key")
    second = _sizes(mentions, "response")
    shared = _sizes(mentions, "key", "response")
    distances = pd.Series(_OVERLAP, mentions.index)
    distances[(shared == first) | (shared == second)] = _INSIDE
    distances[(shared == first) & (shared == second)] = 0
    # Nearness is 1 − distance. Sets of one annotator are equal or disjoint; two sets of both have
    # ``shared`` mentions, and each of these stands for its part of the pairs of their mentions.
    across = (1 - distances) * first * second / shared
    near_pairs = first.sum() + second.sum() + 2 * across.sum()
    values = 2 * len(mentions)
    pairs = values * (values - 1)
    far_pairs = pairs - (near_pairs - values)
    expected = far_pairs / pairs if far_pairs else float("nan")
    return distances, float(expected)


def _sizes(mentions: pd.DataFrame, *sides: str) -> AnySeries:
    """Return the size of the set of mentions with the same chains in these columns."""
    return mentions.groupby(["meta", *sides])["meta"].transform("size")

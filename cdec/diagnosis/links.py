"""Coreference links by kind: right, missed and wrong, counted without enumerating them.

A chain of n mentions has n (n − 1) / 2 links. The same formula on the parts of a chain in each
document gives the links within documents, and so on for sub-topics and topics; a kind is the
difference of two consecutive levels. Right links are the mention pairs that share the key chain and
the response chain. The sums over all kinds are the numerators and denominators of the coreference
part of BLANC under the same setting.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.diagnosis.mentions import Mentions
from cdec.metrics import Counts
from cdec.metrics.links import Links, pairs

KINDS = {
    "document": "within a document",
    "subtopic": "across documents of a sub-topic",
    "topic": "across sub-topics of a topic",
    "corpus": "across topics",
}
LEMMAS = ("same", "different")
ALL = "all"
COUNTED = ("right", "missed", "wrong")
COLUMNS = ("kind", "lemma", *COUNTED, "precision", "recall", "f1")


def link_table(mentions: Mentions) -> pd.DataFrame:
    """Return the links by kind and lemma, with totals (``all``). Columns: COLUMNS.

    ``lemma``: whether the heads of the two mentions have the same lemma or different lemmas.
    """
    sides = ([mentions.key], [mentions.response], [mentions.key, mentions.response])
    each = [Links.from_totals(*at) for at in zip(*(links(mentions, s) for s in sides), strict=True)]
    rows = [
        {"kind": kind, "lemma": lemma, **asdict(each[at])}
        for kind, row in zip([*KINDS, ALL], _TOTALLED, strict=True)
        for lemma, at in zip([*LEMMAS, ALL], row, strict=True)
    ]
    return with_scores(pd.DataFrame(rows))


_TOTALLED = np.arange((len(KINDS) + 1) * (len(LEMMAS) + 1)).reshape(len(KINDS) + 1, -1)


def links(mentions: Mentions, chains: Sequence[Ints]) -> Ints:
    """Return the number of mention pairs that share all ``chains``: kind × lemma, flattened.

    A mention without one of the chains (−1) has no pairs.
    """
    present = np.all([chain >= 0 for chain in chains], axis=0)
    places = [[mentions.doc], [mentions.subtopic], [mentions.topic], []]
    levels = np.array(
        [
            [pairs(_sizes(present, [*chains, *place, *lemma])) for lemma in ([mentions.lemma], [])]
            for place in places
        ]
    )
    by_kind = np.diff(levels, axis=0, prepend=0)
    same, every = np.vstack([by_kind, by_kind.sum(axis=0)]).T
    return np.stack([same, every - same, every], axis=1).reshape(-1)


def _sizes(present: Bools, groups: Sequence[Ints]) -> Ints:
    """Return the sizes of the groups of ``present`` mentions with equal values in all arrays."""
    code = groups[0][present]
    for group in (group[present] for group in groups[1:]):
        code = np.unique(code * (int(group.max(initial=0)) + 1) + group, return_inverse=True)[1]
    return np.unique(code, return_counts=True)[1]


def with_scores(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with ``right``, ``missed`` and ``wrong``, with precision, recall and F1 added.

    An undefined score (0/0) is NaN.
    """
    rows = table[list(COUNTED)].itertuples(index=False)
    scores = [defined_scores(Links(*row).counts) for row in rows]
    columns = zip(("precision", "recall", "f1"), np.reshape(scores, (-1, 3)).T, strict=True)
    return table.assign(**dict(columns))


def defined_scores(counts: Counts) -> tuple[float, float, float]:
    """Return precision, recall and F1; NaN for 0/0, and for F1 if both others are undefined.

    >>> defined_scores(Counts(0, 0, 0, 2))
    (nan, 0.0, 0.0)
    """
    return (
        counts.precision if counts.p_den else math.nan,
        counts.recall if counts.r_den else math.nan,
        counts.f1 if counts.p_den or counts.r_den else math.nan,
    )

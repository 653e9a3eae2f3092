"""Coreference links by kind: right, missed and wrong, counted without listing any.

Of the mentions of a chain, n (n − 1) / 2 pairs are links; of these, the pairs inside a document are
the same sum over the chain's parts in each document, and so on for sub-topics and topics. Each
kind is what one level adds to the one below it. Right links are the pairs of mentions that share
the key chain *and* the response chain. All counts are exact; over all kinds they are the
numerators and denominators of BLANC's coreference half under the same setting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.diagnosis.mentions import Mentions
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
    """Return the links by kind and lemma, with totals (``all``): the columns are COLUMNS.

    ``lemma`` says whether the heads of the two mentions have the same lemma.
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
    """Return the pairs of mentions that share all ``chains``, flat: kind × lemma with totals.

    A mention that lacks one of the chains (−1) has no pairs.
    """
    here = np.all([chain >= 0 for chain in chains], axis=0)
    places = [[mentions.doc], [mentions.subtopic], [mentions.topic], []]
    levels = np.array(
        [
            [pairs(_sizes(here, [*chains, *place, *lemma])) for lemma in ([mentions.lemma], [])]
            for place in places
        ]
    )
    by_kind = np.diff(levels, axis=0, prepend=0)
    same, every = np.vstack([by_kind, by_kind.sum(axis=0)]).T
    return np.stack([same, every - same, every], axis=1).reshape(-1)


def _sizes(here: Bools, groups: Sequence[Ints]) -> Ints:
    """Return the sizes of the groups of mentions (``here``) that agree in all of some arrays."""
    code = groups[0][here]
    for group in (group[here] for group in groups[1:]):
        code = np.unique(code * (int(group.max(initial=0)) + 1) + group, return_inverse=True)[1]
    return np.unique(code, return_counts=True)[1]


def with_scores(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of right, missed and wrong links with precision, recall and F1 added."""
    counts = [Links(*row).counts for row in table[list(COUNTED)].itertuples(index=False)]
    return table.assign(
        precision=[c.precision for c in counts],
        recall=[c.recall for c in counts],
        f1=[c.f1 for c in counts],
    )

"""Errors by kind: coreference links and edits of chains.

Links are right, missed or wrong, and counted without enumerating them. A
chain of n mentions has n (n − 1) / 2 links. The same formula on the parts of a chain in each
document gives the links within documents, and so on for sub-topics and topics; a kind is the
difference of two consecutive levels. Right links are the mention pairs that share the key chain and
the response chain. The sums over all kinds are the numerators and denominators of the coreference
part of BLANC under the same setting.

Edits turn the response into the key: splits and joins of chains, mentions. A
response chain whose mentions belong to k key chains is *conflated* and needs k − 1 splits. A key
chain whose mentions belong to k response chains is *divided* and needs k − 1 joins. The terms are
from Kummerfeld and Klein (2013), *Error-driven analysis of challenges in coreference resolution*,
EMNLP. If both sides have the same mentions, splits and joins are the wrong and missing links of
MUC.

The kind of an edit is the smallest unit (document, sub-topic, topic) that two of the separated or
joined parts share. Let c(ℓ) be the number of groups of a chain's k parts after merging all parts
with mentions in the same unit of level ℓ. Then k − c(document) edits are within documents,
c(document) − c(sub-topic) across documents of a sub-topic, and so on up to c(topic) − 1 across
topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Ints, numbered
from cdec.diagnosis.mentions import Mentions
from cdec.metrics import links as of_sizes
from cdec.metrics import value_of

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
EDIT_COLUMNS = ("edit", "kind", "edits", "chains")
SPLIT, JOIN = "split", "join"


def link_table(mentions: Mentions) -> pd.DataFrame:
    """Return the links by kind and lemma, with totals (``all``). Columns: COLUMNS.

    ``lemma``: whether the heads of the two mentions have the same lemma or different lemmas.
    """
    sides = ([mentions.key], [mentions.response], [mentions.key, mentions.response])
    key, response, both = (links(mentions, chains) for chains in sides)
    each = np.stack([both, key - both, response - both], axis=1).tolist()
    rows = [
        {"kind": kind, "lemma": lemma, **dict(zip(COUNTED, each[at], strict=True))}
        for kind, row in zip([*KINDS, ALL], _TOTALLED, strict=True)
        for lemma, at in zip([*LEMMAS, ALL], row, strict=True)
    ]
    return with_scores(pd.DataFrame(rows))


_TOTALLED = np.arange((len(KINDS) + 1) * (len(LEMMAS) + 1)).reshape(len(KINDS) + 1, -1)


def links(mentions: Mentions, chains: Sequence[Ints]) -> Ints:
    """Return the number of mention pairs that share all ``chains``: kind × lemma, flattened.

    A mention without one of the chains (−1) has no pairs.
    """
    at = np.flatnonzero(np.all([chain >= 0 for chain in chains], axis=0))
    group = chains[0][at]
    for chain in chains[1:]:
        group = numbered(group, chain[at])
    same, every = (
        by_distance(mentions, at, group, *codes).sum(axis=0) for codes in ([mentions.lemma[at]], [])
    )
    by_kind = np.stack([same, every - same, every], axis=1)
    return np.vstack([by_kind, by_kind.sum(axis=0)]).reshape(-1)


def linked(group: Ints, *codes: Ints) -> Ints:
    """Return the number of pairs of mentions with equal ``codes`` in each group, 0, 1, ….

    >>> linked(np.array([0, 0, 0, 1]), np.array([5, 5, 6, 6])).tolist()
    [1, 0]
    """
    groups = int(group.max(initial=-1)) + 1
    cell = group
    for code in codes:
        cell = numbered(code, cell)
    sizes, owner = np.bincount(cell), np.zeros(int(cell.max(initial=-1)) + 1, dtype=np.int64)
    owner[cell] = group
    return np.bincount(owner, weights=of_sizes(sizes), minlength=groups).astype(np.int64)


def by_distance(m: Mentions, at: Ints, group: Ints, *codes: Ints) -> Ints:
    """Return the pairs of each group by the least place that they share; see ``linked``.

    ``group`` has the group of each mention at the positions ``at``.
    """
    places: list[list[Ints]] = [[m.doc[at]], [m.subtopic[at]], [m.topic[at]], []]
    within = [linked(group, *place, *codes) for place in places]
    return np.stack([within[0], *(b - a for a, b in pairwise(within))], axis=1)


def with_scores(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with ``right``, ``missed`` and ``wrong``, with precision, recall and F1 added.

    An undefined score (0/0) is NaN.
    """
    right, missed, wrong = (table[column] for column in COUNTED)
    counts = np.stack([right, right + wrong, right, right + missed], axis=1)
    return table.assign(**value_of(counts.astype(np.float64))._asdict())


def edit_table(mentions: Mentions) -> pd.DataFrame:
    """Return the edits by kind, with totals; ``chains``: number of conflated or divided chains."""
    both = mentions.both
    places = [place[both] for place in (mentions.doc, mentions.subtopic, mentions.topic)]
    sides = {
        SPLIT: (mentions.response[both], mentions.key[both]),
        JOIN: (mentions.key[both], mentions.response[both]),
    }
    rows = []
    for edit, (whole, part) in sides.items():
        steps = edits(whole, part, places)
        kinds = zip([*KINDS, ALL], [*steps, sum(steps)], strict=True)
        count = divided(whole, part)
        rows += [
            {"edit": edit, "kind": kind, "edits": n, "chains": count if kind == ALL else None}
            for kind, n in kinds
        ]
    return pd.DataFrame(rows, columns=list(EDIT_COLUMNS)).astype({"chains": "Int64"})


def mention_table(mentions: Mentions) -> pd.DataFrame:
    """Return the numbers of mentions that only the key or only the response has."""
    missing = int(((mentions.key >= 0) & (mentions.response < 0)).sum())
    extra = int(((mentions.key < 0) & (mentions.response >= 0)).sum())
    return pd.DataFrame({"edit": ["add mention", "remove mention"], "edits": [missing, extra]})


def edits(whole: Ints, part: Ints, places: list[Ints]) -> list[int]:
    """Return the number of splits of the chains ``whole`` into their parts, by kind."""
    cell = _codes(whole, part)
    groups = [len(np.unique(cell)), *(_groups(cell, _codes(whole, place)) for place in places)]
    groups.append(len(np.unique(whole)))
    return [int(before - after) for before, after in pairwise(groups)]


def divided(whole: Ints, part: Ints) -> int:
    """Return the number of chains in ``whole`` with more than one part."""
    cells = np.unique(np.stack([whole, part]), axis=1)
    return int((np.bincount(cells[0]) > 1).sum()) if len(whole) else 0


def _groups(cell: Ints, place: Ints) -> int:
    """Return the number of groups after merging all parts with mentions in the same unit."""
    if not len(cell):
        return 0
    cells, places = int(cell.max()) + 1, int(place.max()) + 1
    nodes = cells + places
    graph = coo_array((np.ones(len(cell)), (cell, place + cells)), shape=(nodes, nodes))
    return len(np.unique(connected_components(graph, directed=False)[1]))


def _codes(first: Ints, second: Ints) -> Ints:
    """Return a code 0, 1, … for each pair of values of two arrays."""
    pairs = np.stack([first, second])
    codes: Ints = np.unique(pairs, axis=1, return_inverse=True)[1].reshape(-1)
    return codes

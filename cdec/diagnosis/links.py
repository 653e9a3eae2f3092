"""Errors by kind: coreference links and edits of chains.

Links are right, missed or wrong, and counted without enumerating them. A chain of n mentions has
n (n − 1) / 2 links. The same formula on the parts of a chain in each document gives the links
within documents, and so on for sub-topics and topics; a kind is the difference of two consecutive
levels. Right links are the mention pairs that share the key chain and the response chain. The sums
over all kinds are the numerators and denominators of the coreference part of BLANC under the same
setting.

Edits turn the response into the key: splits and joins of chains, mentions. A response chain whose
mentions belong to k key chains is *conflated* and needs k − 1 splits. A key chain whose mentions
belong to k response chains is *divided* and needs k − 1 joins. The terms are from Kummerfeld and
Klein (2013), *Error-driven analysis of challenges in coreference resolution*, EMNLP. If both sides
have the same mentions, splits and joins are the wrong and missing links of MUC.

The kind of an edit is the smallest unit (document, sub-topic, topic) that two of the separated or
joined parts share. Let c(ℓ) be the number of groups of a chain's k parts after merging all parts
with mentions in the same unit of level ℓ. Then k − c(document) edits are within documents,
c(document) − c(sub-topic) across documents of a sub-topic, and so on up to c(topic) − 1 across
topics.
"""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Ints
from cdec.clustering import OTHER, Side
from cdec.diagnosis.facts import groups, present
from cdec.metrics import links, value_of

KINDS = {
    "document": "within a document",
    "subtopic": "across documents of a sub-topic",
    "topic": "across sub-topics of a topic",
    "corpus": "across topics",
}
LEMMAS = ("same", "different")
ALL = "all"
COUNTED = ("right", "missed", "wrong")
_UNITS = ("doc", "subtopic", "topic")
EDITS: dict[str, Side] = {"split": "response", "join": "key"}


def linked(rows: pd.DataFrame, group: Ints, *columns: str) -> Ints:
    """Return the number of pairs of mentions with equal ``columns`` in each group, 0, 1, ….

    >>> rows = pd.DataFrame({"lemma": [5, 5, 6, 6]})
    >>> linked(rows, np.array([0, 0, 0, 1]), "lemma").tolist()
    [1, 0]
    """
    sizes = rows.groupby([group, *(rows[column] for column in columns)]).size()
    return links(sizes).groupby(level=0).sum().to_numpy()


def by_distance(rows: pd.DataFrame, group: Ints, *columns: str) -> Ints:
    """Return the pairs of each group by the smallest place that they share; see ``linked``."""
    places: tuple[list[str], ...] = (["doc"], ["subtopic"], ["topic"], [])
    within = [linked(rows, group, *place, *columns) for place in places]
    return np.stack([within[0], *(b - a for a, b in pairwise(within))], axis=1)


def link_counts(facts: pd.DataFrame, *sides: str) -> Ints:
    """Return the number of mention pairs that share the chains of all ``sides``.

    They are in the order of ``of_kinds``.
    """
    rows = present(facts, *sides)
    group = groups(rows, *sides)
    same, every = (by_distance(rows, group, *lemma).sum(axis=0) for lemma in (["lemma"], []))
    by_kind = np.stack([same, every - same, every], axis=1)
    return np.vstack([by_kind, by_kind.sum(axis=0)]).reshape(-1)


def of_kinds(**counts: Ints) -> pd.DataFrame:
    """Return counts by kind of link and by lemma (of the two heads), with totals (``all``)."""
    heads = product([*KINDS, ALL], [*LEMMAS, ALL])
    return pd.DataFrame(heads, columns=["kind", "lemma"]).assign(**counts)


def link_table(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the links that are right, missed and wrong, by kind and lemma, with their scores.

    An undefined score (0/0) is NaN.
    """
    right = link_counts(facts, "key", "response")
    key, response = link_counts(facts, "key"), link_counts(facts, "response")
    counts = np.stack([right, response, right, key], axis=1).astype(np.float64)
    table = of_kinds(right=right, missed=key - right, wrong=response - right)
    return table.assign(**value_of(counts)._asdict())


def edit_table(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the splits and joins by kind, with totals.

    ``chains``: number of conflated or divided chains.
    """
    both, rows = present(facts, "key", "response"), []
    cell = groups(both, "key", "response")
    for edit, whole in EDITS.items():
        merged = (_merged(cell, groups(both, whole, place)) for place in _UNITS)
        counts = [len(np.unique(cell)), *merged, both[whole].nunique()]
        steps = [before - after for before, after in pairwise(counts)]
        kinds = zip([*KINDS, ALL], [*steps, sum(steps)], strict=True)
        parts = both.groupby(whole)[OTHER[whole]].nunique()
        divided = int((parts > 1).sum())
        rows += [(edit, kind, n, divided if kind == ALL else None) for kind, n in kinds]
    return pd.DataFrame(rows, columns=["edit", "kind", "edits", "chains"], dtype=object)


def mention_table(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of mentions that only the key or only the response has."""
    both = len(present(facts, "key", "response"))
    counts = [len(present(facts, side)) - both for side in ("key", "response")]
    return pd.DataFrame({"edit": ["add mention", "remove mention"], "edits": counts})


def _merged(cell: Ints, place: Ints) -> int:
    """Return the number of groups after merging all parts with mentions in the same unit."""
    if not len(cell):
        return 0
    first = int(cell.max()) + 1
    size = first + int(place.max()) + 1
    graph = coo_array((np.ones(len(cell)), (cell, place + first)), shape=(size, size))
    return int(connected_components(graph, directed=False)[0])

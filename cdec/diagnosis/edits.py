"""The edits that turn the response into the key: splits and joins of chains, mentions.

A response chain whose mentions belong to k key chains is *conflated* and needs k − 1 splits. A key
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

from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Ints
from cdec.diagnosis.links import ALL, KINDS
from cdec.diagnosis.mentions import Mentions

COLUMNS = ("edit", "kind", "edits", "chains")
SPLIT, JOIN = "split", "join"


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
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"chains": "Int64"})


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

"""The edits that turn the response into the key: chains to split, chains to join, mentions.

A response chain whose mentions belong to k key chains is *conflated*: it takes k − 1 splits. A key
chain whose mentions stand in k response chains is *divided*: its parts take k − 1 joins (the terms
are those of Kummerfeld and Klein 2013, *Error-driven analysis of challenges in coreference
resolution*, EMNLP). Where both sides have the same mentions, splits and joins are the links that
MUC finds wrong and missing.

The kind of a split says how near the parts stood that it separates: parts that meet in a document
are separated there, the groups that remain in their sub-topic, and so on. Of a chain's k parts,
let c(ℓ) be the groups that are left when parts with mentions in the same place of level ℓ are put
together: k − c(document) edits are within documents, c(document) − c(sub-topic) across documents
of a sub-topic, and so on up to c(topic) − 1 across topics.
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
    """Return the edits by kind, with totals; ``chains`` is how many are conflated or divided."""
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
        broken = divided(whole, part)
        rows += [
            {"edit": edit, "kind": kind, "edits": n, "chains": broken if kind == ALL else None}
            for kind, n in kinds
        ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"chains": "Int64"})


def mention_table(mentions: Mentions) -> pd.DataFrame:
    """Return how many mentions one side lacks."""
    missing = int(((mentions.key >= 0) & (mentions.response < 0)).sum())
    extra = int(((mentions.key < 0) & (mentions.response >= 0)).sum())
    return pd.DataFrame({"edit": ["add mention", "remove mention"], "edits": [missing, extra]})


def edits(whole: Ints, part: Ints, places: list[Ints]) -> list[int]:
    """Return the splits of the chains ``whole`` into their parts, kind by kind."""
    cell = _codes(whole, part)
    left = [len(np.unique(cell)), *(_groups(cell, _codes(whole, place)) for place in places)]
    left.append(len(np.unique(whole)))
    return [int(before - after) for before, after in pairwise(left)]


def divided(whole: Ints, part: Ints) -> int:
    """Return how many of the chains ``whole`` have more than one part."""
    cells = np.unique(np.stack([whole, part]), axis=1)
    return int((np.bincount(cells[0]) > 1).sum()) if len(whole) else 0


def _groups(cell: Ints, place: Ints) -> int:
    """Return the groups of parts that are left when those that meet in a place are one."""
    if not len(cell):
        return 0
    cells, places = int(cell.max()) + 1, int(place.max()) + 1
    nodes = cells + places
    graph = coo_array((np.ones(len(cell)), (cell, place + cells)), shape=(nodes, nodes))
    return len(np.unique(connected_components(graph, directed=False)[1]))


def _codes(first: Ints, second: Ints) -> Ints:
    """Return numbers 0, 1, … of the pairs of two arrays."""
    pairs = np.stack([first, second])
    codes: Ints = np.unique(pairs, axis=1, return_inverse=True)[1].reshape(-1)
    return codes

"""What UD's validator refuses in mentions, and what can be scored all the same: notices.

Mentions of one entity that cross, two mentions with the same words. An entity in two documents is
no fault here: it is a chain across documents if the scope of the scores is the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from cdec.errors import counted
from cdec.formats.conllu.entities import Entities
from cdec.formats.conllu.trees import Trees
from cdec.io.source import Source
from cdec.notices import Notice, notice


def irregularities(source: Source, trees: Trees, entities: Entities) -> Iterator[Notice]:
    """Yield the notices of a file, each with the lines of the mentions."""
    if not len(entities):
        return
    lines = trees.line[entities.first]
    for code, rows, one, many in (
        (
            "mentions-crossing",
            _crossing(entities),
            "mention crosses another of its entity",
            "mentions cross another of their entity",
        ),
        (
            "mentions-same-span",
            _same_span(entities),
            "mention has the words of another",
            "mentions have the words of another",
        ),
    ):
        if len(rows):
            cases = [f"{entities.entity_of(r)} at {source.place(int(lines[r]))}" for r in rows]
            yield notice(code, counted(len(rows), one, many), cases, warning=False)


def _crossing(entities: Entities) -> list[int]:
    """Return the mentions that begin inside another mention of their entity and end after it."""
    first, last = entities.first, entities.last
    order = np.lexsort((-last, first, entities.code))
    code, start = entities.code[order], first[order]
    # Nodes of a later entity are put behind those of all earlier ones: one running maximum.
    above = code * (int(last.max()) + 2)
    before = np.maximum.accumulate(last[order] + above)
    inside = np.flatnonzero(start[1:] + above[1:] <= before[:-1]) + 1
    found = []
    for at in inside.tolist():
        row = int(order[at])
        back = at - 1
        while back >= 0 and code[back] == code[at] and start[back] >= start[at] - _WINDOW:
            other = int(order[back])
            if first[other] < first[row] <= last[other] < last[row]:
                found.append(row)
                break
            back -= 1
    return sorted(found)


_WINDOW = 1000  # nodes: no sentence is longer


def _same_span(entities: Entities) -> list[int]:
    """Return the mentions whose nodes are those of an earlier mention."""
    sizes = np.diff(entities.bounds)
    wide = int(sizes.max()) + 1
    again = np.flatnonzero(pd.Index(entities.first * wide + sizes).duplicated(keep=False))
    seen: set[bytes] = set()
    found = []
    for row in again.tolist():
        nodes = entities.nodes[entities.bounds[row] : entities.bounds[row + 1]].tobytes()
        if nodes in seen:
            found.append(row)
        seen.add(nodes)
    return found

"""What UD's validator refuses in mentions, and what can be scored all the same: notices.

Mentions of one entity that cross, two mentions with the same words. An entity in two documents is
no fault here: it is a chain across documents if the scope of the scores is the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from cdec.errors import counted
from cdec.errors.notices import Notice, notice
from cdec.formats.conllu.entities import Entities
from cdec.formats.conllu.trees import Trees
from cdec.io.source import Source

_CROSSING = "mention crosses another of its entity", "mentions cross another of their entity"
_SAME_SPAN = "mention has the words of another", "mentions have the words of another"


def irregularities(source: Source, trees: Trees, entities: Entities) -> Iterator[Notice]:
    """Yield the notices of a file, each with the lines of the mentions."""
    lines, names = trees.line[entities.first], entities.entity
    for code, rows, words in (
        ("mentions-crossing", _crossing(entities), _CROSSING),
        ("mentions-same-span", _same_span(entities), _SAME_SPAN),
    ):
        if rows:
            cases = [f"{names[row]} at {source.place(int(lines[row]))}" for row in rows]
            yield notice(code, counted(len(rows), *words), cases, warning=False)


def _crossing(entities: Entities) -> list[int]:
    """Return the mentions that begin inside another mention of their entity and end after it."""
    order = np.lexsort((-entities.last, entities.first, entities.code))
    first, last, code = entities.first[order], entities.last[order], entities.code[order]
    # Nodes of a later entity are put behind those of all earlier ones: one running maximum.
    above = code * (int(last.max(initial=0)) + 1)
    reached = first[1:] + above[1:] <= np.maximum.accumulate(last + above)[:-1]
    found = []
    for at in (np.flatnonzero(reached) + 1).tolist():
        before = slice(int(np.searchsorted(code, code[at])), at)
        starts, ends = first[before], last[before]
        if ((starts < first[at]) & (first[at] <= ends) & (ends < last[at])).any():
            found.append(int(order[at]))
    return sorted(found)


def _same_span(entities: Entities) -> list[int]:
    """Return the mentions whose nodes are those of an earlier mention."""
    sizes = np.diff(entities.bounds)
    wide = int(sizes.max(initial=0)) + 1
    alike = np.flatnonzero(pd.Index(entities.first * wide + sizes).duplicated(keep=False))
    seen: set[bytes] = set()
    found = []
    for row in alike.tolist():
        nodes = entities.nodes[entities.bounds[row] : entities.bounds[row + 1]].tobytes()
        if nodes in seen:
            found.append(row)
        seen.add(nodes)
    return found

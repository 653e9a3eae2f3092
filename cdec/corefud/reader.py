"""Read CoNLL-U with ``Entity=`` as an annotation with trees."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.corefud.entities import Entities, read_entities
from cdec.corefud.lines import Lines
from cdec.corefud.treebank import Treebank
from cdec.errors import counted
from cdec.errors.notices import Notice, notice
from cdec.files.input import Source
from cdec.formats.annotation import Annotation, object_array

_CROSSING = "mention crosses another of its entity", "mentions cross another of their entity"
_SAME_SPAN = "mention has the words of another", "mentions have the words of another"


def read(source: Source) -> Annotation:
    """Read a CoNLL-U file; raises FormatError with ``file:line``."""
    bank = _treebank(source)
    trees, entities = bank.trees, bank.entities
    return Annotation(
        name=source.name,
        format="conllu",
        mentions=table_of(bank),
        documents=trees.texts,
        notices=(
            *_notices(source, entities),
            *irregularities(source, entities, trees.line[entities.first]),
        ),
        trees=bank,
        names_tokens=True,
    )


def _treebank(source: Source) -> Treebank:
    lines = Lines(source)
    trees = lines.trees()
    values = zip(lines.value_nodes, lines.values, strict=True)
    return Treebank(trees, read_entities(source, trees, lines.header, values))


def table_of(bank: Treebank) -> pd.DataFrame:
    """Return the mentions; tokens are words of the document, a zero has an id only."""
    trees, entities = bank.trees, bank.entities
    first, last = entities.first, entities.last
    # Words are numbered in the order of nodes; an empty node has the number of the next word.
    start = trees.word_in_document[first]
    end = trees.word_in_document[last] - ~trees.is_word[last]
    words = np.concatenate([[0], np.cumsum(trees.is_word[entities.nodes])])
    count = words[entities.bounds[1:]] - words[entities.bounds[:-1]]
    end[count == 0] = start[count == 0] = -1
    tokens = object_array([()] * len(entities))
    for row in np.flatnonzero((count > 0) & (count < end - start + 1)).tolist():
        nodes = entities.nodes[entities.bounds[row] : entities.bounds[row + 1]]
        tokens[row] = tuple(trees.word_in_document[nodes][trees.is_word[nodes]].tolist())
    bare = np.flatnonzero(count == 0)
    mention = object_array([""] * len(entities))
    mention[bare] = bank.spans_of(bare)
    names = np.array(trees.names, dtype=object)
    columns = {
        "doc": names[trees.document[first]],
        "start": start,
        "end": end,
        "tokens": tokens,
        "chain": entities.entity,
        "line": trees.line[first],
        "mention": mention,
        "sentence": np.full(len(entities), -1),
    }
    return pd.DataFrame(columns, copy=False)


def _notices(source: Source, entities: Entities) -> Iterator[Notice]:
    if len(entities) and not entities.has_heads:
        message = (
            "the file names no heads ('# global.Entity' has no field 'head'): the first word of "
            "each mention counts as its head; heads=tree derives heads from the tree"
        )
        yield Notice("heads-assumed", len(entities), message, (source.name,))


def irregularities(source: Source, entities: Entities, lines: Ints) -> Iterator[Notice]:
    """Yield notices on what UD's validator refuses in mentions, and can be scored all the same.

    Mentions of one entity that cross, and two mentions with the same words. An entity in two
    documents is no fault here: it is a chain across documents if the scope is the corpus. ``lines``
    are those of the mentions.
    """
    names = entities.entity
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

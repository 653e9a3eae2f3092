"""Read CoNLL-U with ``Entity=`` as an annotation with trees."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from cdec.errors.notices import Notice
from cdec.formats.annotation import Annotation, Treebank, object_array
from cdec.formats.conllu.entities import Entities, read_entities
from cdec.formats.conllu.irregular import irregularities
from cdec.formats.conllu.lines import Lines
from cdec.io.source import Source


def read(source: Source) -> Annotation:
    """Read a CoNLL-U file; raises FormatError with ``file:line``."""
    bank = _treebank(source)
    trees, entities = bank.trees, bank.entities
    return Annotation(
        name=source.name,
        format="conllu",
        mentions=_table(bank),
        documents=trees.texts,
        notices=(*_notices(source, entities), *irregularities(source, trees, entities)),
        trees=bank,
        names_tokens=True,
    )


def _treebank(source: Source) -> Treebank:
    lines = Lines(source)
    trees = lines.trees()
    values = zip(lines.value_nodes, lines.values, strict=True)
    return Treebank(trees, read_entities(source, trees, lines.header, values))


def _table(bank: Treebank) -> pd.DataFrame:
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
            "each mention counts as its head; --heads tree derives heads from the tree"
        )
        yield Notice("heads-assumed", len(entities), message, (source.name,))

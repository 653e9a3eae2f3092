"""Read CoNLL-U with ``Entity=`` as an annotation with trees."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.formats.annotation import Annotation, Treebank, mention_table
from cdec.formats.conllu.entities import Entities, read_entities
from cdec.formats.conllu.lines import read_trees
from cdec.formats.conllu.trees import Trees
from cdec.io.source import Source
from cdec.notices import Notice


def sniff(data: bytes) -> bool:
    r"""Return whether ``data`` begins a CoNLL-U file, by the first line that is no comment.

    >>> sniff(b"# newdoc\n1\tShe\tshe\tPRON\t_\t_\t0\troot\t_\tEntity=(e1)\n")
    True
    """
    for line in data.removeprefix(b"\xef\xbb\xbf").splitlines():
        if line.strip() and not line.startswith(b"#"):
            cells = line.split(b"\t")
            return len(cells) == 10 and (cells[0][:1] == b"1" or cells[0].startswith(b"0."))
        if line.startswith(b"#begin document") or line.startswith(b"# begin document"):
            return False
    return False


def read(source: Source) -> Annotation:
    """Read a CoNLL-U file; raises FormatError with ``file:line``."""
    trees, comments = read_trees(source)
    entities = read_entities(source, trees, comments.header)
    spans = spans_of(trees, entities.nodes, entities.bounds)
    return Annotation(
        name=source.name,
        format="conllu",
        mentions=_table(trees, entities, spans),
        documents=trees.texts,
        notices=tuple(_notices(source, entities)),
        trees=Treebank(trees, entities, tuple(spans)),
    )


def _table(trees: Trees, entities: Entities, spans: list[str]) -> pd.DataFrame:
    """Return the mentions; tokens are words of the document, a zero has an id only."""
    nodes, bounds = entities.nodes, entities.bounds
    first = nodes[bounds[:-1]]
    word = trees.is_word[nodes]
    rows = np.repeat(np.arange(len(entities)), np.diff(bounds))
    numbers = trees.word_in_document[nodes]
    start = np.full(len(entities), np.iinfo(np.int64).max)
    end = np.full(len(entities), -1)
    np.minimum.at(start, rows[word], numbers[word])
    np.maximum.at(end, rows[word], numbers[word])
    start[end < 0] = -1
    count = np.bincount(rows[word], minlength=len(entities))
    tokens: list[tuple[int, ...]] = [()] * len(entities)
    for row in np.flatnonzero((count > 0) & (count < end - start + 1)).tolist():
        at = slice(bounds[row], bounds[row + 1])
        tokens[row] = tuple(numbers[at][word[at]].tolist())
    documents = np.array(trees.names, dtype=object)
    return mention_table(
        documents[trees.document[first]].tolist(),
        start,
        end,
        entities.entity,
        tokens=tokens,
        line=trees.line[first],
        mention=[span if at < 0 else "" for span, at in zip(spans, start.tolist(), strict=True)],
    )


def spans_of(trees: Trees, nodes: Ints, bounds: Ints) -> list[str]:
    """Return the place of each mention in its document: sentence and ids, as in ``3:2-4,6.1``."""
    first, last = nodes[bounds[:-1]], nodes[bounds[1:] - 1]
    sentence = trees.sentence_in_document[first].tolist()
    size = np.diff(bounds)
    is_empty = np.concatenate([[0], np.cumsum(~trees.is_word[nodes])])
    simple = ((last - first + 1 == size) & (is_empty[bounds[1:]] == is_empty[bounds[:-1]])).tolist()
    low, high = trees.number[first].tolist(), trees.number[last].tolist()
    return [
        (f"{s}:{a}-{b}" if a < b else f"{s}:{a}")
        if plain
        else f"{s}:{_span(trees, nodes[bounds[row] : bounds[row + 1]])}"
        for row, (s, a, b, plain) in enumerate(zip(sentence, low, high, simple, strict=True))
    ]


def _span(trees: Trees, nodes: Ints) -> str:
    """Return the ids of nodes as runs; empty nodes inside a run of nodes are part of it."""
    cuts = np.flatnonzero(np.diff(nodes) > 1) + 1
    runs = [(trees.id_of(run[0]), trees.id_of(run[-1])) for run in np.split(nodes, cuts)]
    return ",".join(a if a == b else f"{a}-{b}" for a, b in runs)


def _notices(source: Source, entities: Entities) -> Iterator[Notice]:
    if len(entities) and not entities.has_heads:
        message = (
            "the file names no heads ('# global.Entity' has no field 'head'): the first word of "
            "each mention counts as its head; --heads tree derives heads from the tree"
        )
        yield Notice("heads-assumed", len(entities), message, (source.name,))

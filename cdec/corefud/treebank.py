"""The nodes of a file and its mentions: what ``cdec.formats.Annotation`` has as ``trees``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.corefud.nodes import Nodes
from cdec.corefud.spans import Spans
from cdec.formats.annotation import object_array


@dataclass(frozen=True, eq=False)
class Treebank:
    """The nodes of a file, and those of its mentions, in the order of the table of mentions.

    ``spans`` has the nodes and the head of each mention; ``has_heads``: whether the file gives the
    heads (else each is the first node, or the first word). ``identity`` has the name of the chain
    across documents of each mention, '' for none; None if the file has no field of such names.
    ``changed``: which mentions are not in the text, as a model has changed their words; they have
    nodes that no other file has.
    """

    nodes: Nodes
    spans: Spans
    has_heads: bool = False
    identity: npt.NDArray[np.object_] | None = field(default=None, repr=False)
    changed: Bools | None = field(default=None, repr=False)

    def take(self, rows: Ints) -> Treebank:
        """Return the mentions at these rows."""
        identity = None if self.identity is None else self.identity[rows]
        changed = None if self.changed is None else self.changed[rows]
        return replace(self, spans=self.spans.take(rows), identity=identity, changed=changed)

    def places(self, rows: Ints | None = None) -> list[str]:
        """Return the places of mentions in their documents: sentence and ids, as ``3:2-4,6.1``."""
        nodes, spans = self.nodes, self.spans if rows is None else self.spans.take(rows)
        owner, first, last = spans.runs()
        texts = [""] * len(spans)
        ends = zip(owner.tolist(), nodes.ids(first), nodes.ids(last), strict=True)
        for row, low, high in ends:
            run = low if low == high else f"{low}-{high}"
            texts[row] = f"{texts[row]},{run}" if texts[row] else run
        start = nodes.starts[nodes.document[spans.first]]
        sentence = (nodes.sentence[spans.first] - nodes.sentence[start] + 1).tolist()
        return [f"{number}:{runs}" for number, runs in zip(sentence, texts, strict=True)]

    def ids(self, rows: Ints | None = None) -> list[str]:
        """Return the ids of mentions: document and place."""
        first = self.spans.first if rows is None else self.spans.first[rows]
        documents = self.nodes.document[first].tolist()
        pairs = zip(documents, self.places(rows), strict=True)
        return [f"{self.nodes.names[document]}/{place}" for document, place in pairs]

    def table(self, chain: Sequence[str] | npt.NDArray[np.object_]) -> pd.DataFrame:
        """Return the table of an annotation: tokens are words; a zero has an id only."""
        nodes, spans = self.nodes, self.spans
        first, last = spans.first, spans.last
        # An empty node has the number of the next word.
        start = nodes.word_in_document[first]
        end = nodes.word_in_document[last] - ~nodes.is_word[last]
        is_word = nodes.is_word[spans.places]
        count = np.diff(np.append(0, np.cumsum(is_word))[spans.bounds])
        end[count == 0] = start[count == 0] = -1
        tokens = object_array([()] * len(spans))
        for row in np.flatnonzero((count > 0) & (count < end - start + 1)).tolist():
            inside = slice(*spans.bounds[row : row + 2])
            words = spans.places[inside][is_word[inside]]
            tokens[row] = tuple(nodes.word_in_document[words].tolist())
        mention = object_array([""] * len(spans))
        mention[count == 0] = self.places(np.flatnonzero(count == 0))
        columns = {
            "doc": object_array(nodes.names)[nodes.document[first]],
            "start": start,
            "end": end,
            "tokens": tokens,
            "chain": object_array(chain),
            "line": nodes.line[first],
            "mention": mention,
            "sentence": np.full(len(spans), -1),
            "words": object_array([""] * len(spans)),
        }
        return pd.DataFrame(columns, copy=False)

"""The nodes of a file and its mentions: what ``cdec.formats.Annotation`` has as ``trees``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.corefud.nodes import Nodes
from cdec.corefud.spans import Spans
from cdec.formats.annotation import Layout, mention_table, object_array
from cdec.records import Tokens


@dataclass(frozen=True, eq=False, repr=False)
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
    identity: npt.NDArray[np.object_] | None = None
    changed: Bools | None = None

    def take(self, rows: Ints) -> Treebank:
        """Return the mentions at these rows."""
        bank = replace(self, spans=self.spans.take(rows))
        if self.identity is not None:
            bank = replace(bank, identity=self.identity[rows])
        if self.changed is not None:
            bank = replace(bank, changed=self.changed[rows])
        return bank

    def places(self, rows: Ints) -> list[str]:
        """Return the places of mentions in their documents: sentence and ids, as ``3:2-4,6.1``."""
        nodes = self.nodes
        spans = self.spans.take(rows)
        mention, first, last = spans.runs()
        runs: list[list[str]] = [[] for _ in rows]
        ids = zip(mention.tolist(), nodes.ids(first), nodes.ids(last), strict=True)
        for row, first_id, last_id in ids:
            runs[row].append(
                first_id if first_id == last_id else f"{first_id}-{last_id}"
            )
        start = nodes.starts[nodes.document[spans.first]]
        sentence = nodes.sentence[spans.first] - nodes.sentence[start] + 1
        pairs = zip(sentence.tolist(), runs, strict=True)
        return [f"{number}:{','.join(texts)}" for number, texts in pairs]

    def ids(self, rows: Ints) -> list[str]:
        """Return the ids of mentions: document and place."""
        documents = self.nodes.document[self.spans.first[rows]].tolist()
        pairs = zip(documents, self.places(rows), strict=True)
        return [f"{self.nodes.names[document]}/{place}" for document, place in pairs]

    def table(self, chain: Sequence[str] | npt.NDArray[np.object_]) -> pd.DataFrame:
        """Return the table of an annotation: tokens are words; a zero has an id only."""
        nodes = self.nodes
        spans = self.spans
        is_word = nodes.is_word[spans.places]
        words = np.bincount(spans.rows()[is_word], minlength=len(spans))
        is_zero = words == 0
        # An empty node has the number of the next word.
        start = nodes.word_in_document[spans.first]
        end = nodes.word_in_document[spans.last] - ~nodes.is_word[spans.last]
        start[is_zero] = -1
        end[is_zero] = -1
        has_gap = ~is_zero & (words < end - start + 1)
        tokens: list[Tokens] = [()] * len(spans)
        for row in np.flatnonzero(has_gap).tolist():
            inside = slice(*spans.bounds[row : row + 2])
            places = spans.places[inside][is_word[inside]]
            tokens[row] = tuple(nodes.word_in_document[places].tolist())
        mention = object_array([""] * len(spans))
        mention[is_zero] = self.places(np.flatnonzero(is_zero))
        return mention_table(
            doc=[
                nodes.names[document]
                for document in nodes.document[spans.first].tolist()
            ],
            start=start,
            end=end,
            chain=list(chain),
            tokens=tokens,
            line=nodes.line[spans.first],
            mention=mention.tolist(),
        )


def sentences(bank: Treebank) -> dict[str, Layout]:
    """Return the layout of each document: its words by sentence."""
    nodes = bank.nodes
    sizes = nodes.sizes
    firsts = nodes.sentence[nodes.starts[:-1]].tolist()
    bounds = pairwise([*firsts, len(sizes)])
    return {
        name: Layout.of(name, sizes[first:stop].tolist())
        for name, (first, stop) in zip(nodes.names, bounds, strict=True)
    }

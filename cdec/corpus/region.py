"""The annotated region of a corpus part: the sentences that the annotators reviewed in full."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.corpus.model import Document

Sentences = frozenset[tuple[str, int]]


@dataclass(frozen=True, eq=False)
class Region:
    """The sentences of a part in which a mention can be right or wrong.

    ``sentences`` are (document id, index of the sentence in the document); ``outside`` has the rows
    of the corpus's mentions in other sentences, which are not part of the key.

    >>> documents = {"a": Document("a", "1", "1x", (("Fire", "spread"), ("It", "rained")))}
    >>> region = Region(frozenset({("a", 1)}), pd.DataFrame())
    >>> region.contains(documents, ["a", "a"], np.array([1, 2])).tolist()
    [False, True]
    """

    sentences: Sentences
    outside: pd.DataFrame = field(repr=False)

    def contains(
        self, documents: Mapping[str, Document], docs: Iterable[str], start: Ints
    ) -> Bools:
        """Return whether the sentences of these tokens are in the region.

        ``docs`` and ``start`` have the document and the first token of each mention.
        """
        table = pd.DataFrame({"doc": list(docs), "start": start})
        inside = np.zeros(len(table), dtype=np.bool_)
        for doc, rows in table.groupby("doc", sort=False).indices.items():
            starts = documents[str(doc)].sentence_starts
            sentences = np.searchsorted(starts, start[rows], side="right") - 1
            inside[rows] = [(doc, int(sentence)) in self.sentences for sentence in sentences]
        return inside

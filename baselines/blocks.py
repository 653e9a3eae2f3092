"""Mentions grouped by lemma (blocks), and clusters inside each block from document pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Ints
from cdec.language.similarity import DocumentPairs

_PAIRS = 1 << 18  # pairs of documents whose lemmas are compared at once
_LINKS = 1 << 22  # links collected before clusters are merged


@dataclass(frozen=True, eq=False)
class Blocks:
    """Mentions by lemma and document: mentions with the same lemma and document are one node.

    ``lemmas``: the distinct lemmas in order of first mention. ``lemma``, ``node``: the lemma code
    and the node of each mention. ``nodes``: sparse matrix, documents × lemmas: node number + 1
    where the document has a mention with the lemma.
    """

    lemmas: pd.Index[Any]
    lemma: Ints = field(repr=False)
    node: Ints = field(repr=False)
    nodes: csr_array[Any] = field(repr=False)

    @classmethod
    def from_mentions(
        cls, lemma: pd.Series[Any], document: pd.Series[Any], documents: Sequence[str]
    ) -> Blocks:
        """Return the blocks; ``lemma`` and ``document`` have one entry per mention."""
        codes, lemmas = pd.factorize(lemma)
        rows = pd.Index(documents).get_indexer(pd.Index(document)).astype(np.int64)
        keys, node = np.unique(rows * len(lemmas) + codes, return_inverse=True)
        width = max(len(lemmas), 1)
        cells = (np.arange(1, len(keys) + 1), (keys // width, keys % width))
        nodes = coo_array(cells, (len(documents), len(lemmas))).tocsr()
        return cls(pd.Index(lemmas), codes.astype(np.int64), node.astype(np.int64), nodes)

    def by_links(self, chunks: Iterable[DocumentPairs]) -> Ints:
        """Return each mention's cluster: connected components of the links inside the blocks.

        Two nodes with the same lemma are linked if ``chunks`` contains the pair of their documents.
        """
        cluster: Ints = np.arange(self.nodes.nnz, dtype=np.int64)
        for left, right in _batches(self._links(chunks)):
            size = int(cluster.max()) + 1
            ends = (cluster[left], cluster[right])
            graph = coo_array((np.ones(len(left), dtype=np.int8), ends), (size, size))
            joined = connected_components(graph, directed=False)[1].astype(np.int64)
            cluster = joined[cluster]
        return cluster[self.node]

    def labels(self, cluster: Ints) -> pd.Series[Any]:
        """Return each mention's label, ``"<lemma>/<k>"``: k numbers the clusters of a lemma.

        ``cluster`` has one entry per mention; mentions of a cluster have the same lemma.
        """
        code = pd.factorize(cluster)[0]
        first = np.unique(code, return_index=True)[1]
        lemma = pd.Series(self.lemma[first])
        names = self.lemmas.take(lemma.to_numpy()).astype(str)
        counts = lemma.groupby(lemma).cumcount().astype(str)
        return pd.Series((names + "/" + counts).to_numpy(dtype=object)[code])

    def _links(self, chunks: Iterable[DocumentPairs]) -> Iterator[tuple[Ints, Ints]]:
        present = self.nodes.sign()
        for left, right, _ in chunks:
            for at in range(0, len(left), _PAIRS):
                a, b = left[at : at + _PAIRS], right[at : at + _PAIRS]
                here = self.nodes[a].multiply(present[b]).tocsr()
                there = present[a].multiply(self.nodes[b]).tocsr()
                yield here.data - 1, there.data - 1


def _batches(links: Iterable[tuple[Ints, Ints]]) -> Iterator[tuple[Ints, Ints]]:
    """Yield the links in batches of about ``_LINKS``: each merge of clusters has a fixed cost."""
    batch: list[tuple[Ints, Ints]] = []
    count = 0
    for pair in links:
        batch.append(pair)
        count += len(pair[0])
        if count >= _LINKS:
            yield _concatenated(batch)
            batch, count = [], 0
    if count:
        yield _concatenated(batch)


def _concatenated(batch: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    return np.concatenate([a for a, _ in batch]), np.concatenate([b for _, b in batch])

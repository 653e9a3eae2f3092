"""Lemma in document clusters: cluster the documents, then match head lemmas inside each cluster.

Later papers report this as Lemma-δ, or as "cluster + lemma". It is another algorithm: documents
of a cluster are linked transitively, whatever their mentions are. The clusters are those of Bugert,
Reimers & Gurevych (2021, "Generalizing Cross-Document Event Coreference Resolution Across Multiple
Corpora", Computational Linguistics 47(3)), as in their published code: agglomerative with average
link over tf-idf cosines; clusters with a mean cosine below δ are not joined. Barhom et al. (2019)
use k-means with a fixed number of clusters instead. δ = 0 is Lemma.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Ints
from cdec.baselines.blocks import Blocks
from cdec.baselines.lemma_delta import LemmaDelta
from cdec.configs import read_toml
from cdec.errors import UsageError
from cdec.language.similarity import ROUNDING
from cdec.language.vectors import Matrix, Tfidf

_DEFAULT = read_toml("systems/lemma-docs.toml")
_TFIDF = Tfidf(**_DEFAULT["tfidf"])
# Documents of one connected component: their cosines are a dense matrix of 8 bytes a cell.
LARGEST = 20_000


@dataclass(frozen=True)
class LemmaDocs(LemmaDelta):
    """One chain per head lemma and document cluster."""

    delta: float = _DEFAULT["delta"]
    tfidf: Tfidf = _TFIDF

    @property
    def name(self) -> str:
        """The system's id in results."""
        return "lemma-docs"

    def _clusters(self, blocks: Blocks, rows: Matrix, deltas: Sequence[float]) -> Iterator[Ints]:
        pairs = self._pairs(rows, deltas)
        for delta in deltas:
            if delta > 0:
                ends = [(a, b) for a, b, _ in (chunk.reaching(delta) for chunk in pairs)]
                yield blocks.by_groups(_document_clusters(rows, ends, delta))
            else:
                yield blocks.lemma


def _document_clusters(rows: Matrix, ends: Sequence[tuple[Ints, Ints]], delta: float) -> Ints:
    """Return each document's cluster; ``ends`` are the document pairs with a cosine of at least δ.

    Two clusters with a mean cosine of at least δ contain such a pair. So every cluster is inside
    one connected component of the pairs, and each component can be clustered separately.
    """
    size = rows.shape[0]
    left = np.concatenate([np.empty(0, dtype=np.int64), *(a for a, _ in ends)])
    right = np.concatenate([np.empty(0, dtype=np.int64), *(b for _, b in ends)])
    graph = coo_array((np.ones(len(left), dtype=np.int8), (left, right)), (size, size))
    count, component = connected_components(graph, directed=False)
    cluster = np.zeros(size, dtype=np.int64)
    order = np.argsort(component, kind="stable")
    for members in np.split(order, np.cumsum(np.bincount(component, minlength=count))[:-1]):
        cluster[members] = members[0] * size + _average_link(rows[members], delta)
    return np.unique(cluster, return_inverse=True)[1]


def _average_link(rows: Matrix, delta: float) -> Ints:
    if rows.shape[0] < 2:
        return np.zeros(rows.shape[0], dtype=np.int64)
    if rows.shape[0] > LARGEST:
        raise UsageError(
            "parameter-invalid",
            f"{rows.shape[0]:,} documents are connected at δ = {delta}, the limit is {LARGEST:,}",
            place="lemma-docs",
            hint="raise δ, or use lemma-delta, which has no such limit",
        )
    from scipy.cluster.hierarchy import fcluster, linkage  # noqa: PLC0415  # a slow import
    from scipy.spatial.distance import squareform  # noqa: PLC0415  # as above

    distances = np.clip(1 - (rows @ rows.T).toarray(), 0, None)
    np.fill_diagonal(distances, 0)
    tree = linkage(squareform(distances, checks=False), "average")
    return fcluster(tree, 1 - delta + ROUNDING, "distance").astype(np.int64)

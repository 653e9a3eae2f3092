"""Lemma-δ: the head lemmas match, and the documents are similar.

The baseline that Upadhyay et al. (2016), section 5, recommend for comparison. Two mentions are
linked if their heads have the same lemma and the tf-idf cosine of their documents is at least δ;
the chains are the connected components of the links. Mentions of one lemma in one document are
always linked, even if the document has no text. δ = 0 is Lemma.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Ints, StrSeries
from cdec.baselines.lemma import Lemma
from cdec.clustering import Clustering
from cdec.configs import read_toml
from cdec.corpus.model import Corpus
from cdec.errors import CorpusError, check_number
from cdec.language.similarity import ROUNDING, Pairs, Tfidf, similar_pairs, vectors
from cdec.system import Tuned

_DEFAULT = read_toml("systems/lemma-delta.toml")
_TFIDF = Tfidf(**_DEFAULT["tfidf"])
_PAIRS = 1 << 18  # pairs of documents whose lemmas are compared at once


@dataclass(frozen=True)
class LemmaDelta(Lemma):
    """One chain per connected component of mentions with one head lemma in similar documents.

    ``delta`` is δ, ``tfidf`` the parameters of the document vectors, ``tuned`` the data that both
    were tuned on, if a configuration names it. Raises UsageError for a δ outside [0, 1].
    """

    name = "lemma-delta"
    delta: float = _DEFAULT["delta"]
    tfidf: Tfidf = _TFIDF
    tuned: Tuned | None = None

    def __post_init__(self) -> None:
        check_number(f"the δ of {self.name}", self.delta, 0, 1, whole=False)

    @property
    def parameters(self) -> Mapping[str, object]:
        """The language pipeline, δ, the tf-idf parameters, and the data they were tuned on."""
        parameters = {
            **super().parameters,
            "delta": float(self.delta),
            "tfidf": asdict(self.tfidf),
        }
        if self.tuned:
            parameters |= self.tuned.parameters
        return parameters

    def predict(self, corpus: Corpus) -> Clustering:
        """Return the chains, labelled ``"<lemma>/<k>"``: k numbers the chains of a lemma.

        Raises LanguageError as ``heads`` does, CorpusError for a corpus without documents.
        """
        return next(self.curve(corpus, [self.delta]))

    def curve(self, corpus: Corpus, deltas: Sequence[float]) -> Iterator[Clustering]:
        """Yield the prediction for each of ``deltas``; heads and vectors are computed once."""
        deltas = [float(replace(self, delta=delta).delta) for delta in deltas]
        if not corpus.documents:
            raise CorpusError(
                "part-too-small",
                "no documents",
                place=f"{corpus.name} ({corpus.part})",
                hint="choose another part",
            )
        lemmas = self.lemmas(corpus)
        lemma = pd.factorize(lemmas)[0].astype(np.int64)
        documents = pd.Index(list(corpus.documents))
        doc = documents.get_indexer(pd.Index(corpus.mentions["doc"])).astype(np.int64)
        # The lowest δ above 0 has all pairs of documents that the others need.
        chunks: Iterable[Pairs] = []
        positive = [delta for delta in deltas if delta > 0]
        if positive:
            rows = vectors(list(corpus.documents.values()), self.tfidf)
            chunks = similar_pairs(rows, min(positive), self.progress)
        if len(deltas) > 1:
            chunks = list(chunks)
        for delta in deltas:
            cluster = lemma
            if delta > 0:
                lowest = delta - ROUNDING
                similar = (chunk[chunk.cosine >= lowest] for chunk in chunks)
                cluster = link_lemmas(doc, lemma, len(documents), similar)
            labels = _chain_labels(lemmas, cluster)
            yield Clustering(pd.Series(labels, corpus.mentions.index))


def _chain_labels(lemmas: StrSeries, cluster: Ints) -> npt.NDArray[np.object_]:
    """Return the label of the chain of each mention: its lemma, and its number for the lemma."""
    first = lemmas[~pd.Index(cluster).duplicated()]
    number = first.groupby(first).cumcount().astype(str)
    labels = (first + "/" + number).to_numpy(object)
    return np.asarray(labels[pd.factorize(cluster)[0]])


def link_lemmas(
    doc: Ints,
    lemma: Ints,
    documents: int,
    chunks: Iterable[Pairs],
) -> Ints:
    """Return the cluster of each mention: mentions of one lemma in similar documents are linked.

    ``doc`` and ``lemma`` are codes of each mention; ``chunks`` have the pairs of documents. The
    links are never in memory at once.
    """
    # A node is the mentions of a lemma in a document; its number + 1 is in a matrix of both.
    width = int(lemma.max(initial=0)) + 1
    cells, node_of_mention = np.unique(doc * width + lemma, return_inverse=True)
    nodes = len(cells)
    numbers = np.arange(1, nodes + 1)
    matrix = coo_array(
        (numbers, (cells // width, cells % width)), (documents, width)
    ).tocsr()
    has_lemma = matrix.sign()
    cluster: Ints = np.arange(nodes)
    for chunk in chunks:
        for start in range(0, len(chunk), _PAIRS):
            a = chunk.left[start : start + _PAIRS]
            b = chunk.right[start : start + _PAIRS]
            # The nodes of the lemmas that both documents have.
            node_in_a = matrix[a].multiply(has_lemma[b]).tocsr().data - 1
            node_in_b = has_lemma[a].multiply(matrix[b]).tocsr().data - 1
            ones = np.ones(len(node_in_a), dtype=np.int8)
            links = coo_array(
                (ones, (cluster[node_in_a], cluster[node_in_b])), (nodes, nodes)
            )
            _, component = connected_components(links, directed=False)
            cluster = component.astype(np.int64)[cluster]
    return cluster[node_of_mention]

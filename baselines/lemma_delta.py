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
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Ints
from cdec.baselines.lemma import Lemma
from cdec.clustering import Clustering
from cdec.configs import read_toml
from cdec.corpus.model import Corpus
from cdec.errors import CorpusError, UsageError
from cdec.language.similarity import DocumentPairs, Tfidf, similar_pairs, vectors
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

    delta: float = _DEFAULT["delta"]
    tfidf: Tfidf = _TFIDF
    tuned: Tuned | None = None

    def __post_init__(self) -> None:
        number = isinstance(self.delta, int | float) and not isinstance(self.delta, bool)
        if not (number and 0 <= self.delta <= 1):
            message = f"δ must be a number from 0 to 1, got {self.delta!r}"
            hint = "as in delta = 0.3"
            raise UsageError("argument-invalid", message, place=self.name, hint=hint)

    @property
    def name(self) -> str:
        """The system's id in results."""
        return "lemma-delta"

    @property
    def parameters(self) -> Mapping[str, object]:
        """The language pipeline, δ, the tf-idf parameters, and the data they were tuned on."""
        own = {"delta": float(self.delta), "tfidf": asdict(self.tfidf)}
        return {**super().parameters, **own, **(self.tuned.parameters if self.tuned else {})}

    def predict(self, corpus: Corpus) -> Clustering:
        """Return the chains, labelled ``"<lemma>/<k>"``: k numbers the chains of a lemma.

        Raises LanguageError as ``heads`` does, CorpusError for a corpus without documents.
        """
        return next(self.curve(corpus, [self.delta]))

    def curve(self, corpus: Corpus, deltas: Sequence[float]) -> Iterator[Clustering]:
        """Yield the prediction for each of ``deltas``; heads and vectors are computed once."""
        deltas = [float(replace(self, delta=delta).delta) for delta in deltas]
        if not corpus.documents:
            place = f"{corpus.name} ({corpus.part})"
            hint = "choose another part"
            raise CorpusError("part-too-small", "no documents", place=place, hint=hint)
        lemmas = self.lemmas(corpus)
        lemma = pd.factorize(lemmas)[0].astype(np.int64)
        documents = pd.Index(list(corpus.documents))
        doc = documents.get_indexer(pd.Index(corpus.mentions["doc"])).astype(np.int64)
        rows = vectors(list(corpus.documents.values()), self.tfidf)
        lowest = min((delta for delta in deltas if delta > 0), default=None)
        pairs: Iterable[DocumentPairs] = []
        if lowest:
            pairs = similar_pairs(rows, lowest, self.progress)
            pairs = pairs if len(deltas) == 1 else list(pairs)
        for delta in deltas:
            cluster = lemma
            if delta > 0:
                cluster = linked(
                    doc, lemma, len(documents), (chunk.reaching(delta) for chunk in pairs)
                )
            first = lemmas[~pd.Index(cluster).duplicated()]
            names = first + "/" + first.groupby(first).cumcount().astype(str)
            labels = names.to_numpy(object)[pd.factorize(cluster)[0]]
            yield Clustering(pd.Series(labels, corpus.mentions.index))


def linked(doc: Ints, lemma: Ints, documents: int, chunks: Iterable[DocumentPairs]) -> Ints:
    """Return the cluster of each mention: mentions of one lemma in linked documents are linked.

    ``doc`` and ``lemma`` are codes of each mention; ``chunks`` have the pairs of documents. The
    links are never in memory at once.
    """
    # A node is the mentions of a lemma in a document; its number + 1 is in a matrix of both.
    width = int(lemma.max(initial=0)) + 1
    keys, node = np.unique(doc * width + lemma, return_inverse=True)
    cells = np.arange(1, len(keys) + 1), (keys // width, keys % width)
    nodes = coo_array(cells, (documents, width)).tocsr()
    present = nodes.sign()
    cluster: Ints = np.arange(len(keys))
    for left, right, _ in chunks:
        for at in range(0, len(left), _PAIRS):
            a, b = left[at : at + _PAIRS], right[at : at + _PAIRS]
            here = nodes[a].multiply(present[b]).tocsr().data - 1
            there = present[a].multiply(nodes[b]).tocsr().data - 1
            shape = (len(keys), len(keys))
            ends = cluster[here], cluster[there]
            links = coo_array((np.ones(len(here), dtype=np.int8), ends), shape)
            cluster = connected_components(links, directed=False)[1].astype(np.int64)[cluster]
    return cluster[node]

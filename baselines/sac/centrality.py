"""How central the sentence of a mention is among the similar documents.

A sentence that many near documents repeat in their own words is likely to report the main event;
one that no other document has is likely background, and its events are often singletons.
``centrality`` has the numbers of each mention, ``density`` how many mentions are around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Self

import numpy as np
from scipy.sparse import csr_matrix

from cdec.arrays import Floats, Ints, Singles
from cdec.corpus.model import Corpus
from cdec.language.similarity import DocumentPairs
from cdec.pairs.bags import matrix
from cdec.pairs.tokens import TokenTable

CENTRALITY = (
    *("best", "best_3", "best_8", "weighted", "close", "rank", "relative_rank"),
    *("near_documents", "document_sentences", "stems", "stem_share", "stem_weight"),
)
DENSITY = ("sentence_mentions", "mentions_per_sentence", "sentences_with_mentions")
# From which cosine on two sentences are close.
_CLOSE_VECTORS, _CLOSE_BAGS = 0.6, 0.3
_HIGHEST = (3, 8)  # how many near documents a mean is over


@dataclass(frozen=True, eq=False)
class Sentences:
    """A row of unit length for each sentence of a corpus, document after document.

    ``first``: the first row of each document, and the number of all rows. ``close``: the cosine
    from which on two sentences count as close: higher for vectors than for bags of words.
    """

    rows: Singles | csr_matrix = field(repr=False)
    first: Ints = field(repr=False)
    close: float

    @classmethod
    def of(cls, corpus: Corpus, tokens: TokenTable, vectors: Singles | None) -> Self:
        """Return the sentences of all documents: their vectors, or without these their idf bags."""
        counts = [len(document.sentences) for document in corpus.documents.values()]
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        if vectors is not None:
            return cls(vectors, first, _CLOSE_VECTORS)
        at = np.flatnonzero(tokens.content)
        places = (first[tokens.doc[at]] + tokens.sentence[at], tokens.lemma[at])
        return cls(matrix(places, tokens.idf, (first[-1], tokens.size)), first, _CLOSE_BAGS)

    @property
    def counts(self) -> Ints:
        """The number of sentences of each document."""
        return np.diff(self.first)

    def cosines(self, document: int, others: Ints) -> Singles:
        """Return sentences of ``document`` × ``others``: the highest cosine in each of these."""
        rows = np.concatenate([np.arange(self.first[d], self.first[d + 1]) for d in others])
        own = self.rows[self.first[document] : self.first[document + 1]]
        products = own @ self.rows[rows].T
        dense = products.toarray() if isinstance(products, csr_matrix) else products
        starts = np.cumsum(self.counts[others]) - self.counts[others]
        return np.asarray(np.maximum.reduceat(dense, starts, axis=1), dtype=np.float32)


def centrality(codes: Mapping[str, Ints], near: DocumentPairs, sentences: Sentences) -> Singles:
    """Return mentions × ``CENTRALITY``; 0 for a mention without a near document.

    The near documents N of a document are those with which it has a candidate pair; S(b) is the
    highest cosine of the mention's sentence with a sentence of document b. Columns: the highest S,
    the means of the highest 3 and 8, the mean weighted by the cosine of the documents, and how many
    S are above ``sentences.close``; the rank of the sentence in its document by the mean of the
    highest 8 (0: the most central), and this divided by the highest rank; the size of N, and the
    number of sentences of the document; how many documents of N have a mention of the same stem,
    their share, and the share weighted by the cosine of the documents.
    """
    near = _with_mentions(near, codes["doc"], len(sentences.counts))
    table = np.zeros((len(codes["doc"]), len(CENTRALITY)), dtype=np.float32)
    first = np.searchsorted(codes["doc"], np.arange(len(sentences.counts) + 1))
    for document, others, weights in _neighbours(near, len(sentences.counts)):
        own = slice(first[document], first[document + 1])
        values = _of_sentences(sentences.cosines(document, others), weights, sentences.close)
        table[own, : values.shape[1]] = values[codes["sentence"][own]]
    at = CENTRALITY.index("near_documents")
    table[:, at : at + 2] = np.stack([_degree(near, codes), sentences.counts[codes["doc"]]], axis=1)
    table[:, at + 2 :] = _stems(near, codes, len(sentences.counts))
    return table


def density(codes: Mapping[str, Ints], sentences: Sentences) -> Singles:
    """Return mentions × ``DENSITY``: mentions of the sentence, mean and spread in the document.

    Where only some sentences are annotated, these numbers reveal which.
    """
    doc, counts = codes["doc"], sentences.counts
    row = sentences.first[doc] + codes["sentence"]
    inside = np.bincount(row, minlength=int(sentences.first[-1]))
    mentions = np.bincount(doc, minlength=len(counts))
    used = np.diff(np.append(0, np.cumsum(inside > 0))[sentences.first])
    size = np.maximum(counts, 1)
    columns = [inside[row], (mentions / size)[doc], (used / size)[doc]]
    return np.stack(columns, axis=1).astype(np.float32)


def _with_mentions(near: DocumentPairs, doc: Ints, size: int) -> DocumentPairs:
    """Return the pairs of two documents with mentions, each in both directions, ordered by left."""
    present = np.bincount(doc, minlength=size) > 0
    kept = present[near.left] & present[near.right]
    left = np.concatenate([near.left[kept], near.right[kept]])
    right = np.concatenate([near.right[kept], near.left[kept]])
    order = np.lexsort((right, left))
    return DocumentPairs(left[order], right[order], np.tile(near.cosine[kept], 2)[order])


def _neighbours(near: DocumentPairs, size: int) -> Iterator[tuple[int, Ints, Floats]]:
    """Yield each document with near documents, these, and the cosines of both."""
    borders = np.searchsorted(near.left, np.arange(size + 1))
    for document, (start, stop) in enumerate(pairwise(borders)):
        if start < stop:
            yield document, near.right[start:stop], near.cosine[start:stop]


def _of_sentences(cosines: Singles, weights: Floats, close: float) -> Singles:
    """Return sentences × the first seven columns, from sentences × near documents."""
    falling = -np.sort(-cosines, axis=1)
    means = [falling[:, :most].mean(axis=1) for most in _HIGHEST]
    order = np.argsort(-means[-1], kind="stable")
    rank = np.empty(len(order))
    rank[order] = np.arange(len(order))
    weighted = cosines @ weights / max(float(weights.sum()), 1e-9)
    columns = [falling[:, 0], *means, weighted, (cosines > close).sum(axis=1)]
    columns += [rank, rank / max(len(order) - 1, 1)]
    return np.stack(columns, axis=1).astype(np.float32)


def _degree(near: DocumentPairs, codes: Mapping[str, Ints]) -> Ints:
    size = int(codes["doc"].max(initial=-1)) + 1
    return np.bincount(near.left, minlength=size)[codes["doc"]]


def _stems(near: DocumentPairs, codes: Mapping[str, Ints], size: int) -> Floats:
    """Return mentions × (count, share, weighted share) of near documents with the same stem."""
    doc, stem = codes["doc"], codes["stem"]
    width = int(stem.max(initial=-1)) + 1
    present = csr_matrix((np.ones(len(doc)), (doc, stem)), shape=(size, width)).sign()
    columns = []
    for weight in (np.ones(len(near.left)), near.cosine):
        links = csr_matrix((weight, (near.left, near.right)), shape=(size, size))
        found = np.asarray((links @ present)[doc, stem], dtype=np.float64).ravel()
        total = np.asarray(links.sum(axis=1)).ravel()[doc]
        columns += [found, found / np.maximum(total, 1e-9)]
    del columns[2]  # the weighted sum itself
    return np.stack(columns, axis=1)

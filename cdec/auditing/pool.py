"""The candidate pairs of an audit, their features, and the design matrix of its models.

Two mentions are a candidate pair if their documents are of one topic and similar, and the mentions
share a lemma or a word or have heads with similar spelling.
Pairs are generated and filtered in blocks; a pair needs a few hundred bytes. The features are those
of the SAC baseline; a ``Design`` scales them and adds products.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import Bools, Floats, Ints, Singles
from cdec.auditing.detector import scopes
from cdec.corpus.blind import SEEN
from cdec.corpus.model import Corpus
from cdec.errors import CorpusError
from cdec.files.progress import Progress, silent
from cdec.language.similarity import DocumentPairs, Matrix, Tfidf, similar_pairs, vectors
from cdec.pairs.candidates import Candidates, blocks, joined
from cdec.pairs.features import columns, cosine, features, same
from cdec.pairs.mentions import EncodedMentions, encode

if TYPE_CHECKING:
    from cdec.auditing.config import AuditConfig

_TFIDF = Tfidf(lowercase=True, stop_words=True, words_only=True, sublinear_tf=True, min_df=1)
COLUMNS = tuple(columns())
# Features multiplied with all others: their effect differs by equal heads and by document cosine.
_CROSSED = tuple(COLUMNS.index(name) for name in ("same_lemma", "document_cosine"))
_ROWS = 1 << 15  # pairs in a block of double precision


@dataclass(frozen=True, eq=False)
class Pool:
    """The event mentions of a corpus as arrays, and their candidate pairs.

    ``features`` is pairs × ``COLUMNS``; ``documents`` are the tf-idf rows of the documents;
    ``topics`` is the topic code of each mention. The pool does not depend on the key.
    """

    mentions: EncodedMentions
    pairs: Candidates
    features: Singles = field(repr=False)
    documents: Matrix = field(repr=False)
    topics: Ints = field(repr=False)

    def describe(self, left: Ints, right: Ints) -> Singles:
        """Return the features of any mention pairs, given as rows (left < right)."""
        rows = self.mentions.codes["doc"]
        blocks = [np.zeros((0, len(COLUMNS)), dtype=np.float32)]
        for part in Candidates(left, right, np.zeros(len(left), dtype=np.float32)).blocks():
            one, two = rows[part.left], rows[part.right]
            alike = self.documents[one].multiply(self.documents[two]).sum(axis=1)
            cosines = np.where(one == two, 1.0, np.asarray(alike)).astype(np.float32)
            pairs = Candidates(part.left, part.right, cosines)
            blocks.append(features(self.mentions, pairs))
        return np.concatenate(blocks)


def pool(corpus: Corpus, config: AuditConfig, progress: Progress = silent) -> Pool:
    """Return the candidate pairs of ``corpus``, sorted by their mentions.

    Raises LanguageError as ``heads`` does, CorpusError if there are no mentions.
    """
    if corpus.selected.empty:
        raise no_pairs(corpus, "no event mentions")
    visible = replace(corpus, mentions=corpus.selected[SEEN])
    mentions = encode(visible, config.pipeline, progress)
    documents = list(corpus.documents.values())
    rows = vectors(documents, _TFIDF)
    topics = _groups(corpus)
    near = _near(rows, topics, config.similarity)
    candidates = blocks(mentions.codes["doc"], near)
    pairs = joined(part[_similar(mentions, part, config)] for part in candidates)
    table = features(mentions, pairs)
    return Pool(mentions, pairs, table, rows, topics[mentions.codes["doc"]])


def _groups(corpus: Corpus) -> Ints:
    """Return the number of the unit inside which mentions of each document are compared.

    It is that of ``corpus.linked_within``, else the topic, or the sub-topic if there is one topic.
    """
    documents = corpus.documents.values()
    if corpus.linked_within:
        return pd.factorize(pd.Series(scopes(corpus)))[0].astype(np.int64)
    topics, names = pd.factorize(pd.Series([document.topic for document in documents]))
    if len(names) < 2:
        topics, _ = pd.factorize(pd.Series([document.subtopic for document in documents]))
    return topics.astype(np.int64)


def no_pairs(corpus: Corpus, reason: str) -> CorpusError:
    """Return the error for a corpus without candidate pairs."""
    place = f"{corpus.name} ({corpus.part})"
    hint = "audit a larger part of the corpus"
    return CorpusError("part-too-small", reason, place=place, hint=hint)


def _near(rows: Matrix, topics: Ints, floor: float) -> DocumentPairs:
    """Return the document pairs of one topic with a cosine of at least ``floor``."""
    none = np.zeros(0, dtype=np.int64)
    parts = [DocumentPairs(none, none, np.zeros(0))]
    for pairs in similar_pairs(rows, floor):
        kept = topics[pairs.left] == topics[pairs.right]
        parts.append(DocumentPairs(*(column[kept] for column in pairs)))
    return DocumentPairs(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _similar(mentions: EncodedMentions, block: Candidates, config: AuditConfig) -> Bools:
    """Return a mask of the pairs with a common lemma, root or word, or similar heads."""
    grams, _ = mentions.lexicon.compare(
        mentions.codes["lemma"][block.left], mentions.codes["lemma"][block.right]
    )
    alike = same(mentions, block, "lemma") | same(mentions, block, "root")
    alike |= (grams >= config.letters) | (cosine(mentions.bags["words"], block) > 0)
    return np.asarray(alike)


@dataclass(frozen=True, eq=False)
class Design:
    """Standardised features, their standardised products with two of them, and a constant 1.

    Means and variances are those of the pairs given to ``fit``.
    """

    mean: Floats = field(repr=False)
    scale: Floats = field(repr=False)

    @classmethod
    def fit(cls, features: Singles) -> Design:
        """Return the design with the means and variances of ``features`` (at least one row)."""
        mean, scale = _moments(features)
        crossed_mean, crossed_scale = _moments(_crossed((features - mean) / scale))
        return cls(np.append(mean, crossed_mean), np.append(scale, crossed_scale))

    def apply(self, features: Singles) -> Singles:
        """Return pairs × columns in single precision: features, products, constant."""
        size = features.shape[1]
        x = np.ones((len(features), len(self.mean) + 1), dtype=np.float32)
        for at in range(0, len(features), _ROWS):
            part = slice(at, at + _ROWS)
            plain = (features[part] - self.mean[:size]) / self.scale[:size]
            x[part, :size] = plain
            x[part, size:-1] = (_crossed(plain) - self.mean[size:]) / self.scale[size:]
        return x

    def contributions(self, row: Singles, weights: Floats) -> Floats:
        """Return the contribution of each feature and its products to w·x, for one design row."""
        parts = (row * weights)[:-1].reshape(1 + len(_CROSSED), -1)
        return np.asarray(parts.sum(axis=0), dtype=np.float64)


def _moments(values: npt.NDArray[np.floating]) -> tuple[Floats, Floats]:
    scale = values.std(axis=0, dtype=np.float64)
    scale[scale < 1e-12] = 1.0
    return values.mean(axis=0, dtype=np.float64), scale


def _crossed(plain: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    return np.hstack([plain * plain[:, [place]] for place in _CROSSED])

"""The pairs that an audit compares: their features, and the columns that its models learn from.

Two mentions are compared if their documents, of one topic, are a little alike and the mentions
share a lemma or a word, or their heads are spelled alike. Pairs are made and sifted in blocks; what
is kept is a few hundred bytes a pair. The features are those of the SAC baseline; a ``Design``
scales them and adds products.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import Bools, Floats, Ints, Singles
from cdec.audit.config import AuditConfig
from cdec.corpus.blind import SEEN
from cdec.corpus.model import Corpus
from cdec.errors import CorpusError
from cdec.io.progress import Progress, silent
from cdec.language.similarity import DocumentPairs, similar_pairs
from cdec.language.vectors import Matrix, Tfidf, vectors
from cdec.pairs.candidates import Candidates, blocks, joined
from cdec.pairs.features import columns, cosine, features, same
from cdec.pairs.mentions import EncodedMentions, encode

_TFIDF = Tfidf(lowercase=True, stop_words=True, words_only=True, sublinear_tf=True, min_df=1)
# The families that need no download and nothing but text.
_NAMES = (
    *("head", "rarity", "letters", "words", "pos"),
    *("context", "arguments", "documents", "place", "crowd"),
)
COLUMNS = tuple(columns(_NAMES))
# A feature means another thing where heads are the same word, and where documents are alike.
_CROSSED = tuple(COLUMNS.index(name) for name in ("same_lemma", "document_cosine"))
_ROWS = 1 << 15  # pairs in double precision at once


@dataclass(frozen=True, eq=False)
class Pool:
    """The event mentions of a corpus as arrays, and the candidate pairs among them.

    ``features`` is pairs × ``COLUMNS``. Nothing here depends on the key: one pool serves many.
    ``documents`` holds the tf-idf rows of the documents, ``topics`` a code a mention.
    """

    mentions: EncodedMentions
    pairs: Candidates
    features: Singles = field(repr=False)
    documents: Matrix = field(repr=False)
    topics: Ints = field(repr=False)

    def describe(self, left: Ints, right: Ints) -> Singles:
        """Return the features of any pairs of mentions, by row (left < right)."""
        rows = self.mentions.codes["doc"]
        blocks = [np.zeros((0, len(COLUMNS)), dtype=np.float32)]
        for part in Candidates(left, right, np.zeros(len(left), dtype=np.float32)).blocks():
            one, two = rows[part.left], rows[part.right]
            alike = self.documents[one].multiply(self.documents[two]).sum(axis=1)
            cosines = np.where(one == two, 1.0, np.asarray(alike)).astype(np.float32)
            pairs = Candidates(part.left, part.right, cosines)
            blocks.append(features(self.mentions, pairs, _NAMES))
        return np.concatenate(blocks)


def pool(corpus: Corpus, config: AuditConfig, progress: Progress = silent) -> Pool:
    """Return the candidate pairs of ``corpus``, ordered by their mentions.

    Raises LanguageError as ``heads`` does, CorpusError for a corpus without event mentions.
    """
    if corpus.events.empty:
        raise CorpusError("no event mentions", place=f"{corpus.name} ({corpus.part})")
    mentions = encode(replace(corpus, mentions=corpus.events[SEEN]), config.pipeline, progress)
    documents = list(corpus.documents.values())
    rows = vectors(documents, _TFIDF)
    topics = pd.factorize(pd.Series([d.topic for d in documents]))[0].astype(np.int64)
    near = _near(rows, topics, config.similarity)
    found = blocks(mentions.codes["doc"], near)
    pairs = joined(part[_alike(mentions, part, config.letters)] for part in found)
    made = features(mentions, pairs, _NAMES)
    return Pool(mentions, pairs, made, rows, topics[mentions.codes["doc"]])


def _near(rows: Matrix, topics: Ints, floor: float) -> DocumentPairs:
    """Return the pairs of documents of one topic whose cosine reaches ``floor``."""
    none = np.zeros(0, dtype=np.int64)
    found = [DocumentPairs(none, none, np.zeros(0))]
    for pairs in similar_pairs(rows, floor):
        kept = topics[pairs.left] == topics[pairs.right]
        found.append(DocumentPairs(*(column[kept] for column in pairs)))
    return DocumentPairs(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _alike(mentions: EncodedMentions, block: Candidates, letters: float) -> Bools:
    """Return which pairs share a lemma, a root or a word, or have heads spelled alike."""
    grams, _ = mentions.lexicon.compare(
        mentions.codes["lemma"][block.left], mentions.codes["lemma"][block.right]
    )
    alike = same(mentions, block, "lemma") | same(mentions, block, "root") | (grams >= letters)
    return np.asarray(alike | (cosine(mentions.bags["words"], block) > 0))


@dataclass(frozen=True, eq=False)
class Design:
    """Features of mean 0 and variance 1, their products with two of them, scaled alike, and a 1.

    The scales are those of the pairs that it was ``fit`` on.
    """

    mean: Floats = field(repr=False)
    scale: Floats = field(repr=False)

    @classmethod
    def fit(cls, features: Singles) -> Design:
        """Return the design for the scales of ``features``, of which there is at least one row."""
        mean, scale = _moments(features)
        crossed_mean, crossed_scale = _moments(_crossed((features - mean) / scale))
        return cls(np.append(mean, crossed_mean), np.append(scale, crossed_scale))

    def apply(self, features: Singles) -> Singles:
        """Return pairs × columns in single precision: features, products, constant."""
        size = features.shape[1]
        made = np.ones((len(features), len(self.mean) + 1), dtype=np.float32)
        for at in range(0, len(features), _ROWS):
            part = slice(at, at + _ROWS)
            plain = (features[part] - self.mean[:size]) / self.scale[:size]
            made[part, :size] = plain
            made[part, size:-1] = (_crossed(plain) - self.mean[size:]) / self.scale[size:]
        return made

    def contributions(self, row: Singles, weights: Floats) -> Floats:
        """Return what each feature adds to w·x of one row of ``apply``, products included."""
        parts = (row * weights)[:-1].reshape(1 + len(_CROSSED), -1)
        return np.asarray(parts.sum(axis=0), dtype=np.float64)


def _moments(values: npt.NDArray[np.floating]) -> tuple[Floats, Floats]:
    scale = values.std(axis=0, dtype=np.float64)
    scale[scale < 1e-12] = 1.0
    return values.mean(axis=0, dtype=np.float64), scale


def _crossed(plain: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    return np.hstack([plain * plain[:, [place]] for place in _CROSSED])

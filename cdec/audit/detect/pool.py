"""The pairs that an audit compares, with the pairwise features of the SAC baseline.

Two mentions are compared if their documents, of one topic, are a little alike and the mentions
share a lemma or a word, or their heads are spelled alike. Pairs are made and sifted in blocks; what
is kept is a few hundred bytes a pair.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints, Singles
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


def pool(corpus: Corpus, choice: AuditConfig, progress: Progress = silent) -> Pool:
    """Return the candidate pairs of ``corpus``, ordered by their mentions.

    Raises LanguageError as ``heads`` does, CorpusError for a corpus without event mentions.
    """
    if corpus.events.empty:
        raise CorpusError("no event mentions", place=f"{corpus.name} ({corpus.part})")
    mentions = encode(replace(corpus, mentions=corpus.events[SEEN]), choice.pipeline, progress)
    documents = list(corpus.documents.values())
    rows = vectors(documents, _TFIDF)
    topics = pd.factorize(pd.Series([d.topic for d in documents]))[0].astype(np.int64)
    near = _near(rows, topics, choice.similarity)
    found = blocks(mentions.codes["doc"], near)
    pairs = joined(part[_alike(mentions, part, choice.letters)] for part in found)
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

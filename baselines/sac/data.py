"""Candidate pairs of a corpus with gold labels, for training."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints, Singles, StrIndex
from cdec.baselines.sac.config import SacConfig
from cdec.baselines.sac.features import select_families
from cdec.clustering import Clustering
from cdec.corpus.blind import blind
from cdec.corpus.model import Corpus, natural_key
from cdec.evaluation.parts import check_corpus
from cdec.files.progress import Progress
from cdec.language.similarity import Pairs, concatenate, similar_pairs, vectors
from cdec.pairs.candidates import blocks, joined
from cdec.pairs.features import features
from cdec.pairs.mentions import encode


@dataclass(frozen=True, eq=False, repr=False)
class LabelledPairs:
    """The candidate pairs of a blind corpus with gold labels.

    ``hidden``: what prediction sees. ``corpus``: with the gold annotation; ``ids`` are its mention
    ids in the order of the rows. ``doc``, ``chain`` and ``topic``: codes of each mention; the topic
    is the sub-topic in a corpus of one topic, such as GVC.
    """

    hidden: Corpus
    corpus: Corpus
    ids: StrIndex
    doc: Ints
    chain: Ints
    topic: Ints
    pairs: Pairs

    @property
    def linked(self) -> Bools:
        """Whether the mentions of each candidate pair are in one chain."""
        return np.asarray(self.chain[self.pairs.left] == self.chain[self.pairs.right])

    def features(
        self,
        choices: SacConfig,
        pipeline: str,
        progress: Progress,
    ) -> Singles:
        """Return the features of each pair. Raises LanguageError as ``heads`` does."""
        mentions = encode(self.hidden, pipeline, progress)
        return features(
            mentions, self.pairs, select_families(choices.families), progress
        )

    def clustering(self, labels: Ints) -> Clustering:
        """Return cluster labels by row as a clustering of the corpus's mentions."""
        series = pd.Series(labels, index=self.ids)
        return Clustering(series.loc[self.corpus.selected.index])


def label(corpus: Corpus, choices: SacConfig, progress: Progress) -> LabelledPairs:
    """Return the candidate pairs of a corpus, which prediction has too, with gold labels.

    Raises CorpusError as ``check_corpus`` does.
    """
    check_corpus(corpus)
    hidden = blind(corpus)
    mentions = corpus.selected.loc[hidden.original.to_numpy()]
    unit = "topic"
    if len(set(mentions["topic"])) < 2:
        unit = "subtopic"
    topics = pd.Index(sorted(set(mentions[unit]), key=natural_key))
    documents = pd.Index(list(hidden.corpus.documents))
    doc = documents.get_indexer(pd.Index(hidden.corpus.mentions["doc"])).astype(
        np.int64
    )
    near = near_documents(hidden.corpus, choices, progress)
    return LabelledPairs(
        hidden=hidden.corpus,
        corpus=corpus,
        ids=pd.Index(mentions.index),
        doc=doc,
        chain=pd.factorize(mentions["chain"])[0].astype(np.int64),
        topic=topics.get_indexer(pd.Index(mentions[unit])).astype(np.int64),
        pairs=joined(blocks(doc, near)),
    )


def near_documents(corpus: Corpus, choices: SacConfig, progress: Progress) -> Pairs:
    """Return the pairs of documents with a cosine of at least ``choices.gate``."""
    rows = vectors(list(corpus.documents.values()), choices.tfidf)
    return concatenate(similar_pairs(rows, choices.gate, progress))

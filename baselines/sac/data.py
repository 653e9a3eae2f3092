"""Candidate pairs of a corpus with features, and with gold labels for training."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints, Singles
from cdec.baselines.sac.config import SacConfig
from cdec.baselines.sac.features import encode, features
from cdec.clustering import Clustering
from cdec.corpus.blind import blind
from cdec.corpus.model import Corpus, natural_key
from cdec.evaluation.run import check_events
from cdec.files.progress import Progress, silent
from cdec.language.similarity import NO_PAIRS, DocumentPairs, similar_pairs, vectors
from cdec.metrics.links import links
from cdec.pairs.candidates import Candidates, candidates
from cdec.pairs.mentions import EncodedMentions


@dataclass(frozen=True, eq=False)
class PairFeatures:
    """The mentions of a blind corpus, their candidate pairs and the features of these."""

    mentions: EncodedMentions = field(repr=False)
    pairs: Candidates = field(repr=False)
    features: Singles = field(repr=False)


@dataclass(frozen=True, eq=False)
class LabelledPairs:
    """Candidate pairs with gold labels: chain code and topic code of each mention.

    The topic is the sub-topic in a corpus of one topic.

    ``corpus`` has the gold annotation; ``ids`` are its mention ids in row order.
    """

    described: PairFeatures
    corpus: Corpus = field(repr=False)
    ids: pd.Index[str] = field(repr=False)
    chain: Ints = field(repr=False)
    topic: Ints = field(repr=False)

    @property
    def linked(self) -> Bools:
        """Whether the mentions of each candidate pair are in one chain."""
        pairs = self.described.pairs
        return np.asarray(self.chain[pairs.left] == self.chain[pairs.right])

    def clustering(self, labels: Ints) -> Clustering:
        """Return cluster labels by row as a clustering of the corpus's mentions."""
        series = pd.Series(labels, index=self.ids)
        return Clustering(series.loc[self.corpus.selected.index])


def describe(
    corpus: Corpus, choices: SacConfig, pipeline: str, progress: Progress = silent
) -> PairFeatures:
    """Return the pairs of a blind corpus with features. Raises LanguageError as ``heads`` does."""
    near = near_documents(corpus, choices, progress)
    mentions = encode(corpus, pipeline, progress, choices.used)
    pairs = candidates(mentions.codes["doc"], near)
    rows = features(mentions, pairs, choices.used, progress)
    return PairFeatures(mentions, pairs, rows)


def label(
    corpus: Corpus, choices: SacConfig, pipeline: str, progress: Progress = silent
) -> LabelledPairs:
    """Return the pairs of a corpus with features and gold labels.

    Features are computed from ``blind(corpus)``: training sees the same data as prediction.
    Raises CorpusError if gold arguments are requested and the corpus has none, and as
    ``check_events`` does.
    """
    check_events(corpus)
    hidden = blind(corpus, arguments=choices.arguments == "gold")
    original = hidden.original.to_numpy()
    table = corpus.selected.loc[original]
    # A corpus of one topic, such as GVC, is divided by sub-topics.
    unit = "topic" if len(set(table["topic"])) > 1 else "subtopic"
    topics = sorted(set(table[unit]), key=natural_key)
    return LabelledPairs(
        describe(hidden.corpus, choices, pipeline, progress),
        corpus,
        pd.Index(original),
        pd.factorize(table["chain"])[0].astype(np.int64),
        pd.Index(topics).get_indexer(pd.Index(table[unit])).astype(np.int64),
    )


def recall(data: LabelledPairs) -> tuple[int, int, int, int]:
    """Return counts: pairs, pairs within a document, gold links among the pairs, gold links."""
    pairs, doc = data.described.pairs, data.described.mentions.codes["doc"]
    inside = int((doc[pairs.left] == doc[pairs.right]).sum())
    sizes = np.bincount(data.chain) if len(data.chain) else np.zeros(0, dtype=np.int64)
    return len(pairs), inside, int(data.linked.sum()), int(links(sizes).sum())


def near_documents(corpus: Corpus, choices: SacConfig, progress: Progress) -> DocumentPairs:
    """Return the pairs of documents with a cosine of at least ``choices.gate``."""
    rows = vectors(list(corpus.documents.values()), choices.tfidf)
    chunks = list(similar_pairs(rows, choices.gate, progress))
    if not chunks:
        return NO_PAIRS
    return DocumentPairs(*(np.concatenate(column) for column in zip(*chunks, strict=True)))

"""The lemma heuristic for candidate pairs, rebuilt on the text, with and without gold chains.

Ahmed et al. (2023), *2 × n is better than n²: Decomposing Event Coreference Resolution into Two
Tractable Problems*, Findings of ACL. A pair of mentions of a topic is a candidate if the head lemma
of one occurs in the other mention, or both lemmas are coreferent in some chains; and if the
sentences share more than OVERLAP of their words. The published list takes the lemma pairs from the
chains of train. With those of the evaluated key the list is made with gold.

Two lemmas with one root count as the same: taggers differ, and the list is from another one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer

from cdec.arrays import Bools, Floats, Ints
from cdec.corpus.model import Corpus
from cdec.io.progress import Progress, silent
from cdec.language import heads
from cdec.metrics.links import pairs as number_of_pairs
from cdec.pairs.words import roots

OVERLAP = 0.05  # of the distinct words of both sentences, as published
TAGGER = "hanta"


@dataclass(frozen=True, eq=False)
class TopicPairs:
    """All pairs of mentions inside topics, and what makes each a candidate.

    ``first`` < ``second`` are positions in ``corpus.selected``. ``text``: the lemma of one occurs
    in the other mention; ``train`` and ``key``: the lemmas are coreferent there. ``near``: the
    sentences share more than OVERLAP. ``place``: 0 inside a document, 1 a sub-topic, 2 a topic.
    """

    first: Ints
    second: Ints
    place: Ints
    text: Bools
    train: Bools
    key: Bools
    near: Bools

    @classmethod
    def of(cls, corpus: Corpus, train: Corpus, progress: Progress = silent) -> TopicPairs:
        """Return the pairs of ``corpus``. Raises LanguageError as ``heads`` does."""
        table = corpus.selected
        own, learned = (_lemmas(each, progress) for each in (corpus, train))
        codes, names = pd.factorize(pd.concat([own, learned]))
        lemma, known = np.split(codes.astype(np.int64), [len(own)])
        blocks = list(_by_topic(corpus))
        first, second = (
            np.concatenate([b[side] for b in blocks] or [lemma[:0]]) for side in (0, 1)
        )
        near = np.concatenate([b[2] for b in blocks] or [np.zeros(0)]) > OVERLAP
        pair = _coded(lemma[first], lemma[second], len(names))
        text = (lemma[first] == lemma[second]) | _contained(own, table["text"], first, second)
        seen, key = (
            np.isin(pair, _coreferent(each, codes, len(names)))
            for each, codes in ((train, known), (corpus, lemma))
        )
        return cls(first, second, _place(table, first, second), text, seen, key, near)

    def __len__(self) -> int:
        return len(self.first)


def pairs_in_topics(corpus: Corpus) -> int:
    """Return the number of pairs of mentions inside topics."""
    sizes = corpus.selected.groupby("topic").size()
    return number_of_pairs(np.asarray(sizes, np.int64))


def _lemmas(corpus: Corpus, progress: Progress) -> pd.Series[str]:
    """Return the root of each head lemma; a blank head has the id of its mention."""
    lemmas = heads(corpus, TAGGER, progress)["lemma"].loc[corpus.selected.index].str.strip()
    rooted = pd.Series(roots(lemmas), lemmas.index)
    return rooted.where(rooted != "", lemmas.index.to_series())


def _by_topic(corpus: Corpus) -> Iterator[tuple[Ints, Ints, Floats]]:
    """Yield the pairs of each topic, and the share of words that their sentences have in common."""
    sentences = np.empty(len(corpus.selected), object)
    places = zip(corpus.selected["doc"], corpus.selected["start"], strict=True)
    for row, (doc, start) in enumerate(places):
        document = corpus.documents[doc]
        number = bisect_right(document.sentence_starts, start) - 1
        sentences[row] = [word.lower() for word in document.sentences[number]]
    topics = pd.factorize(corpus.selected["topic"])[0]
    for topic in range(topics.max(initial=-1) + 1):
        rows = np.flatnonzero(topics == topic)
        words = CountVectorizer(analyzer=list, binary=True).fit_transform(sentences[rows])
        sizes = np.asarray(words.sum(axis=1)).ravel()
        left, right = np.triu_indices(len(rows), 1)
        common = (words @ words.T).toarray()[left, right]
        yield rows[left], rows[right], common / (sizes[left] + sizes[right] - common)


def _place(table: pd.DataFrame, first: Ints, second: Ints) -> Ints:
    levels = (np.asarray(table[level].factorize()[0], np.int64) for level in ("subtopic", "doc"))
    inside, same = (codes[first] == codes[second] for codes in levels)
    place: Ints = 2 - (inside | same) - same.astype(np.int64)
    return place


def _coded(a: Ints, b: Ints, size: int) -> Ints:
    return np.minimum(a, b) * size + np.maximum(a, b)


def _coreferent(corpus: Corpus, lemma: Ints, size: int) -> Ints:
    """Return the codes of the pairs of different lemmas that a chain of the key has."""
    chains = pd.DataFrame({"chain": corpus.gold.labels.to_numpy(), "lemma": lemma})
    chains = chains.drop_duplicates()
    both = chains.merge(chains, on="chain")
    both = both[both["lemma_x"] < both["lemma_y"]]
    return np.unique(_coded(both["lemma_x"].to_numpy(), both["lemma_y"].to_numpy(), size))


def _contained(lemmas: pd.Series[str], texts: pd.Series[str], first: Ints, second: Ints) -> Bools:
    """Return whether the lemma of one mention of a pair occurs in the text of the other."""
    lemma, words = pd.factorize(lemmas)
    text, distinct = pd.factorize(texts.str.lower())
    phrases = distinct.tolist()
    inside = np.array([[word in phrase for phrase in phrases] for word in words], bool)
    inside = inside.reshape(len(words), len(phrases))
    found: Bools = inside[lemma[first], text[second]] | inside[lemma[second], text[first]]
    return found

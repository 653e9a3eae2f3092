"""A simulated population of topics, and a system similar to Lemma.

A topic has some events, each with a favourite word of a vocabulary that all topics share (frequent
words serve many events: so chains run across topics, wrongly). A mention uses its event's word, or
in a share that differs from topic to topic, any other. The system puts mentions of one word into
one chain. Of two systems that decide, one does so and the other keeps each mention by itself: by
word, by topic, or by either, which of them does what is a matter of chance.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.metadocument import MetaDocuments
from cdec.statistics import Units

TOPICS = 20
_WORDS = 400
_POPULARITY = 1 / np.arange(1, _WORDS + 1) ** 1.1
_POPULARITY /= _POPULARITY.sum()


@dataclass(frozen=True)
class Drawn:
    """A corpus of TOPICS topics: key, response and topic of each mention."""

    key: Ints
    response: Ints
    topic: Ints

    def meta_documents(self, response: Ints, scope: str) -> MetaDocuments:
        """The meta-documents of a response under a setting of this scope."""
        meta = [f"t{t}" for t in self.topic] if scope == "topic" else "corpus"
        index = pd.RangeIndex(len(self.key)).map("m{}".format)
        return MetaDocuments(
            pd.DataFrame({"meta": meta, "key": self.key, "response": response}, index=index)
        )

    @property
    def words(self) -> Units:
        """The words, which the response's chains are."""
        index = pd.RangeIndex(len(self.key)).map("m{}".format)
        return Units("word", tuple(map(str, range(_WORDS))), pd.Series(self.response, index))

    def decided(self, by: str, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Two systems, neither of which is better but by chance.

        ``by`` is "word", "topic", "mention", or "both": each word of each topic is decided by word
        or by topic.
        """
        word, topic = self.response, self.topic
        by_word, by_topic = rng.random(_WORDS) < 0.5, rng.random(TOPICS) < 0.5
        as_word = (rng.random((TOPICS, _WORDS)) < 0.5)[topic, word]
        links = {
            "word": by_word[word],
            "topic": by_topic[topic],
            "both": np.where(as_word, by_word[word], by_topic[topic]),
            "mention": rng.random(len(word)) < 0.5,
        }[by]
        alone = _WORDS + np.arange(len(word))
        return np.where(links, word, alone), np.where(links, alone, word)

    @property
    def units(self) -> Units:
        index = pd.RangeIndex(len(self.key)).map("m{}".format)
        topics = pd.DataFrame({"topic": [f"t{t}" for t in self.topic]}, index=index)
        return Units.of_mentions("topic", [topics])


def draw(seed: int) -> Drawn:
    """A corpus drawn from the population."""
    rng = np.random.default_rng(seed)
    topics = [_topic(rng, number) for number in range(TOPICS)]
    return Drawn(*(np.concatenate(column) for column in zip(*topics, strict=True)))


def _topic(rng: np.random.Generator, number: int) -> tuple[Ints, Ints, Ints]:
    events = int(rng.integers(8, 20))
    words = rng.choice(_WORDS, size=events, p=_POPULARITY)
    mentions = int(rng.integers(20, 60))
    event = rng.choice(events, size=mentions, p=rng.dirichlet(np.ones(events)))
    odd = rng.random(mentions) < min(0.8, 0.15 * rng.gamma(2.0))
    word = np.where(odd, rng.choice(_WORDS, size=mentions, p=_POPULARITY), words[event])
    return event + 1000 * number, word, np.full(mentions, number)

"""A synthetic corpus of any size: documents in stories, head lemmas Zipf-distributed.

A story is a group of documents that share names and terms, which other documents lack: document
similarity is sparse. The rest of a document are common words, also Zipf-distributed, and event
words, each a mention of one token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import Ints
from cdec.corpus import Corpus, Document

Words: TypeAlias = npt.NDArray[np.object_]

MENTIONS = 20  # per document
SENTENCE = 20  # tokens


@dataclass(frozen=True)
class Shape:
    """Size and word distribution of the corpus; ``seed`` determines the rest."""

    documents: int
    story: int = 10  # documents, on average
    story_terms: int = 40  # distinct, per story
    story_words: int = 50  # per document
    common_words: int = 90  # per document
    common_vocabulary: int = 50_000
    lemmas: int = 20_000
    seed: int = 1


def make(shape: Shape) -> Corpus:
    """Return the corpus: its gold chains are story and lemma, its topics the stories."""
    chance = np.random.default_rng(shape.seed)
    story = np.sort(chance.integers(0, max(shape.documents // shape.story, 1), shape.documents))
    words, event = _words(shape, story, chance)
    documents = {
        f"{number}_{place}x": _document(f"{number}_{place}x", number, row)
        for place, (number, row) in enumerate(zip(story.tolist(), words, strict=True))
    }
    return Corpus("synthetic", "0" * 64, documents, _mentions(documents, story, words, event))


def zipf(size: int, count: int | tuple[int, int], chance: np.random.Generator) -> Ints:
    """Return random numbers below ``size``, number k with a weight of 1 / (k + 1)."""
    weights = np.cumsum(1 / np.arange(1, size + 1))
    points = np.asarray(chance.random(count)) * weights[-1]
    numbers: Ints = np.searchsorted(weights, points, side="right")
    return numbers


def _words(shape: Shape, story: Ints, chance: np.random.Generator) -> tuple[Words, Ints]:
    """Return the words of each document in random order, and the positions of its event words."""
    rows, stories = len(story), int(story.max()) + 1
    common = zipf(shape.common_vocabulary, (rows, shape.common_words), chance)
    own = chance.integers(0, shape.story_terms, (rows, shape.story_words))
    terms = shape.common_vocabulary + story[:, None] * shape.story_terms + own
    # Half of the lemmas of a story recur in it, as those of its main events do.
    repeated = zipf(shape.lemmas, (stories, MENTIONS // 2), chance)[story]
    lemmas = np.hstack([repeated, zipf(shape.lemmas, (rows, MENTIONS - MENTIONS // 2), chance)])
    words = _named("word", shape.common_vocabulary) + _named("Term", stories * shape.story_terms)
    codes = np.hstack([common, terms, len(words) + lemmas])
    names = np.array(words + _named("verb", shape.lemmas), dtype=object)
    place = chance.permuted(np.tile(np.arange(codes.shape[1]), (rows, 1)), axis=1)
    shuffled = np.empty_like(codes)
    np.put_along_axis(shuffled, place, codes, axis=1)
    return names[shuffled], np.sort(place[:, -MENTIONS:], axis=1)


def _named(kind: str, count: int) -> list[str]:
    return [f"{kind}{number}" for number in range(count)]


def _document(id_: str, story: int, words: Words) -> Document:
    tokens = words.tolist()
    sentences = tuple(tuple(tokens[i : i + SENTENCE]) for i in range(0, len(tokens), SENTENCE))
    return Document(id_, str(story), str(story), sentences)


def _mentions(
    documents: dict[str, Document], story: Ints, words: Words, event: Ints
) -> pd.DataFrame:
    doc = np.repeat(np.array(list(documents), dtype=object), MENTIONS)
    at = event.ravel()
    text = np.take_along_axis(words, event, axis=1).ravel()
    topic = np.repeat(story.astype(str).astype(object), MENTIONS)
    ids = doc + "/" + np.tile(np.arange(MENTIONS).astype(str).astype(object), len(documents))
    table: dict[str, Any] = {
        "doc": doc,
        "topic": topic,
        "subtopic": topic,
        "sentence": at // SENTENCE,
        "start": at,
        "end": at,
        "tokens": [(k,) for k in at.tolist()],
        "text": text,
        "tag": "ACTION_OCCURRENCE",
        "kind": "event",
        "state": "annotated",
        "chain": topic + "/" + text,
        "relation": "cross_doc",
        "descriptor": "",
        "reviewed": True,
    }
    return pd.DataFrame(table, index=pd.Index(ids, name="mention"))

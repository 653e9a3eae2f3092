"""The same mention in an identical or nearly identical sentence of another document.

News agencies' sentences recur word for word. Where such a sentence is annotated in two documents,
the mentions at the same place mean the same event; if they are not linked, that is nearly
certainly an error. Case is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from cdec.arrays import Ints
from cdec.corpus.model import Corpus
from cdec.language.similarity import similar_pairs

Place = tuple[str, int]  # document id, number of the sentence
Words = tuple[str, ...]
_MARGIN = 0.9  # of the share in common, for a first choice by sets of tokens
_LEAST = 5  # tokens of a sentence that is compared: "Photo :" recurs and means nothing


@dataclass(frozen=True)
class _Annotated:
    """A sentence with event mentions: its words, and mention id by the places of its tokens."""

    place: Place
    words: Words
    mentions: dict[tuple[int, ...], str]


def duplicates(corpus: Corpus, identity: float) -> pd.DataFrame:
    """Return pairs of event mentions at the same place of alike sentences of two documents.

    Columns: ``left`` and ``right`` (mention ids, in corpus order) and ``identity``: 1 for identical
    sentences, else the share of tokens in common (twice the common ones over all), at least
    ``identity``. Only sentences of five tokens or more are compared unless they are identical.
    """
    sentences = _annotated(corpus)
    rows = [
        (one.mentions[at], two.mentions[there], share)
        for one, two in _alike(sentences, identity)
        for at, there, share in _common(one, two, identity)
    ]
    return pd.DataFrame(rows, columns=["left", "right", "identity"])


def recurring(alike: pd.DataFrame, chain: Ints) -> pd.DataFrame:
    """Return the groups of chains that alike sentences connect: one row a group of two or more.

    ``alike`` holds rows of mentions, ``left`` and ``right``, and ``identity``; ``chain`` a code a
    mention. Columns: ``codes`` (chains, rising), ``rows`` (a mention of each, in text order) and
    ``duplicate`` (mean identity of the sentences between them). Mentions that are alone make one
    group with all that they are connected to, and with the chain of several mentions if there is
    just one. Two such chains are a group of their own: a third must not join them unseen.
    """
    apart = alike[chain[alike["left"]] != chain[alike["right"]]]
    ends = chain[apart["left"]], chain[apart["right"]]
    group = _components(np.minimum(*ends), np.maximum(*ends), np.bincount(chain))
    rows = []
    for _, part in apart.groupby(group, sort=True):
        mentions = pd.Series(np.unique(part[["left", "right"]].to_numpy()))
        shown = mentions[~pd.Series(chain[mentions]).duplicated()].to_numpy()
        codes = tuple(int(code) for code in np.sort(chain[shown]))
        rows.append((codes, tuple(int(row) for row in shown), float(part["identity"].mean())))
    return pd.DataFrame(rows, columns=["codes", "rows", "duplicate"])


def _components(one: Ints, two: Ints, sizes: Ints) -> Ints:
    """Return the group of each pair of chains."""
    single = (sizes[one] == 1) & (sizes[two] == 1)
    edges = (one[single], two[single])
    ones = np.ones(len(edges[0]), dtype=np.int8)
    graph = coo_array((ones, edges), (len(sizes), len(sizes)))
    component = connected_components(graph, directed=False)[1]
    # A pair with a chain of several: the component of its lone mention, and that chain.
    lone = np.where(sizes[one] == 1, one, two)
    large = np.where(single, -1, np.where(sizes[one] == 1, two, one))
    mixed = ~single & (np.minimum(sizes[one], sizes[two]) == 1)
    part = np.where(single | mixed, component[lone], -1 - lone)
    adjacent = pd.Series(large[mixed]).groupby(part[mixed]).nunique()
    joined = mixed & (pd.Series(part).map(adjacent) == 1).to_numpy()
    table = pd.DataFrame({"part": part, "large": np.where(joined, -1, large)})
    return np.asarray(table.groupby(["part", "large"]).ngroup(), dtype=np.int64)


def _annotated(corpus: Corpus) -> list[_Annotated]:
    found: list[_Annotated] = []
    events = corpus.events
    for _, part in events.groupby(["doc", "sentence"], sort=False):
        doc, number = str(part["doc"].iloc[0]), int(part["sentence"].iloc[0])
        document = corpus.documents[doc]
        start = document.sentence_starts[number]
        words = tuple(word.lower() for word in document.sentences[number])
        places = (tuple(token - start for token in tokens) for tokens in part["tokens"])
        found.append(_Annotated((doc, number), words, dict(zip(places, part.index, strict=True))))
    return found


def _alike(sentences: list[_Annotated], identity: float) -> Iterator[tuple[_Annotated, _Annotated]]:
    """Yield pairs of sentences of two documents that may be alike, in corpus order."""
    bags = _bags([sentence.words for sentence in sentences])
    # The cosine of token sets is at least their share in common; repeated words can move either.
    chunks = list(similar_pairs(bags, identity * _MARGIN))
    ends = sorted((int(a), int(b)) for chunk in chunks for a, b in zip(*chunk[:2], strict=True))
    for a, b in ends:
        one, two = sentences[a], sentences[b]
        long = min(len(one.words), len(two.words)) >= _LEAST
        if one.place[0] != two.place[0] and (long or one.words == two.words):
            yield one, two


def _bags(sentences: list[Words]) -> csr_array[Any]:
    counter = CountVectorizer(analyzer=list, binary=True, dtype=np.float64)
    return csr_array(normalize(counter.fit_transform(sentences)))


def _common(
    one: _Annotated, two: _Annotated, identity: float
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], float]]:
    """Yield the places of mentions whose tokens the alignment of both sentences matches."""
    if one.words == two.words:
        yield from ((at, at, 1.0) for at in one.mentions if at in two.mentions)
        return
    matcher = SequenceMatcher(None, one.words, two.words, autojunk=False)
    share = matcher.ratio()
    if share < identity:
        return
    moved = {
        block.a + step: block.b + step
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    }
    for at in one.mentions:
        there = tuple(moved.get(token, -1) for token in at)
        if there in two.mentions:
            yield at, there, share

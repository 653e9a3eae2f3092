"""Hypothesis strategies shared by several test packages."""

from typing import TypeAlias

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from cdec.clustering import Clustering
from cdec.metadocument import MetaDocuments

LabelPair: TypeAlias = tuple[list[int], list[int]]
LabelTriple: TypeAlias = tuple[list[int], list[int], list[int]]

MAX_MENTIONS = 24


@st.composite
def label_pairs(
    draw: st.DrawFn, max_mentions: int = MAX_MENTIONS, twinless: bool = True
) -> LabelPair:
    """Two integer label lists of one length; −1 where that side lacks the mention."""
    size = draw(st.integers(0, max_mentions))
    lowest = -1 if twinless else 0

    def side() -> list[int]:
        chains = draw(st.integers(0, max(size, 1)))
        return draw(st.lists(st.integers(lowest, chains), min_size=size, max_size=size))

    return side(), side()


@st.composite
def label_triples(
    draw: st.DrawFn, max_mentions: int = MAX_MENTIONS, max_documents: int = 4
) -> LabelTriple:
    """Label lists of key and response as in ``label_pairs``, and of meta-documents."""
    key, response = draw(label_pairs(max_mentions))
    names = st.integers(0, max_documents - 1)
    meta = draw(st.lists(names, min_size=len(key), max_size=len(key)))
    return key, response, meta


def clustering(labels: list[int]) -> Clustering:
    """The clustering of the mentions m0, m1, … that have a label other than −1."""
    series = pd.Series(labels, index=[f"m{i}" for i in range(len(labels))], dtype="int64")
    return Clustering(series[series != -1])


@st.composite
def clusterings(draw: st.DrawFn, max_mentions: int = MAX_MENTIONS) -> Clustering:
    """A clustering of some of the mentions m0, m1, …"""
    return clustering(draw(label_pairs(max_mentions))[0])


@st.composite
def clustering_pairs(
    draw: st.DrawFn, max_mentions: int = MAX_MENTIONS, twinless: bool = True
) -> tuple[Clustering, Clustering]:
    """A key and a response; with ``twinless`` their mention sets may differ."""
    key, response = draw(label_pairs(max_mentions, twinless=twinless))
    return clustering(key), clustering(response)


def meta_documents_of(key: list[int], response: list[int], meta: list[int]) -> MetaDocuments:
    """Meta-documents of aligned labels; −1 where a side lacks the mention."""
    sides = {"key": key, "response": response}
    table = pd.DataFrame(
        {"meta": [f"d{number}" for number in meta]}
        | {side: np.where(np.array(codes) == -1, np.nan, codes) for side, codes in sides.items()},
        index=pd.Index([f"m{i}" for i in range(len(key))], dtype=object),
    )
    return MetaDocuments(table)


@st.composite
def meta_documents(
    draw: st.DrawFn, max_mentions: int = MAX_MENTIONS, max_documents: int = 4
) -> MetaDocuments:
    """MetaDocuments with twinless mentions; chain labels recur in several of them."""
    return meta_documents_of(*draw(label_triples(max_mentions, max_documents)))

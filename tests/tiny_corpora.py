"""Tiny corpora for tests of settings: chains across documents, sub-topics and topics, twinless."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from hypothesis import strategies as st

from cdec.clustering import Clustering

DOCUMENTS = 6
KINDS = ("event", "entity")  # of the mentions of each topic


@dataclass(frozen=True)
class Tiny:
    """Mentions in text order as records, and both sides as dicts mention → chain."""

    mentions: list[dict[str, str]]
    key: dict[str, str]
    response: dict[str, str]

    @property
    def table(self) -> pd.DataFrame:
        """The mentions as a table for ``settings.build``."""
        columns = ["id", "doc", "subtopic", "topic", "kind", "group"]
        return pd.DataFrame(self.mentions, columns=columns).set_index("id")

    @property
    def sides(self) -> tuple[Clustering, Clustering]:
        """Key and response."""
        return Clustering.from_labels(self.key), Clustering.from_labels(self.response)


def tiny(documents: list[int], key: list[int], response: list[int]) -> Tiny:
    """Return the corpus of mentions in these documents; −1 if a side lacks the mention.

    Each two documents are a sub-topic, each four a topic.
    """
    mentions = [
        {
            "id": f"d{doc}/{i}",
            "doc": f"d{doc}",
            "subtopic": f"s{doc // 2}",
            "topic": f"t{doc // 4}",
            "kind": KINDS[doc // 4],
            "group": f"g{doc // 4}",
        }
        for i, doc in enumerate(documents)
    ]
    sides = [
        {m["id"]: f"c{chain}" for m, chain in zip(mentions, chains, strict=True) if chain >= 0}
        for chains in (key, response)
    ]
    return Tiny(mentions, *sides)


@st.composite
def tiny_corpora(draw: st.DrawFn, max_mentions: int = 16) -> Tiny:
    """Return a corpus of a few documents with arbitrary chains."""
    size = draw(st.integers(0, max_mentions))
    documents = st.lists(st.integers(0, DOCUMENTS - 1), min_size=size, max_size=size)

    def side() -> list[int]:
        chains = draw(st.integers(0, 6))
        return draw(st.lists(st.integers(-1, chains), min_size=size, max_size=size))

    return tiny(sorted(draw(documents)), side(), side())

"""The worst chains: those with most wrong links, and those with most missed ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from cdec.corpus.model import Corpus
from cdec.diagnosis.mentions import Mentions, Quote, quote
from cdec.evaluation.response import SystemRun
from cdec.metadocument import OTHER, Side
from cdec.metrics.links import links

SHOWN_PARTS = 4
SHOWN_QUOTES = 2


@dataclass(frozen=True)
class Part:
    """The mentions of a chain that the other side puts into one chain (``name``; '': into none)."""

    name: str
    size: int
    quotes: tuple[Quote, ...]


@dataclass(frozen=True)
class WorstChain:
    """A chain of ``side`` with its ``links`` and how many of them are ``errors``.

    ``errors`` are wrong links of a response chain, missed links of a key chain. ``parts`` are the
    largest of its ``in_parts`` parts, each with its first mentions in text order.
    """

    side: Side
    name: str
    mentions: int
    topics: int
    links: int
    errors: int
    in_parts: int
    parts: tuple[Part, ...]


def worst_chains(
    mentions: Mentions, run: SystemRun, corpus: Corpus, side: Side, top: int
) -> tuple[WorstChain, ...]:
    """Return the ``top`` chains of ``side`` (key or response) with most errors, the worst first.

    Chains without an error are never among them.
    """
    table = pd.DataFrame(
        {"own": getattr(mentions, side), "other": getattr(mentions, OTHER[side])},
        index=mentions.index,
    ).assign(topic=mentions.topic)
    table = table[table["own"] >= 0]
    sizes = table.groupby("own").size()
    cells = table[table["other"] >= 0].groupby(["own", "other"]).size()
    right = links(cells).groupby("own").sum().reindex(sizes.index, fill_value=0)
    errors = links(sizes) - right
    order = np.lexsort((errors.index.to_numpy(), -errors.to_numpy()))[:top]
    writer = Writer(run, corpus, side)
    return tuple(
        writer.chain(table[table["own"] == chain], int(errors[chain]))
        for chain in errors.index[order]
        if errors[chain] > 0
    )


@dataclass(frozen=True, eq=False)
class Writer:
    """Writes out chains of one side, with names and sentences."""

    run: SystemRun
    corpus: Corpus
    side: Side

    def chain(self, rows: pd.DataFrame, errors: int) -> WorstChain:
        """Return a chain, given its mentions with ``other`` (−1: that side lacks it), ``topic``."""
        shared = [part for _, part in rows[rows["other"] >= 0].groupby("other", sort=False)]
        # A mention that the other side lacks has no chain there: each is a part of its own.
        lost = rows[rows["other"] < 0]
        parts = [
            *sorted(shared, key=len, reverse=True),
            *(lost.iloc[[n]] for n in range(len(lost))),
        ]
        size = len(rows)
        return WorstChain(
            side=self.side,
            name=self._name(self.side, str(rows.index[0])),
            mentions=size,
            topics=int(rows["topic"].nunique()),
            links=links(size),
            errors=errors,
            in_parts=len(parts),
            parts=tuple(self._part(part) for part in parts[:SHOWN_PARTS]),
        )

    def _part(self, rows: pd.DataFrame) -> Part:
        first = rows.index[:SHOWN_QUOTES]
        quotes = tuple(quote(str(id_), self.run.mentions, self.corpus) for id_ in first)
        return Part(self._name(OTHER[self.side], str(rows.index[0])), len(rows), quotes)

    def _name(self, side: Side, mention: str) -> str:
        """Return the label of a mention's chain, of the key with its descriptor; '' for none."""
        labels = {"key": self.run.key, "response": self.run.response}[side].labels
        if mention not in labels.index:
            return ""
        told = str(self.corpus.mentions.loc[mention, "descriptor"]) if side == "key" else ""
        return ", ".join(filter(None, [str(labels[mention]), told]))

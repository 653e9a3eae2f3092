"""The worst chains: response chains with the most wrong links, key chains with the most missed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from cdec.clustering import OTHER, Side
from cdec.corpus.model import Corpus
from cdec.diagnosis.mentions import Mentions, Quote, quote
from cdec.errors import counted
from cdec.matching.alignment import Alignment
from cdec.metrics import links
from cdec.render.page import Block, Listing, Text

SHOWN_PARTS = 4
SHOWN_QUOTES = 2


@dataclass(frozen=True)
class ChainPart:
    """The mentions of a chain that share a chain of the other side; ``name`` is '' for no chain."""

    name: str
    size: int
    quotes: tuple[Quote, ...]


@dataclass(frozen=True)
class WorstChain:
    """A chain of ``side`` with its numbers of ``links`` and ``errors``.

    ``errors`` are the wrong links of a response chain or the missed links of a key chain. ``parts``
    are the largest of its ``in_parts`` parts, with their first mentions in text order.
    """

    side: Side
    name: str
    mentions: int
    topics: int
    links: int
    errors: int
    in_parts: int
    parts: tuple[ChainPart, ...]


def worst_chains(
    mentions: Mentions, run: Alignment, corpus: Corpus, side: Side, top: int
) -> tuple[WorstChain, ...]:
    """Return up to ``top`` chains of ``side`` with the most errors, the worst first.

    Chains without errors are left out.
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
    """Adds names and sentences to the chains of one side."""

    run: Alignment
    corpus: Corpus
    side: Side

    def chain(self, rows: pd.DataFrame, errors: int) -> WorstChain:
        """Return a chain; ``rows`` has ``other`` (chain code, −1 for none) and ``topic``."""
        shared = [part for _, part in rows[rows["other"] >= 0].groupby("other", sort=False)]
        # Each mention that is missing on the other side is a separate part.
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

    def _part(self, rows: pd.DataFrame) -> ChainPart:
        first = rows.index[:SHOWN_QUOTES]
        quotes = tuple(quote(str(id_), self.run.mentions, self.corpus) for id_ in first)
        return ChainPart(self._name(OTHER[self.side], str(rows.index[0])), len(rows), quotes)

    def _name(self, side: Side, mention: str) -> str:
        """Return the chain label of a mention, in the key with its descriptor; '' for no chain."""
        labels = {"key": self.run.key, "response": self.run.response}[side].labels
        if mention not in labels.index:
            return ""
        descriptor = str(self.corpus.mentions.loc[mention, "descriptor"]) if side == "key" else ""
        return ", ".join(filter(None, [str(labels[mention]), descriptor]))


def worst_blocks(chains: Sequence[WorstChain]) -> Iterator[Block]:
    """Yield the chains of each side with their parts on the other side, as text."""
    words = {"response": ("wrong", "key"), "key": ("missed", "response")}
    for side, (error, other) in words.items():
        of_side = [chain for chain in chains if chain.side == side]
        if of_side:
            yield Text(f"The {side} chains with the most {error} links:")
        for chain in of_side:
            label = (
                f"{side} chain '{chain.name}': {counted(chain.mentions, 'mention')} in "
                f"{counted(chain.topics, 'topic')}, {chain.errors:,} of {chain.links:,} links "
                f"{error}, {counted(chain.in_parts, f'{other} chain')}"
            )
            yield Listing(label, tuple(_part_lines(chain, other)))


def _part_lines(chain: WorstChain, other: str) -> Iterator[str]:
    for part in chain.parts:
        name = f"{other} chain '{part.name}'" if part.name else f"in no {other} chain"
        yield f"{name}, {counted(part.size, 'mention')}"
        yield from (each.line for each in part.quotes)
    if chain.in_parts > len(chain.parts):
        yield f"and {chain.in_parts - len(chain.parts):,} more"


def worst_frame(chains: Sequence[WorstChain]) -> pd.DataFrame:
    """Return the numbers of the chains, a row for each."""
    names = ("side", "name", "mentions", "topics", "links", "errors", "in_parts")
    return pd.DataFrame([{name: getattr(chain, name) for name in names} for chain in chains])

"""How well mentions fit a chain: the evidence that orders the corrections of a case.

Of two chains with a mention of one event each, the chain is right that both mentions fit. The fit
is a weighted sum over the other members of the chain; neither of both mentions counts as one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from cdec.arrays import Ints
from cdec.pairs.features import columns

if TYPE_CHECKING:
    from cdec.auditing.key import Key

# Set by hand, guided by fits to planted moves and 29 read cases of train and dev. No system has
# answers there, so the weight of the readers is a choice.
_COPY = 1.5  # the chain has a copy of the mention
_HEADS = 1.0  # share of members with its head lemma or root
_DESCRIPTOR = 1.2  # the descriptor of the chain has a word of the mention
_ARGUMENTS = (
    1.0  # share of its participants, places and times in the sentence of a member
)
_SUBTOPIC = 1.4  # share of members in its sub-topic
_READERS = 2.0  # share of systems that link the mention with members
# Cosines of the sentences, of the words around the mentions, and of dates and numbers: their means
# over members in other sentences.
_CONTEXT = {"sentence": 3.0, "window": 2.7, "numbers": 1.5}
_STEM = 5  # letters that a word shares with a word of a descriptor
TYPICAL = 4.0  # fit of a mention to its chain
_PRIOR = 0.5  # added to a fit that others are divided by
_MOST = 6  # members of a chain that are compared with another chain
_NEAREST = 5  # chains that are compared with the mentions of a case


class Fit:
    """The fit of mentions of a key, as rows, to its chains, as codes."""

    def __init__(self, key: Key) -> None:
        self.key = key
        every = key.corpus.mentions
        events = key.corpus.selected
        names = columns()
        left = key.pairs.left
        right = key.pairs.right
        values = key.features[:, [names.index(name) for name in _CONTEXT]]
        sums = np.tile(values @ np.array([*_CONTEXT.values()]), 2)
        ends = np.concatenate([left, right]), np.concatenate([right, left])
        # The weighted sum of the cosines of each two mentions that are compared.
        self._contexts = csr_array((sums, ends), shape=(len(events), len(events)))
        alike = key.alike[["left", "right"]].to_numpy()
        self._copies = {*map(tuple, np.vstack([alike, alike[:, ::-1]]).tolist())}
        subtopics = pd.factorize(events["subtopic"])[0]
        # Mentions with one lemma have one root.
        self._codes = np.array([key.mentions.codes["root"], subtopics, key.sentence])
        # The chains of several other mentions, not audited, in the sentence of each mention.
        others = every[
            ~every.index.isin(events.index) & every.duplicated("chain", keep=False)
        ]
        chains = others.groupby(["doc", "sentence"])["chain"].agg(frozenset).to_dict()
        places = zip(events["doc"], events["sentence"], strict=True)
        self._arguments = [chains.get(place, frozenset()) for place in places]
        self._words = [_stems(text) for text in events["text"].astype(str)]
        self._described = [
            _stems(bare_descriptor(str(name))) for name in events["descriptor"]
        ]

    def of(self, rows: Sequence[int], code: int, without: Sequence[int] = ()) -> float:
        """Return how well these mentions fit a chain, on average.

        Neither they nor the mentions ``without`` count as members; 0 if there is no other.
        """
        rest = self._members(code, (*rows, *without))
        return fmean(self._one(row, rest) for row in rows) if len(rest) else 0.0

    def alike(self, one: int, two: int, without: Sequence[int]) -> float:
        """Return how well members of two chains fit the other chain, as a share of their own fit.

        The share of their pairs that are in one sub-topic is added. The mentions ``without`` are in
        question and no members.
        """
        ends = [self._members(code, without)[:_MOST].tolist() for code in (one, two)]
        if not all(ends):
            return 0.0
        other = []
        own = []
        for rows, code, there in zip(ends, (one, two), (two, one), strict=True):
            other += [self.of([row], there, without) for row in rows]
            own += [self.of([row], code, without) for row in rows if len(rows) > 1]
        together = np.equal.outer(*(self._codes[1, rows] for rows in ends)).mean()
        return fmean(other) / (fmean(own or [TYPICAL]) + _PRIOR) + float(together)

    def best(
        self, rows: Sequence[int], besides: Collection[int], count: int = 1
    ) -> list[tuple[int, float]]:
        """Return a mention of each chain of several that fits these best, and its fit.

        At most ``count`` chains, the best first. Each of the mentions must be compared with a
        mention of the chain; the first of these after ``rows[0]`` is returned, else the first.
        """
        chain = self.key.chain
        sizes = self.key.sizes
        near = [self._contexts[[row]].indices for row in rows]
        least = np.min(
            [np.bincount(chain[to], minlength=len(sizes)) for to in near], axis=0
        )
        large = np.flatnonzero(
            (least > 0) & (sizes > 1) & ~np.isin(np.arange(len(sizes)), [*besides])
        )
        nearest = large[np.argsort(-least[large], kind="stable")][:_NEAREST].tolist()
        fits = sorted(
            ((self.of(rows, code), code) for code in nearest), key=lambda one: -one[0]
        )
        there = [near[0][chain[near[0]] == code].tolist() for _, code in fits[:count]]
        return [
            (min(ends, key=lambda at: (at < rows[0], at)), fit)
            for ends, (fit, _) in zip(there, fits, strict=False)
        ]

    def _members(self, code: int, without: Collection[int]) -> Ints:
        rows = self.key.members[code]
        return rows[~np.isin(rows, [*without])]

    def _one(self, row: int, rest: Ints) -> float:
        """Return how well a mention fits these members of a chain."""
        root, subtopic, sentence = self._codes[:, rest] == self._codes[:, [row]]
        apart = rest[~sentence]
        arguments = self._arguments[row]
        shared = sum(len(arguments & self._arguments[at]) for at in apart.tolist())
        near = self._contexts[[row]]
        context = near.data[np.isin(near.indices, apart)].sum() / max(1, len(apart))
        readers = self.key.readers.share(row, rest) if self.key.readers else 0.0
        return float(
            context
            + _COPY * any((row, at) in self._copies for at in rest.tolist())
            + _HEADS * root.mean()
            + _DESCRIPTOR * (not self._described[rest[0]].isdisjoint(self._words[row]))
            + _ARGUMENTS * shared / max(1, len(arguments) * len(apart))
            + _SUBTOPIC * subtopic.mean()
            + _READERS * readers
        )


def bare_descriptor(descriptor: str) -> str:
    """Return a descriptor without the topic prefix of ECB+, as in ``t12_fire``."""
    return re.sub(r"^t\d+b?_", "", descriptor.strip().lower())


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in re.findall(r"[^\W_]+", text.lower()))

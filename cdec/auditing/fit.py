"""How well mentions fit a chain: the evidence that orders the corrections of a case.

Of two chains with a mention of one event each, the chain is right that both mentions fit. The fit
is a weighted sum over the other members of the chain; neither of both mentions counts as one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from cdec.arrays import Ints
from cdec.pairs.features import columns

if TYPE_CHECKING:
    from cdec.auditing.key import Key

# Set by hand, guided by fits to planted moves and 29 read cases of train and dev. No system has
# answers there, so the weight of "readers" is a choice.
WEIGHTS = {
    "copy": 1.5,  # the chain has a copy of the mention
    "heads": 1.0,  # share of members with its head lemma or root
    "descriptor": 1.2,  # the descriptor of the chain has a word of the mention
    "arguments": 1.0,  # share of its participants, places and times in the sentence of a member
    "subtopic": 1.4,  # share of members in its sub-topic
    "sentence": 3.0,  # cosine of the sentences, mean over members in other sentences
    "window": 2.7,  # cosine of the words around the mentions
    "numbers": 1.5,  # cosine of dates and numbers of the sentences
    "readers": 2.0,  # share of systems that link the mention with members
}
_CONTEXT = ("sentence", "window", "numbers")
_STEM = 5  # letters that a word shares with a word of a descriptor
TYPICAL = 4.0  # fit of a mention to its chain
_PRIOR = 0.5  # added to a fit that others are divided by
_MOST = 6  # members of a chain that are compared with another chain
_NEAREST = 5  # chains that are compared with the mentions of a case


@dataclass(frozen=True, eq=False)
class Fit:
    """The fit of mentions of a key, as rows, to its chains, as codes."""

    key: Key

    def of(self, rows: Sequence[int], code: int, without: Sequence[int] = ()) -> float:
        """Return how well these mentions fit a chain, on average.

        Neither they nor the mentions ``without`` count as members; 0 if there is no other.
        """
        rest = self.members(code, (*rows, *without))
        return fmean(self._one(row, rest) for row in rows) if rest else 0.0

    def alike(self, one: int, two: int, without: Sequence[int]) -> float:
        """Return how well members of two chains fit the other chain, as a share of their own fit.

        The share of their pairs that are in one sub-topic is added. The mentions ``without`` are in
        question and no members.
        """
        ends = [self.members(code, without)[:_MOST] for code in (one, two)]
        if not all(ends):
            return 0.0
        other, own = [], []
        for rows, code, there in zip(ends, (one, two), (two, one), strict=True):
            other += [self.of([row], there, without) for row in rows]
            own += [self.of([row], code, without) for row in rows if len(rows) > 1]
        together = np.equal.outer(*(self._codes["subtopic"][rows] for rows in ends)).mean()
        return fmean(other) / (fmean(own or [TYPICAL]) + _PRIOR) + float(together)

    def best(
        self, rows: Sequence[int], besides: Collection[int], count: int = 1
    ) -> list[tuple[int, float]]:
        """Return a mention of each chain of several that fits these best, and its fit.

        At most ``count`` chains, the best first. Each of the mentions must be compared with a
        mention of the chain; the first of these after ``rows[0]`` is returned, else the first.
        """
        near = (_row(self._contexts, row)[0] for row in rows)
        counts = [Counter(self.key.chain[at].tolist()) for at in near]
        common = set(counts[0]).intersection(*counts[1:]) - {*besides}
        large = sorted(code for code in common if self.key.sizes[code] > 1)
        nearest = sorted(large, key=lambda code: -min(one[code] for one in counts))[:_NEAREST]
        fits = sorted(((self.of(rows, code), code) for code in nearest), key=lambda one: -one[0])
        return [(self._first(rows[0], code), fit) for fit, code in fits[:count]]

    def _first(self, row: int, code: int) -> int:
        near, _ = _row(self._contexts, row)
        there: list[int] = near[self.key.chain[near] == code].tolist()
        return min(there, key=lambda at: (at < row, at))

    def members(self, code: int, without: Collection[int]) -> list[int]:
        """Return the rows of a chain without these."""
        return [row for row in self._members[code] if row not in without]

    def _one(self, row: int, rest: Sequence[int]) -> float:
        others, readers = np.array(rest), self.key.readers
        same = {name: values[others] == values[row] for name, values in self._codes.items()}
        apart = others[~same["sentence"]]
        arguments = self._arguments[row]
        shared = sum(len(arguments & self._arguments[at]) for at in apart.tolist())
        described, heads = self._stems[rest[0]][0], self._stems[row][1]
        evidence = {
            "copy": np.isin(_row(self._copies, row)[0], others).any(),
            "heads": (same["lemma"] | same["root"]).mean(),
            "descriptor": not described.isdisjoint(heads),
            "arguments": shared / max(1, len(arguments) * len(apart)),
            "subtopic": same["subtopic"].mean(),
            "readers": readers.share(row, others) if readers else 0.0,
        }
        near, fits = _row(self._contexts, row)
        context = float(fits[np.isin(near, apart)].sum()) / max(1, len(apart))
        return context + float(sum(WEIGHTS[name] * value for name, value in evidence.items()))

    @cached_property
    def _contexts(self) -> csr_array:
        """The weighted sum of the columns of ``_CONTEXT`` of each two mentions."""
        key, size = self.key, len(self.key.chain)
        names = columns()
        columns_ = key.features[:, [names.index(name) for name in _CONTEXT]]
        sums = np.tile(columns_ @ np.array([WEIGHTS[name] for name in _CONTEXT]), 2)
        left, right = key.pairs.left, key.pairs.right
        ends = np.concatenate([left, right]), np.concatenate([right, left])
        return csr_array((sums, ends), shape=(size, size))

    @cached_property
    def _members(self) -> dict[int, list[int]]:
        return {code: rows.tolist() for code, rows in self.key.members.items()}

    @cached_property
    def _copies(self) -> csr_array:
        """The copies of each mention in similar sentences."""
        one, two = self.key.alike[["left", "right"]].to_numpy().T
        ends, size = (np.concatenate([one, two]), np.concatenate([two, one])), len(self.key.chain)
        return csr_array((np.ones(len(ends[0])), ends), shape=(size, size))

    @cached_property
    def _codes(self) -> dict[str, Ints]:
        """Lemma, root, sub-topic and sentence of each mention, as numbers."""
        events, codes = self.key.corpus.selected, self.key.mentions.codes
        every = {
            **{name: codes[name] for name in ("lemma", "root")},
            "subtopic": pd.factorize(events["subtopic"])[0],
            "sentence": events.groupby(["doc", "sentence"]).ngroup(),
        }
        return {name: np.asarray(values, dtype=np.int64) for name, values in every.items()}

    @cached_property
    def _arguments(self) -> list[frozenset[str]]:
        """The chains of several other mentions, not audited, in the sentence of each mention."""
        every, events = self.key.corpus.mentions, self.key.corpus.selected
        others = every[~every.index.isin(events.index) & every.duplicated("chain", keep=False)]
        chains = others.groupby(["doc", "sentence"])["chain"].agg(frozenset).to_dict()
        places = zip(events["doc"], events["sentence"], strict=True)
        return [chains.get(place, frozenset()) for place in places]

    @cached_property
    def _stems(self) -> list[tuple[frozenset[str], frozenset[str]]]:
        """The stems of words of the descriptor of each mention's chain, and of its text."""
        events = self.key.corpus.selected
        described = map(_stems, map(bare_descriptor, events["descriptor"].astype(str)))
        return list(zip(described, map(_stems, events["text"].astype(str)), strict=True))


def _row(table: csr_array, row: int) -> tuple[Any, Any]:
    """Return the columns and the values of a row."""
    inside = slice(*table.indptr[row : row + 2])
    return table.indices[inside], table.data[inside]


def bare_descriptor(descriptor: str) -> str:
    """Return a descriptor without the topic prefix of ECB+, as in ``t12_fire``."""
    return re.sub(r"^t\d+b?_", "", descriptor.strip().lower())


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in re.findall(r"[^\W_]+", text.lower()))

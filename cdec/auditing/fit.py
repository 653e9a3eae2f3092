"""How well mentions fit a chain: the evidence that orders the corrections of a case.

Of two chains with a mention of one event each, the chain is right that both mentions fit. The fit
is a weighted sum over the other members of the chain; neither of both mentions counts as one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

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
    "readers": 2.0,  # share of systems that link the mention with members
}
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
        every, events = key.corpus.mentions, key.corpus.selected
        names, (left, right) = columns(), (key.pairs.left, key.pairs.right)
        values = key.features[:, [names.index(name) for name in _CONTEXT]]
        sums = np.tile(values @ np.array([*_CONTEXT.values()]), 2)
        ends = np.concatenate([left, right]), np.concatenate([right, left])
        # The weighted sum of the cosines of each two mentions that are compared.
        self._contexts = csr_array((sums, ends), shape=(len(events), len(events)))
        self._copies = defaultdict[int, set[int]](set)
        for one, two in key.alike[["left", "right"]].to_numpy().tolist():
            self._copies[one].add(two)
            self._copies[two].add(one)
        codes = key.mentions.codes["lemma"], key.mentions.codes["root"]
        sentence = events.groupby(["doc", "sentence"]).ngroup()
        self._codes = np.array([*codes, pd.factorize(events["subtopic"])[0], sentence])
        # The chains of several other mentions, not audited, in the sentence of each mention.
        others = every[~every.index.isin(events.index) & every.duplicated("chain", keep=False)]
        chains = others.groupby(["doc", "sentence"])["chain"].agg(frozenset).to_dict()
        places = zip(events["doc"], events["sentence"], strict=True)
        self._arguments = [chains.get(place, frozenset()) for place in places]
        self._words = [_stems(text) for text in events["text"].astype(str)]
        names_of_chains = events["descriptor"].astype(str)
        self._described = [_stems(bare_descriptor(name)) for name in names_of_chains]

    def of(self, rows: Sequence[int], code: int, without: Sequence[int] = ()) -> float:
        """Return how well these mentions fit a chain, on average.

        Neither they nor the mentions ``without`` count as members; 0 if there is no other.
        """
        rest = self._members(code, (*rows, *without))
        return fmean(self._one(row, rest) for row in rows) if rest else 0.0

    def alike(self, one: int, two: int, without: Sequence[int]) -> float:
        """Return how well members of two chains fit the other chain, as a share of their own fit.

        The share of their pairs that are in one sub-topic is added. The mentions ``without`` are in
        question and no members.
        """
        ends = [self._members(code, without)[:_MOST] for code in (one, two)]
        if not all(ends):
            return 0.0
        other, own = [], []
        for rows, code, there in zip(ends, (one, two), (two, one), strict=True):
            other += [self.of([row], there, without) for row in rows]
            own += [self.of([row], code, without) for row in rows if len(rows) > 1]
        together = np.equal.outer(*(self._codes[2, rows] for rows in ends)).mean()
        return fmean(other) / (fmean(own or [TYPICAL]) + _PRIOR) + float(together)

    def best(
        self, rows: Sequence[int], besides: Collection[int], count: int = 1
    ) -> list[tuple[int, float]]:
        """Return a mention of each chain of several that fits these best, and its fit.

        At most ``count`` chains, the best first. Each of the mentions must be compared with a
        mention of the chain; the first of these after ``rows[0]`` is returned, else the first.
        """
        chain, near = self.key.chain, [self._near(row)[0] for row in rows]
        counts = [Counter(chain[there].tolist()) for there in near]
        common = set(counts[0]).intersection(*counts[1:]) - {*besides}
        large = sorted(code for code in common if self.key.sizes[code] > 1)
        nearest = sorted(large, key=lambda code: -min(one[code] for one in counts))[:_NEAREST]
        fits = sorted(((self.of(rows, code), code) for code in nearest), key=lambda one: -one[0])
        found = []
        for fit, code in fits[:count]:
            there: list[int] = near[0][chain[near[0]] == code].tolist()
            found.append((min(there, key=lambda at: (at < rows[0], at)), fit))
        return found

    def _members(self, code: int, without: Collection[int]) -> list[int]:
        """Return the rows of a chain without these."""
        return [row for row in self.key.members[code].tolist() if row not in without]

    def _near(self, row: int) -> tuple[Any, Any]:
        """Return the mentions with which a mention is compared, and the sums of the cosines."""
        inside = slice(*self._contexts.indptr[row : row + 2])
        return self._contexts.indices[inside], self._contexts.data[inside]

    def _one(self, row: int, rest: Sequence[int]) -> float:
        """Return how well a mention fits these members of a chain."""
        lemma, root, subtopic, sentence = self._codes[:, rest] == self._codes[:, [row]]
        apart = np.array(rest)[~sentence]
        arguments, readers = self._arguments[row], self.key.readers
        shared = sum(len(arguments & self._arguments[at]) for at in apart.tolist())
        evidence = {
            "copy": not self._copies[row].isdisjoint(rest),
            "heads": (lemma | root).mean(),
            "descriptor": not self._described[rest[0]].isdisjoint(self._words[row]),
            "arguments": shared / max(1, len(arguments) * len(apart)),
            "subtopic": subtopic.mean(),
            "readers": readers.share(row, np.array(rest)) if readers else 0.0,
        }
        near, cosines = self._near(row)
        context = float(cosines[np.isin(near, apart)].sum()) / max(1, len(apart))
        return context + float(sum(WEIGHTS[name] * value for name, value in evidence.items()))


def bare_descriptor(descriptor: str) -> str:
    """Return a descriptor without the topic prefix of ECB+, as in ``t12_fire``."""
    return re.sub(r"^t\d+b?_", "", descriptor.strip().lower())


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in re.findall(r"[^\W_]+", text.lower()))

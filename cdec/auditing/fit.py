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
from typing import TYPE_CHECKING

import numpy as np

from cdec.arrays import Ints
from cdec.auditing.pool import COLUMNS

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
        return float(np.mean([self._one(row, code, rest) for row in rows])) if len(rest) else 0.0

    def alike(self, one: int, two: int, without: Sequence[int]) -> float:
        """Return how well members of two chains fit the other chain, as a share of their own fit.

        The mentions ``without`` are in question and no members.
        """
        other, own = [], []
        for code, there in ((one, two), (two, one)):
            rows = self.members(code, without)[:_MOST].tolist()
            other += [self.of([row], there, without) for row in rows]
            own += [self.of([row], code, without) for row in rows if len(rows) > 1]
        mean = float(np.mean(own)) if own else TYPICAL
        return float(np.mean(other)) / (mean + _PRIOR) if other else 0.0

    def best(self, rows: Sequence[int], besides: Collection[int]) -> tuple[int, float] | None:
        """Return a mention of the chain of several that fits these best, and its fit; None: none.

        Each of them must be compared with a mention of the chain; the first of these is returned.
        """
        near = [self.key.chain[self._neighbours(row)].tolist() for row in rows]
        counts = [Counter(codes) for codes in near]
        common = set(counts[0]).intersection(*counts[1:]) - {*besides}
        large = sorted(code for code in common if self.key.sizes[code] > 1)
        nearest = sorted(large, key=lambda code: -min(one[code] for one in counts))[:_NEAREST]
        code, fit = max(
            ((code, self.of(rows, code)) for code in nearest),
            key=lambda one: one[1],
            default=(-1, 0.0),
        )
        return (int(self._neighbours(rows[0])[near[0].index(code)]), fit) if nearest else None

    def members(self, code: int, without: Sequence[int]) -> Ints:
        """Return the rows of a chain without these."""
        rows = self.key.members[code]
        return rows[~np.isin(rows, without)]

    def _one(self, row: int, code: int, rest: Ints) -> float:
        codes, key = self.key.prepared.pool.mentions.codes, self.key
        same = [codes[name][rest] == codes[name][row] for name in ("lemma", "root")]
        apart, own = rest[self._sentences[rest] != self._sentences[row]], self._arguments[row]
        shared = [len(own & self._arguments[at]) / len(own) for at in apart] if own else []
        evidence = {
            "copy": bool(self._copies.get(row, set()).intersection(rest.tolist())),
            "heads": np.logical_or(*same).mean(),
            "descriptor": bool(self._described[int(rest[0])] & self._heads[row]),
            "arguments": sum(shared) / max(1, len(shared)),
            "subtopic": (self._subtopics[rest] == self._subtopics[row]).mean(),
            "readers": key.readers.share(row, rest) if key.readers else 0.0,
            **dict(zip(_CONTEXT, self._context(row, apart), strict=True)),
        }
        return float(sum(WEIGHTS[name] * value for name, value in evidence.items()))

    def _context(self, row: int, others: Ints) -> Sequence[float]:
        """Return the mean of each column of ``_CONTEXT``; 0 for mentions that are not compared."""
        pool, size = self.key.prepared.pool, len(self.key.chain)
        wanted = np.minimum(row, others) * size + np.maximum(row, others)
        at = np.searchsorted(self._pairs, wanted).clip(max=len(self._pairs) - 1)
        known = at[self._pairs[at] == wanted]
        sums = pool.features[np.ix_(known, self._columns)].sum(axis=0)
        return list(sums / max(1, len(others)))

    @cached_property
    def _columns(self) -> list[int]:
        return [COLUMNS.index(name) for name in _CONTEXT]

    @cached_property
    def _pairs(self) -> Ints:
        """The candidate pairs as single numbers, ascending."""
        pairs = self.key.prepared.pool.pairs
        return np.asarray(pairs.left, np.int64) * len(self.key.chain) + pairs.right

    def _neighbours(self, row: int) -> Ints:
        """Return the mentions with which a mention is compared."""
        starts, others = self._ends
        return others[starts[row] : starts[row + 1]]

    @cached_property
    def _ends(self) -> tuple[Ints, Ints]:
        pairs = self.key.prepared.pool.pairs
        ends, others = (
            np.concatenate(sides)
            for sides in ((pairs.left, pairs.right), (pairs.right, pairs.left))
        )
        order = np.argsort(ends, kind="stable")
        starts = np.searchsorted(ends[order], np.arange(len(self.key.chain) + 1))
        return starts, others[order]

    @cached_property
    def _copies(self) -> dict[int, set[int]]:
        """The copies of each mention in similar sentences."""
        copies: dict[int, set[int]] = {}
        for one, two in self.key.prepared.alike[["left", "right"]].to_numpy().tolist():
            copies.setdefault(one, set()).add(two)
            copies.setdefault(two, set()).add(one)
        return copies

    @cached_property
    def _sentences(self) -> Ints:
        events = self.key.corpus.selected
        return np.asarray(events.groupby(["doc", "sentence"], sort=False).ngroup(), np.int64)

    @cached_property
    def _subtopics(self) -> Ints:
        return self.key.corpus.selected["subtopic"].factorize()[0].astype(np.int64)

    @cached_property
    def _arguments(self) -> list[set[str]]:
        """The chains of several other mentions, not audited, in the sentence of each mention."""
        every, events = self.key.corpus.mentions, self.key.corpus.selected
        others = every[~every.index.isin(events.index) & every.duplicated("chain", keep=False)]
        chains = others.groupby(["doc", "sentence"])["chain"].agg(set).to_dict()
        places = zip(events["doc"], events["sentence"], strict=True)
        return [chains.get(place, set()) for place in places]

    @cached_property
    def _described(self) -> list[set[str]]:
        names = self.key.corpus.selected["descriptor"].astype(str)
        return [_stems(bare_descriptor(name)) for name in names]

    @cached_property
    def _heads(self) -> list[set[str]]:
        return [_stems(text) for text in self.key.corpus.selected["text"].astype(str)]


def bare_descriptor(descriptor: str) -> str:
    """Return a descriptor without the topic prefix of ECB+, as in ``t12_fire``."""
    return re.sub(r"^t\d+b?_", "", descriptor.strip().lower())


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"[^\W_]+", text.lower())}

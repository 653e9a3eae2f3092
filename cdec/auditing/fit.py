"""How well mentions fit a chain: the evidence that orders the corrections of a case.

Of two chains with a mention of one event each, the chain is right that both mentions fit. The fit
is a weighted sum over the other members of the chain; neither of both mentions counts as one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
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


class _Mention(NamedTuple):
    """What the fit compares of a mention.

    ``arguments``: the chains of several other mentions, not audited, in its sentence;
    ``described`` and ``heads``: the stems of words of its chain's descriptor and of its text.
    """

    lemma: int
    root: int
    sentence: tuple[str, int]
    subtopic: str
    arguments: frozenset[str]
    described: frozenset[str]
    heads: frozenset[str]


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
        subtopics = self.key.corpus.selected["subtopic"].to_numpy()
        together = np.equal.outer(*(subtopics[rows] for rows in ends)).mean()
        return fmean(other) / (fmean(own or [TYPICAL]) + _PRIOR) + float(together)

    def best(
        self, rows: Sequence[int], besides: Collection[int], count: int = 1
    ) -> list[tuple[int, float]]:
        """Return a mention of each chain of several that fits these best, and its fit.

        At most ``count`` chains, the best first. Each of the mentions must be compared with a
        mention of the chain; the first of these after ``rows[0]`` is returned, else the first.
        """
        near = [self.key.chain[[*self._near(row)]].tolist() for row in rows]
        counts = [Counter(codes) for codes in near]
        common = set(counts[0]).intersection(*counts[1:]) - {*besides}
        large = sorted(code for code in common if self.key.sizes[code] > 1)
        nearest = sorted(large, key=lambda code: -min(one[code] for one in counts))[:_NEAREST]
        fits = sorted(((self.of(rows, code), code) for code in nearest), key=lambda one: -one[0])
        return [(self._first(rows[0], code), fit) for fit, code in fits[:count]]

    def _first(self, row: int, code: int) -> int:
        there = (at for at in self._near(row) if self.key.chain[at] == code)
        return min(there, key=lambda at: (at < row, at))

    def members(self, code: int, without: Collection[int]) -> list[int]:
        """Return the rows of a chain without these."""
        return [row for row in self._members[code] if row not in without]

    def _one(self, row: int, rest: Sequence[int]) -> float:
        own, others = self._mentions[row], [self._mentions[at] for at in rest]
        apart = [at for at in rest if self._mentions[at].sentence != own.sentence]
        shared = [len(own.arguments & self._mentions[at].arguments) for at in apart]
        near, readers = self._near(row), self.key.readers
        evidence = {
            "copy": not self._copies.get(row, set()).isdisjoint(rest),
            "heads": _share(own.lemma == one.lemma or own.root == one.root for one in others),
            "descriptor": not others[0].described.isdisjoint(own.heads),
            "arguments": sum(shared) / max(1, len(own.arguments) * len(apart)),
            "subtopic": _share(own.subtopic == one.subtopic for one in others),
            "readers": readers.share(row, np.array(rest)) if readers else 0.0,
        }
        context = sum(near.get(at, 0.0) for at in apart) / max(1, len(apart))
        return context + sum(WEIGHTS[name] * value for name, value in evidence.items())

    def _near(self, row: int) -> Mapping[int, float]:
        """Return the mentions that are compared with a mention, and the fit of the contexts."""
        if row not in self._compared:
            start, stop = self._contexts.indptr[row : row + 2]
            columns = self._contexts.indices[start:stop], self._contexts.data[start:stop]
            pairs = zip(*(column.tolist() for column in columns), strict=True)
            self._compared[row] = dict(pairs)
        return self._compared[row]

    @cached_property
    def _compared(self) -> dict[int, Mapping[int, float]]:
        return {}

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
    def _copies(self) -> dict[int, set[int]]:
        """The copies of each mention in similar sentences."""
        copies: dict[int, set[int]] = {}
        for one, two in self.key.alike[["left", "right"]].to_numpy().tolist():
            copies.setdefault(one, set()).add(two)
            copies.setdefault(two, set()).add(one)
        return copies

    @cached_property
    def _mentions(self) -> list[_Mention]:
        every, events = self.key.corpus.mentions, self.key.corpus.selected
        others = every[~every.index.isin(events.index) & every.duplicated("chain", keep=False)]
        chains = others.groupby(["doc", "sentence"])["chain"].agg(frozenset).to_dict()
        places = list(zip(events["doc"], events["sentence"], strict=True))
        codes = self.key.mentions.codes
        columns = (
            codes["lemma"].tolist(),
            codes["root"].tolist(),
            places,
            events["subtopic"],
            (chains.get(place, frozenset()) for place in places),
            map(_stems, map(bare_descriptor, events["descriptor"].astype(str))),
            map(_stems, events["text"].astype(str)),
        )
        return [_Mention(*values) for values in zip(*columns, strict=True)]


def bare_descriptor(descriptor: str) -> str:
    """Return a descriptor without the topic prefix of ECB+, as in ``t12_fire``."""
    return re.sub(r"^t\d+b?_", "", descriptor.strip().lower())


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in re.findall(r"[^\W_]+", text.lower()))


def _share(values: Iterable[bool]) -> float:
    known = list(values)
    return sum(known) / len(known)

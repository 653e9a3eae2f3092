"""How well mentions fit a chain: the evidence that orders the corrections of a case.

Of two chains with a mention of one event each, the chain is right that both mentions fit. The fit
is a weighted sum over the other members of the chain; neither of both mentions counts as one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from statistics import fmean

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from cdec.arrays import Ints, Singles
from cdec.auditing.key import Key
from cdec.auditing.readers import Readers
from cdec.language.similarity import Pairs
from cdec.pairs.features import columns

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
    """The fit of mentions of a key, as rows, to its chains, as codes.

    ``pairs`` are the mentions that are compared, with their ``features``; ``roots`` has the root of
    the head of each mention, ``duplicates`` the mentions at the same position of copied sentences.
    """

    def __init__(
        self,
        key: Key,
        *,
        pairs: Pairs,
        features: Singles,
        roots: Ints,
        duplicates: pd.DataFrame,
        readers: Readers | None,
    ) -> None:
        events = key.corpus.selected
        self.key = key
        self.readers = readers
        names = columns()
        cosines = features[:, [names.index(name) for name in _CONTEXT]]
        sums = np.tile(cosines @ np.array([*_CONTEXT.values()]), 2)
        rows = np.concatenate([pairs.left, pairs.right])
        partners = np.concatenate([pairs.right, pairs.left])
        # The weighted sum of the cosines of each two mentions that are compared.
        self._contexts = csr_array((sums, (rows, partners)), shape=(len(events),) * 2)
        copies = duplicates[["left", "right"]].to_numpy()
        self._copies = {*map(tuple, np.vstack([copies, copies[:, ::-1]]).tolist())}
        self._roots = roots  # mentions with one lemma have one root
        self._subtopics: Ints = pd.factorize(events["subtopic"])[0]
        # The chains of several other mentions, not audited, in the sentence of each mention.
        mentions = key.corpus.mentions
        arguments = mentions[
            ~mentions.index.isin(events.index)
            & mentions.duplicated("chain", keep=False)
        ]
        self._arguments = key.chains_beside(arguments)
        self._words = [_stems(text) for text in events["text"].astype(str)]
        self._described = [
            _stems(bare_descriptor(str(name))) for name in events["descriptor"]
        ]

    def of(self, rows: Sequence[int], code: int, without: Sequence[int] = ()) -> float:
        """Return how well these mentions fit a chain, on average.

        Neither they nor the mentions ``without`` count as members; 0 if there is no other.
        """
        members = self._members(code, (*rows, *without))
        if not len(members):
            return 0.0
        return fmean(self._of_mention(row, members) for row in rows)

    def mutual(self, codes: Sequence[int], without: Sequence[int]) -> float:
        """Return how well members of two chains fit the other chain, as a share of their own fit.

        The share of their pairs that are in one sub-topic is added. The mentions ``without`` are in
        question and no members.
        """
        ends = [self._members(code, without)[:_MOST].tolist() for code in codes]
        if not all(ends):
            return 0.0
        to_other = []
        to_own = []
        for rows, own, other in zip(ends, codes, codes[::-1], strict=True):
            to_other += [self.of([row], other, without) for row in rows]
            if len(rows) > 1:
                to_own += [self.of([row], own, without) for row in rows]
        subtopics = [self._subtopics[rows] for rows in ends]
        together = np.equal.outer(*subtopics).mean()
        return fmean(to_other) / (fmean(to_own or [TYPICAL]) + _PRIOR) + float(together)

    def best_chains(
        self, rows: Sequence[int], excluded: Collection[int], count: int = 1
    ) -> list[tuple[int, float]]:
        """Return a mention of each chain of several that fits these best, and its fit.

        At most ``count`` chains, the best first. Each of the mentions must be compared with a
        mention of the chain; the first of these after ``rows[0]`` is returned, else the first.
        """
        chain = self.key.chain
        sizes = self.key.sizes
        compared = [self._contexts[[row]].indices for row in rows]
        counts = [np.bincount(chain[near], minlength=len(sizes)) for near in compared]
        fewest = np.min(counts, axis=0)
        fewest[[*excluded]] = 0
        possible = np.flatnonzero((fewest > 0) & (sizes > 1))
        order = np.argsort(-fewest[possible], kind="stable")
        nearest = possible[order][:_NEAREST].tolist()
        fits = [(self.of(rows, code), code) for code in nearest]
        fits.sort(key=lambda fit: -fit[0])
        best = []
        for fit, code in fits[:count]:
            members = compared[0][chain[compared[0]] == code].tolist()
            best.append(
                (min(members, key=lambda member: (member < rows[0], member)), fit)
            )
        return best

    def _members(self, code: int, without: Collection[int]) -> Ints:
        rows = self.key.members[code]
        return rows[~np.isin(rows, [*without])]

    def _of_mention(self, row: int, members: Ints) -> float:
        """Return how well a mention fits these members of a chain."""
        sentence = self.key.sentence
        distant = members[sentence[members] != sentence[row]]
        count = max(1, len(distant))
        cosines = self._contexts[[row]]
        context = cosines.data[np.isin(cosines.indices, distant)].sum() / count
        has_copy = any((row, member) in self._copies for member in members.tolist())
        described = self._described[members[0]]
        arguments = self._arguments[row]
        shared = sum(
            len(arguments & self._arguments[member]) for member in distant.tolist()
        )
        readers = self.readers.share(row, members) if self.readers else 0.0
        return float(
            context
            + _COPY * has_copy
            + _HEADS * (self._roots[members] == self._roots[row]).mean()
            + _DESCRIPTOR * (not described.isdisjoint(self._words[row]))
            + _ARGUMENTS * shared / max(1, len(arguments) * len(distant))
            + _SUBTOPIC * (self._subtopics[members] == self._subtopics[row]).mean()
            + _READERS * readers
        )


def bare_descriptor(descriptor: str) -> str:
    """Return a descriptor without the topic prefix of ECB+, as in ``t12_fire``."""
    return re.sub(r"^t\d+b?_", "", descriptor.strip().lower())


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in re.findall(r"[^\W_]+", text.lower()))

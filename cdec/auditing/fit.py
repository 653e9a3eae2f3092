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

from cdec.arrays import Bools, Ints, Singles
from cdec.auditing.key import Key
from cdec.auditing.readers import Readers
from cdec.pairs.candidates import Candidates
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
        pairs: Candidates,
        features: Singles,
        roots: Ints,
        duplicates: pd.DataFrame,
        readers: Readers | None,
    ) -> None:
        events = key.corpus.selected
        self.key = key
        self._readers = readers
        self._contexts = _contexts(pairs, features, len(events))
        self._copies = set(zip(duplicates["left"], duplicates["right"], strict=True))
        self._copies |= set(zip(duplicates["right"], duplicates["left"], strict=True))
        self._roots = roots  # mentions with one lemma have one root
        self._subtopics: Ints = pd.factorize(events["subtopic"])[0].astype(np.int64)
        self._arguments = _arguments(key)
        self._words = [_stems(text) for text in events["text"].astype(str)]
        descriptors = events["descriptor"].astype(str)
        self._described = [
            _stems(bare_descriptor(descriptor)) for descriptor in descriptors
        ]

    def of(self, rows: Sequence[int], code: int, without: Sequence[int] = ()) -> float:
        """Return how well these mentions fit a chain, on average.

        Neither they nor the mentions ``without`` count as members; 0 if there is no other.
        """
        members = self._members(code, (*rows, *without))
        if not len(members):
            return 0.0
        return fmean(self._of_mention(row, members) for row in rows)

    def mutual(self, first: int, second: int, without: Sequence[int]) -> float:
        """Return how well members of two chains fit the other chain, as a share of their own fit.

        The share of their pairs that are in one sub-topic is added. The mentions ``without`` are in
        question and no members.
        """
        first_rows = self._members(first, without)[:_MOST].tolist()
        second_rows = self._members(second, without)[:_MOST].tolist()
        if not first_rows or not second_rows:
            return 0.0
        to_other = [self.of([row], second, without) for row in first_rows]
        to_other += [self.of([row], first, without) for row in second_rows]
        to_chain = []
        if len(first_rows) > 1:
            to_chain += [self.of([row], first, without) for row in first_rows]
        if len(second_rows) > 1:
            to_chain += [self.of([row], second, without) for row in second_rows]
        typical = fmean(to_chain or [TYPICAL])
        subtopics = self._subtopics
        together = np.equal.outer(subtopics[first_rows], subtopics[second_rows]).mean()
        return fmean(to_other) / (typical + _PRIOR) + float(together)

    def best_chains(
        self, rows: Sequence[int], excluded: Collection[int], count: int = 1
    ) -> list[tuple[int, float]]:
        """Return a mention of each chain of several that fits these best, and its fit.

        At most ``count`` chains, the best first. Each of the mentions must be compared with a
        mention of the chain; the first of these after ``rows[0]`` is returned, else the first.
        """
        chain = self.key.chain
        compared: list[Ints] = [
            self._contexts[[row]].indices.astype(np.int64) for row in rows
        ]
        fits = [
            (self.of(rows, code), code)
            for code in self._nearest_chains(compared, excluded)
        ]
        fits.sort(key=lambda fit_and_code: -fit_and_code[0])
        best = []
        for fit, code in fits[:count]:
            members = compared[0][chain[compared[0]] == code].tolist()
            first = min(members, key=lambda member: (member < rows[0], member))
            best.append((first, fit))
        return best

    def _nearest_chains(
        self, compared: Sequence[Ints], excluded: Collection[int]
    ) -> list[int]:
        """Return the chains of several mentions with most mentions that all are compared with."""
        sizes = self.key.sizes
        chains = [self.key.chain[rows] for rows in compared]
        counts = [np.bincount(codes, minlength=len(sizes)) for codes in chains]
        fewest = np.min(counts, axis=0)
        is_possible = (fewest > 0) & (sizes > 1)
        is_possible[list(excluded)] = False
        possible = np.flatnonzero(is_possible)
        nearest_first = np.argsort(-fewest[possible], kind="stable")
        codes: list[int] = possible[nearest_first][:_NEAREST].tolist()
        return codes

    def _members(self, code: int, without: Collection[int]) -> Ints:
        """Return the rows of a chain without these."""
        rows = self.key.members[code]
        return rows[~np.isin(rows, list(without))]

    def _of_mention(self, row: int, members: Ints) -> float:
        """Return how well a mention fits these members of a chain."""
        in_other_sentence = self.key.sentence[members] != self.key.sentence[row]
        others = members[in_other_sentence]
        fit = self._context(row, others)
        fit += _COPY * self._has_copy(row, members)
        fit += _HEADS * _share_of(self._roots, row, members)
        fit += _DESCRIPTOR * self._is_described(row, members)
        fit += _ARGUMENTS * self._shared_arguments(row, others)
        fit += _SUBTOPIC * _share_of(self._subtopics, row, members)
        if self._readers is not None:
            fit += _READERS * self._readers.share(row, members)
        return float(fit)

    def _context(self, row: int, others: Ints) -> float:
        """Return the mean of the weighted cosines of a mention and others."""
        cosines = self._contexts[[row]]
        of_others: Bools = np.isin(cosines.indices, others)
        return float(cosines.data[of_others].sum() / max(1, len(others)))

    def _has_copy(self, row: int, members: Ints) -> bool:
        return any((row, member) in self._copies for member in members.tolist())

    def _is_described(self, row: int, members: Ints) -> bool:
        """Return whether the descriptor of a chain has a word of a mention."""
        return not self._described[members[0]].isdisjoint(self._words[row])

    def _shared_arguments(self, row: int, others: Ints) -> float:
        """Return the share of the arguments of a mention that the sentences of others have."""
        arguments = self._arguments[row]
        shared = 0
        for other in others.tolist():
            shared += len(arguments & self._arguments[other])
        return shared / max(1, len(arguments) * len(others))


def _contexts(pairs: Candidates, features: Singles, count: int) -> csr_array:
    """Return the weighted cosines of each two of ``count`` mentions that are compared."""
    names = columns()
    positions = [names.index(name) for name in _CONTEXT]
    sums = features[:, positions] @ np.array(list(_CONTEXT.values()))
    rows = np.concatenate([pairs.left, pairs.right])
    others = np.concatenate([pairs.right, pairs.left])
    return csr_array((np.tile(sums, 2), (rows, others)), shape=(count, count))


def _share_of(values: Ints, row: int, members: Ints) -> float:
    """Return the share of members with the value of a mention."""
    return float((values[members] == values[row]).mean())


def _arguments(key: Key) -> list[frozenset[str]]:
    """Return the chains of several mentions, not audited, in the sentence of each mention."""
    mentions = key.corpus.mentions
    events = key.corpus.selected
    is_argument = ~mentions.index.isin(events.index) & mentions.duplicated(
        "chain", keep=False
    )
    by_sentence = mentions[is_argument].groupby(["doc", "sentence"])["chain"]
    chains = by_sentence.agg(frozenset).to_dict()
    sentences = zip(events["doc"], events["sentence"], strict=True)
    return [chains.get(sentence, frozenset()) for sentence in sentences]


def bare_descriptor(descriptor: str) -> str:
    """Return a descriptor without the topic prefix of ECB+, as in ``t12_fire``."""
    return re.sub(r"^t\d+b?_", "", descriptor.strip().lower())


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in re.findall(r"[^\W_]+", text.lower()))

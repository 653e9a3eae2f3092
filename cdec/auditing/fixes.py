"""The corrections that a case offers, the most probable first.

For two chains with several members, a merge is rarely right: usually one mention is in the wrong
chain. Which one, and whether both belong to a third chain, is decided by how well both fit each
chain. The first correction is ``tied`` with the second if the evidence for both is similar.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import inf
from typing import TypeAlias

import numpy as np

from cdec.auditing.case import Fix, letter_of
from cdec.auditing.claims import NEW, NONE, Claim
from cdec.auditing.fit import TYPICAL, Fit
from cdec.auditing.key import Key
from cdec.errors import counted

# Fitted to planted errors of train and dev: a logistic regression over the corrections of a case, a
# fit of 1 more with a log-odds of 2 (docs/audit.md).
# what chains that fit each other add to the fit of a merge, from which value
_MERGED = 4.0
_MUTUAL = 1.5
_SINGLE = 2.0  # a mention without a chain: another chain must fit better
_LONE = 6.0  # by which a chain of one must fit better than others
# Set by hand.
_THIRD = 1.5  # by which a third chain must fit better than others
_LEAST = 2.0  # fit of a third chain that is offered
_PAIR = 1.0  # by which two mentions fit better than a chain that neither fits
_OFFERED = 3  # chains that a mention may move to
# Leads with which the first correction is preselected. No lead is enough for a singleton: its chain
# may be one that is not compared.
_LEADS = {"merge": 1.25, "move": 3.0, "pair": 3.0, "singleton": inf}
Option: TypeAlias = tuple[float, Fix]  # how well a correction fits the evidence


class Fixes:
    """The corrections of cases of a key; mentions are its rows, chains its codes."""

    def __init__(self, key: Key, fit: Fit) -> None:
        self.key = key
        self.fit = fit
        self._texts = key.corpus.selected["text"].str.lower().tolist()

    def link(self, rows: Sequence[int]) -> tuple[Fix, ...]:
        """Return the corrections of a missing link between the chains of these mentions.

        They are of singletons and at most one chain of several mentions, or two such chains.
        """
        ids = tuple(self.key.ids[row] for row in rows)
        codes = [int(self.key.chain[row]) for row in rows]
        letters = "A and B" if len(ids) == 2 else f"all {len(ids)} mentions"
        third = [
            (fit - _THIRD, self._move(ids, letters, target))
            for target, fit in self.fit.best_chains(rows, codes)
            if fit >= _LEAST
        ]
        large = np.flatnonzero(self.key.sizes[codes] > 1).tolist()
        if len(large) > 1:
            return self._link_chains(rows, ids, codes, third)
        if large:
            return self._link_to_chain(rows, ids, large[0], third)
        text = f"link {letters}: they become one chain"
        merge = correction("merge", text, ids, ids[0])
        fit = max(TYPICAL, self.fit.of(rows, codes[0]))
        return *ordered([(fit, merge), *third]), *removals(ids)

    def _link_to_chain(
        self,
        rows: Sequence[int],
        ids: Sequence[str],
        position: int,
        third: Sequence[Option],
    ) -> tuple[Fix, ...]:
        """Return the corrections of a missing link of singletons to a chain of several mentions.

        ``position``: of its mention; ``third``: the corrections with another chain.
        """
        singletons = (*ids[:position], *ids[position + 1 :])
        letter = letter_of(position)
        letters = ", ".join(letter_of(i) for i in range(len(ids)) if i != position)
        text = f"add {letters} to {self._name(rows[position])}, the chain of {letter}"
        merge = correction("merge", text, singletons, ids[position])
        text = f"link {letters} with {letter} only, which leaves its chain"
        pair = correction("pair", text, ids)
        fit = self.fit.of(rows, int(self.key.chain[rows[position]]))
        options = [(max(TYPICAL, fit), merge), *third, (TYPICAL + _PAIR - fit, pair)]
        return *ordered(options), *removals(singletons, letters)

    def _link_chains(
        self,
        rows: Sequence[int],
        ids: tuple[str, ...],
        codes: Sequence[int],
        third: Sequence[Option],
    ) -> tuple[Fix, ...]:
        """Return the corrections of a missing link between two chains of several mentions."""
        first, second = codes
        fit_of_first = self.fit.of(rows, first)
        fit_of_second = self.fit.of(rows, second)
        moves = [
            (fit_of_second, self._move(ids[:1], "A", self.key.members[second][0])),
            (fit_of_first, self._move(ids[1:], "B", self.key.members[first][0])),
        ]
        # Of two equal fits, the mention of the smaller chain moves first.
        if self.key.sizes[second] < self.key.sizes[first]:
            moves.reverse()
        sizes = f"{self.key.sizes[first]} + {self.key.sizes[second]}"
        text = f"merge both chains ({sizes} mentions)"
        claims = (Claim(chain=ids[1], to=ids[0]),)
        merge = Fix(fix="merge", text=text, claims=claims)
        mutual = self.fit.mutual(codes, rows)
        fit = (fit_of_first + fit_of_second) / 2 + _MERGED * (mutual - _MUTUAL)
        text = "link A with B only: both leave their chains"
        pair = correction("pair", text, ids)
        return *ordered([*moves, (fit, merge), *third]), pair, *removals(ids)

    def member(self, row: int, rival: int | None) -> tuple[Fix, ...]:
        """Return the corrections of a mention that does not belong to its chain.

        It becomes a singleton, or moves to the chain of ``rival`` or to those that it fits best.
        """
        ids = (self.key.ids[row],)
        chain = self.key.chain
        best = self.fit.best_chains([row], {int(chain[row])}, _OFFERED)
        targets = {int(chain[target]): target for target, _ in best}
        if rival is not None:
            targets[int(chain[rival])] = rival
        text = "A leaves its chain, as a singleton"
        options = [(_SINGLE, correction("singleton", text, ids))]
        for code, target in targets.items():
            fit = self.fit.of([row], code)
            if self.key.sizes[code] == 1:
                fit -= _LONE
            options.append((fit, self._move(ids, "A", target)))
        return *ordered(options), *removals(ids)

    def rival(self, row: int, nearest: int | None) -> int | None:
        """Return a mention of the chain that a mention fits best, besides its own.

        ``nearest``: the most similar mention of another chain.
        """
        fit_of_nearest = 0.0
        if nearest is not None:
            fit_of_nearest = self.fit.of([row], int(self.key.chain[nearest]))
        best = self.fit.best_chains([row], {int(self.key.chain[row])})
        if best and best[0][1] > fit_of_nearest:
            return best[0][0]
        return nearest

    def _move(self, ids: Sequence[str], letters: str, target: int) -> Fix:
        """Return the correction that mentions join the chain of ``target`` (a row)."""
        text = f"move {letters} to {self._name(target)}"
        return correction("move", text, ids, self.key.ids[target])

    def _name(self, row: int) -> str:
        """Return the descriptor of the chain of a mention, else its usual text, and its size."""
        members = self.key.members[self.key.chain[row]].tolist()
        name = self.key.descriptor[self.key.ids[row]].strip()
        if not name:
            texts = Counter(self._texts[member] for member in members)
            name = f'the chain of "{texts.most_common(1)[0][0]}"'
        return f"{name} ({counted(len(members), 'mention')})"


def ordered(options: Sequence[Option]) -> tuple[Fix, ...]:
    """Return corrections by fit; the first two are tied if the first does not lead enough."""
    options = sorted(options, key=lambda option: -option[0])
    fits, fixes = zip(*options, strict=True)
    lead = fits[0] - fits[1] if len(fits) > 1 else inf
    if lead <= _LEADS[fixes[0].fix]:
        tied = [fix.model_copy(update={"tied": True}) for fix in fixes[:2]]
        return (*tied, *fixes[2:])
    return fixes


def put(ids: Iterable[str], to: str) -> tuple[Claim, ...]:
    """Return the claims that mentions belong to the chain of ``to``, or to a new one or none."""
    return tuple(Claim(mention=id_, to=to) for id_ in ids)


def correction(fix: str, text: str, ids: Sequence[str], to: str | None = None) -> Fix:
    """Return a correction by which mentions belong to the chain of ``to``, see ``put``.

    By default they form a new chain.
    """
    if to is None:
        to = f"{NEW}{ids[0]}"
    return Fix(fix=fix, text=text, claims=put(ids, to))


def removals(ids: tuple[str, ...], letters: str = "") -> tuple[Fix, ...]:
    """Return the correction "no event"; ``letters`` are the sides, by default all."""
    text = f"{letters or 'A'} is not an event"
    if len(ids) > 1:
        text = f"none of {letters or f'the {len(ids)} mentions'} is an event"
    return (correction("remove", text, ids, NONE),)

"""The corrections that a case offers, the most probable first.

For two chains with several members, a merge is rarely right: usually one mention is in the wrong
chain. Which one, and whether both belong to a third chain, is decided by how well both fit each
chain. The first correction is ``tied`` with the second if the evidence for both is similar.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from cdec.auditing.case import Fix
from cdec.auditing.fit import TYPICAL, Fit
from cdec.corpus.claims import NEW, NONE, Claim
from cdec.errors import counted

if TYPE_CHECKING:
    from cdec.auditing.key import Key

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# Fitted to planted errors of train and dev: a logistic regression over the corrections of a case, a
# fit of 1 more with a log-odds of 2 (docs/audit.md).
_MERGED, _ALIKE = 4.0, 1.5  # what chains alike add to the fit of a merge, from which value
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
Scored = tuple[float, Fix]


@dataclass(frozen=True, eq=False)
class Fixes:
    """The corrections of cases of a key; mentions are its rows, chains its codes."""

    key: Key

    @cached_property
    def fit(self) -> Fit:
        """The fit of mentions to chains."""
        return Fit(self.key)

    def link(self, rows: Sequence[int]) -> tuple[Fix, ...]:
        """Return the corrections of a missing link between the chains of these mentions.

        They are of singletons and at most one chain of several mentions, or two such chains.
        """
        ids = tuple(self.key.ids[row] for row in rows)
        codes = [int(self.key.chain[row]) for row in rows]
        large = [at for at, code in enumerate(codes) if self.key.sizes[code] > 1]
        every = "A and B" if len(ids) == 2 else f"all {len(ids)} mentions"
        third = [
            (fit - _THIRD, self._move(ids, every, at))
            for at, fit in self.fit.best(rows, codes)
            if fit >= _LEAST
        ]
        if len(large) > 1:
            sizes = [int(self.key.sizes[code]) for code in codes]
            fits = [self.fit.of(rows, code) for code in codes]
            firsts = [int(self.key.members[code][0]) for code in codes]
            moves = [  # of two equal fits, the mention of the smaller chain moves first
                (fits[1 - at], self._move(ids[at : at + 1], LETTERS[at], firsts[1 - at]))
                for at in sorted((0, 1), key=lambda at: sizes[at])
            ]
            text = f"merge both chains ({sizes[0]} + {sizes[1]} mentions)"
            merge = Fix(fix="merge", text=text, claims=(Claim(chain=ids[1], to=ids[0]),))
            alike = self.fit.alike(codes[0], codes[1], rows)
            options = [*moves, (sum(fits) / 2 + _MERGED * (alike - _ALIKE), merge), *third]
            text = "link A with B only: both leave their chains"
            pair = Fix(fix="pair", text=text, claims=put(ids, new(ids)))
            return *ordered(options), pair, *removals(ids)
        at = large[0] if large else 0
        own, others = self.fit.of(rows, codes[at]), (*ids[:at], *ids[at + 1 :])
        if not large:
            text = f"link {every}: they become one chain"
            link = Fix(fix="merge", text=text, claims=put(ids, ids[0]))
            return *ordered([(max(TYPICAL, own), link), *third]), *removals(ids)
        letters = ", ".join(LETTERS[i % 26] for i in range(len(ids)) if i != at)
        letter = LETTERS[at % 26]
        text = f"add {letters} to {self._name(rows[at])}, the chain of {letter}"
        link = Fix(fix="merge", text=text, claims=put(others, ids[at]))
        text = f"link {letters} with {letter} only, which leaves its chain"
        pair = Fix(fix="pair", text=text, claims=put(ids, new(ids)))
        options = [(max(TYPICAL, own), link), *third, (TYPICAL + _PAIR - own, pair)]
        return *ordered(options), *removals(others, letters)

    def member(self, row: int, rival: int | None) -> tuple[Fix, ...]:
        """Return the corrections of a mention that does not belong to its chain.

        It becomes a singleton, or moves to the chain of ``rival`` or to those that it fits best.
        """
        id_, code = self.key.ids[row], int(self.key.chain[row])
        found = {int(self.key.chain[at]): at for at, _ in self.fit.best([row], {code}, _OFFERED)}
        found |= {} if rival is None else {int(self.key.chain[rival]): rival}
        options = [(_SINGLE, singleton(id_))]
        for there, at in found.items():
            fit = self.fit.of([row], there) - _LONE * (self.key.sizes[there] == 1)
            options.append((fit, self._move((id_,), "A", at)))
        return *ordered(options), *removals((id_,))

    def rival(self, row: int, nearest: int | None) -> int | None:
        """Return a mention of the chain that a mention fits best, besides its own.

        ``nearest``: the most similar mention of another chain.
        """
        best = self.fit.best([row], {int(self.key.chain[row])})
        own = 0.0 if nearest is None else self.fit.of([row], int(self.key.chain[nearest]))
        return best[0][0] if best and best[0][1] > own else nearest

    def _move(self, ids: tuple[str, ...], letters: str, row: int) -> Fix:
        """Return the correction that mentions join the chain of ``row``."""
        text = f"move {letters} to {self._name(row)}"
        return Fix(fix="move", text=text, claims=put(ids, self.key.ids[row]))

    def _name(self, row: int) -> str:
        """Return the descriptor of the chain of a mention, else its usual text, and its size."""
        texts, descriptors = self._texts
        counts = Counter(texts[at] for at in self.key.members[int(self.key.chain[row])].tolist())
        name = descriptors[row].strip() or f'the chain of "{counts.most_common(1)[0][0]}"'
        return f"{name} ({counted(counts.total(), 'mention')})"

    @cached_property
    def _texts(self) -> tuple[list[str], list[str]]:
        """The lower-case text and the descriptor of each row."""
        events = self.key.corpus.selected
        return events["text"].str.lower().tolist(), events["descriptor"].astype(str).tolist()


def ordered(options: Sequence[Scored]) -> tuple[Fix, ...]:
    """Return corrections by score; the first two are tied if the first does not lead enough."""
    best = sorted(options, key=lambda option: -option[0])
    fixes = tuple(fix for _, fix in best)
    second = best[1][0] if len(best) > 1 else -inf
    tied = 2 if best[0][0] - second <= _LEADS[fixes[0].fix] else 0
    return *(fix.model_copy(update={"tied": True}) for fix in fixes[:tied]), *fixes[tied:]


def put(ids: Iterable[str], to: str) -> tuple[Claim, ...]:
    """Return the claims that mentions belong to the chain of ``to``, or to a new one or none."""
    return tuple(Claim(mention=id_, to=to) for id_ in ids)


def new(ids: Sequence[str]) -> str:
    """Return the name of a new chain of these mentions."""
    return f"{NEW}{ids[0]}"


def singleton(id_: str) -> Fix:
    """Return the correction of the mention A that does not belong to its chain."""
    text = "A leaves its chain, as a singleton"
    return Fix(fix="singleton", text=text, claims=put([id_], new([id_])))


def removals(ids: tuple[str, ...], letters: str = "") -> tuple[Fix, ...]:
    """Return the correction "no event"; ``letters`` are the sides, by default all."""
    several = f"none of {letters or f'the {len(ids)} mentions'} is an event"
    text = f"{letters or 'A'} is not an event" if len(ids) == 1 else several
    return (Fix(fix="remove", text=text, claims=put(ids, NONE)),)


def none_of_these() -> Fix:
    """Return the last option of every case: an error without a correction."""
    return Fix(fix="none", text="an error, but none of these corrections", claims=())

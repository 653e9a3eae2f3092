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
from cdec.auditing.claims import NEW, NONE, Claim
from cdec.auditing.fit import TYPICAL, Fit
from cdec.errors import counted

if TYPE_CHECKING:
    from cdec.auditing.key import Key

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# Fitted to planted errors of train and dev: a logistic regression over the corrections of a case, a
# fit of 1 more with a log-odds of 2 (docs/audit.md).
# what chains alike add to the fit of a merge, from which value
_MERGED = 4.0
_ALIKE = 1.5
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
Option = tuple[float, str, str, tuple[Claim, ...]]  # score, fix, text, claims


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
        sizes = [int(self.key.sizes[code]) for code in codes]
        large = [at for at, size in enumerate(sizes) if size > 1]
        fits = [self.fit.of(rows, code) for code in codes] if len(large) > 1 else []
        every = "A and B" if len(ids) == 2 else f"all {len(ids)} mentions"
        best = self.fit.best(rows, codes)
        third = [
            self._move(fit - _THIRD, ids, every, at)
            for at, fit in best
            if fit >= _LEAST
        ]
        pair = put(ids, new(ids))
        if len(large) > 1:
            # Of two equal fits, the mention of the smaller chain moves first.
            moves = [
                self._move(
                    fits[to],
                    ids[at : at + 1],
                    LETTERS[at],
                    self.key.members[codes[to]][0],
                )
                for at, to in sorted(((0, 1), (1, 0)), key=lambda ends: sizes[ends[0]])
            ]
            text = f"merge both chains ({sizes[0]} + {sizes[1]} mentions)"
            alike = self.fit.alike(codes[0], codes[1], rows)
            score = sum(fits) / 2 + _MERGED * (alike - _ALIKE)
            merge = (score, "merge", text, (Claim(chain=ids[1], to=ids[0]),))
            text = "link A with B only: both leave their chains"
            only = Fix(fix="pair", text=text, claims=pair)
            return *ordered([*moves, merge, *third]), only, *removals(ids)
        at = large[0] if large else 0
        own = self.fit.of(rows, codes[at])
        others = (*ids[:at], *ids[at + 1 :])
        if not large:
            text = f"link {every}: they become one chain"
            options = [(max(TYPICAL, own), "merge", text, put(ids, ids[0])), *third]
            return *ordered(options), *removals(ids)
        letter = LETTERS[at % 26]
        names = (LETTERS[i % 26] for i in range(len(ids)) if i != at)
        rest = ", ".join(names)
        text = f"add {rest} to {self._name(rows[at])}, the chain of {letter}"
        link = (max(TYPICAL, own), "merge", text, put(others, ids[at]))
        text = f"link {rest} with {letter} only, which leaves its chain"
        options = [link, *third, (TYPICAL + _PAIR - own, "pair", text, pair)]
        return *ordered(options), *removals(others, rest)

    def member(self, row: int, rival: int | None) -> tuple[Fix, ...]:
        """Return the corrections of a mention that does not belong to its chain.

        It becomes a singleton, or moves to the chain of ``rival`` or to those that it fits best.
        """
        id_ = self.key.ids[row]
        code = int(self.key.chain[row])
        found = {
            int(self.key.chain[at]): at
            for at, _ in self.fit.best([row], {code}, _OFFERED)
        }
        found |= {} if rival is None else {int(self.key.chain[rival]): rival}
        text = "A leaves its chain, as a singleton"
        options: list[Option] = [(_SINGLE, "singleton", text, put([id_], new([id_])))]
        for there, at in found.items():
            fit = self.fit.of([row], there) - _LONE * (self.key.sizes[there] == 1)
            options.append(self._move(fit, (id_,), "A", at))
        return *ordered(options), *removals((id_,))

    def rival(self, row: int, nearest: int | None) -> int | None:
        """Return a mention of the chain that a mention fits best, besides its own.

        ``nearest``: the most similar mention of another chain.
        """
        best = self.fit.best([row], {int(self.key.chain[row])})
        own = (
            0.0 if nearest is None else self.fit.of([row], int(self.key.chain[nearest]))
        )
        return best[0][0] if best and best[0][1] > own else nearest

    def _move(
        self, score: float, ids: tuple[str, ...], letters: str, row: int
    ) -> Option:
        """Return the correction that mentions join the chain of ``row``."""
        return (
            score,
            "move",
            f"move {letters} to {self._name(row)}",
            put(ids, self.key.ids[row]),
        )

    def _name(self, row: int) -> str:
        """Return the descriptor of the chain of a mention, else its usual text, and its size."""
        texts, descriptors = self._texts
        counts = Counter(
            texts[at] for at in self.key.members[int(self.key.chain[row])].tolist()
        )
        name = (
            descriptors[row].strip() or f'the chain of "{counts.most_common(1)[0][0]}"'
        )
        return f"{name} ({counted(counts.total(), 'mention')})"

    @cached_property
    def _texts(self) -> tuple[list[str], list[str]]:
        """The lower-case text and the descriptor of each row."""
        events = self.key.corpus.selected
        return events["text"].str.lower().tolist(), events["descriptor"].astype(
            str
        ).tolist()


def ordered(options: Sequence[Option]) -> tuple[Fix, ...]:
    """Return corrections by score; the first two are tied if the first does not lead enough."""
    best = sorted(options, key=lambda option: -option[0])
    second = best[1][0] if len(best) > 1 else -inf
    tied = bool(best[0][0] - second <= _LEADS[best[0][1]])
    return tuple(
        Fix(fix=fix, text=text, claims=claims, tied=tied and at < 2)
        for at, (_, fix, text, claims) in enumerate(best)
    )


def put(ids: Iterable[str], to: str) -> tuple[Claim, ...]:
    """Return the claims that mentions belong to the chain of ``to``, or to a new one or none."""
    return tuple(Claim(mention=id_, to=to) for id_ in ids)


def new(ids: Sequence[str]) -> str:
    """Return the name of a new chain of these mentions."""
    return f"{NEW}{ids[0]}"


def removals(ids: tuple[str, ...], letters: str = "") -> tuple[Fix, ...]:
    """Return the correction "no event"; ``letters`` are the sides, by default all."""
    several = f"none of {letters or f'the {len(ids)} mentions'} is an event"
    text = f"{letters or 'A'} is not an event" if len(ids) == 1 else several
    return (Fix(fix="remove", text=text, claims=put(ids, NONE)),)


def none_of_these() -> Fix:
    """Return the last option of every case: an error without a correction."""
    return Fix(fix="none", text="an error, but none of these corrections", claims=())

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

from cdec.auditing.case import Fix, letter_of
from cdec.auditing.claims import NEW, NONE, Claim
from cdec.auditing.fit import TYPICAL, Fit
from cdec.auditing.key import Key
from cdec.errors import counted

# Fitted to planted errors of train and dev: a logistic regression over the corrections of a case, a
# fit of 1 more with a log-odds of 2 (docs/audit.md).
_MERGED = 4.0  # what chains that fit each other add to the fit of a merge
_MUTUAL = 1.5  # the mutual fit from which they add it
_SINGLE = 2.0  # a mention without a chain: another chain must fit better
_LONE = 6.0  # by which a chain of one must fit better than others
# Set by hand.
_THIRD = 1.5  # by which a third chain must fit better than others
_LEAST = 2.0  # fit of a third chain that is offered
_PAIR = 1.0  # by which two mentions fit better than a chain that neither fits
_OFFERED = 3  # chains that a mention may move to
# Leads with which the first correction is preselected. No lead is enough for a singleton: its chain
# may be one that is not compared. Of the cases of ``ecbplus-read-2`` the readers took the first
# correction in 54 of 60 that are not tied, and in 16 of 28 that are: there they must choose.
_LEADS = {"merge": 1.25, "move": 3.0, "pair": 3.0, "singleton": inf}
Option: TypeAlias = tuple[float, Fix]  # how well a correction fits the evidence


class Fixes:
    """The corrections of cases of a key; mentions are its rows, chains its codes."""

    def __init__(self, key: Key, fit: Fit) -> None:
        events = key.corpus.selected
        self.key = key
        self.fit = fit
        self._texts: list[str] = events["text"].str.lower().tolist()
        self._descriptors: list[str] = events["descriptor"].astype(str).tolist()

    def link(self, rows: Sequence[int]) -> tuple[Fix, ...]:
        """Return the corrections of a missing link between the chains of these mentions.

        They are of singletons and at most one chain of several mentions, or two such chains.
        """
        sizes = [self.key.sizes[self.key.chain[row]] for row in rows]
        large = [position for position, size in enumerate(sizes) if size > 1]
        if len(large) > 1:
            return self._link_chains(rows)
        if large:
            return self._link_to_chain(rows, large[0])
        return self._link_singletons(rows)

    def member(self, row: int, rival: int | None) -> tuple[Fix, ...]:
        """Return the corrections of a mention that does not belong to its chain.

        It becomes a singleton, or moves to the chain of ``rival`` or to those that it fits best.
        """
        mention = self.key.ids[row]
        targets = {}  # chain → a mention of it
        for target, _ in self.fit.best_chains([row], {self._code(row)}, _OFFERED):
            targets[self._code(target)] = target
        if rival is not None:
            targets[self._code(rival)] = rival
        leave = Fix(
            fix="singleton",
            text="A leaves its chain, as a singleton",
            claims=put([mention], new([mention])),
        )
        options = [(_SINGLE, leave)]
        for code, target in targets.items():
            fit = self.fit.of([row], code)
            if self.key.sizes[code] == 1:
                fit -= _LONE
            options.append((fit, self._move((mention,), "A", target)))
        return *in_order(options), *removals((mention,))

    def rival(self, row: int, nearest: int | None) -> int | None:
        """Return a mention of the chain that a mention fits best, besides its own.

        ``nearest``: the most similar mention of another chain.
        """
        fit_of_nearest = 0.0
        if nearest is not None:
            fit_of_nearest = self.fit.of([row], self._code(nearest))
        best = self.fit.best_chains([row], {self._code(row)})
        if best:
            mention, fit = best[0]
            if fit > fit_of_nearest:
                return mention
        return nearest

    def _link_singletons(self, rows: Sequence[int]) -> tuple[Fix, ...]:
        """Return the corrections of a missing link between singletons."""
        ids = self._ids(rows)
        text = f"link {_all_letters(ids)}: they become one chain"
        link = Fix(fix="merge", text=text, claims=put(ids, ids[0]))
        fit = self.fit.of(rows, self._code(rows[0]))
        options = [(max(TYPICAL, fit), link), *self._to_third_chain(rows)]
        return *in_order(options), *removals(ids)

    def _link_to_chain(self, rows: Sequence[int], position: int) -> tuple[Fix, ...]:
        """Return the corrections of a missing link of singletons to a chain of several mentions.

        ``position``: of its mention among the rows.
        """
        ids = self._ids(rows)
        singletons = (*ids[:position], *ids[position + 1 :])
        letter = letter_of(position)
        other_positions = [other for other in range(len(ids)) if other != position]
        letters = ", ".join(letter_of(other) for other in other_positions)
        chain = f"{self._chain_name(rows[position])}, the chain of {letter}"
        add = Fix(
            fix="merge",
            text=f"add {letters} to {chain}",
            claims=put(singletons, ids[position]),
        )
        pair = Fix(
            fix="pair",
            text=f"link {letters} with {letter} only, which leaves its chain",
            claims=put(ids, new(ids)),
        )
        fit = self.fit.of(rows, self._code(rows[position]))
        options = [
            (max(TYPICAL, fit), add),
            *self._to_third_chain(rows),
            (TYPICAL + _PAIR - fit, pair),
        ]
        return *in_order(options), *removals(singletons, letters)

    def _link_chains(self, rows: Sequence[int]) -> tuple[Fix, ...]:
        """Return the corrections of a missing link between two chains of several mentions."""
        ids = self._ids(rows)
        codes = [self._code(row) for row in rows]
        sizes = [self.key.sizes[code] for code in codes]
        fits = [self.fit.of(rows, code) for code in codes]
        first_members = self.key.members[codes[0]]
        second_members = self.key.members[codes[1]]
        move_first = self._move(ids[:1], "A", second_members[0])
        move_second = self._move(ids[1:2], "B", first_members[0])
        moves = [(fits[1], move_first), (fits[0], move_second)]
        if (
            sizes[1] < sizes[0]
        ):  # of two equal fits, the mention of the smaller chain moves first
            moves.reverse()
        merge = Fix(
            fix="merge",
            text=f"merge both chains ({sizes[0]} + {sizes[1]} mentions)",
            claims=(Claim(chain=ids[1], to=ids[0]),),
        )
        mutual = self.fit.mutual(codes[0], codes[1], rows)
        fit_of_merge = sum(fits) / 2 + _MERGED * (mutual - _MUTUAL)
        pair = Fix(
            fix="pair",
            text="link A with B only: both leave their chains",
            claims=put(ids, new(ids)),
        )
        options = [*moves, (fit_of_merge, merge), *self._to_third_chain(rows)]
        return *in_order(options), pair, *removals(ids)

    def _to_third_chain(self, rows: Sequence[int]) -> list[Option]:
        """Return the correction that mentions join another chain than theirs, if one fits."""
        ids = self._ids(rows)
        codes = [self._code(row) for row in rows]
        options = []
        for target, fit in self.fit.best_chains(rows, codes):
            if fit >= _LEAST:
                move = self._move(ids, _all_letters(ids), target)
                options.append((fit - _THIRD, move))
        return options

    def _move(self, ids: Sequence[str], letters: str, target: int) -> Fix:
        """Return the correction that mentions join the chain of ``target`` (a row)."""
        return Fix(
            fix="move",
            text=f"move {letters} to {self._chain_name(target)}",
            claims=put(ids, self.key.ids[target]),
        )

    def _chain_name(self, row: int) -> str:
        """Return the descriptor of the chain of a mention, else its usual text, and its size."""
        members = self.key.members[self._code(row)].tolist()
        name = self._descriptors[row].strip()
        if not name:
            texts = Counter(self._texts[member] for member in members)
            text, _ = texts.most_common(1)[0]
            name = f'the chain of "{text}"'
        return f"{name} ({counted(len(members), 'mention')})"

    def _ids(self, rows: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.key.ids[row] for row in rows)

    def _code(self, row: int) -> int:
        return int(self.key.chain[row])


def _all_letters(ids: Sequence[str]) -> str:
    if len(ids) == 2:
        return "A and B"
    return f"all {len(ids)} mentions"


def in_order(options: Sequence[Option]) -> tuple[Fix, ...]:
    """Return corrections by fit; the first two are tied if the first does not lead enough."""
    best_first = sorted(options, key=lambda option: -option[0])
    fixes = [fix for _, fix in best_first]
    lead = inf
    if len(options) > 1:
        lead = best_first[0][0] - best_first[1][0]
    if lead <= _LEADS[fixes[0].fix]:
        fixes[:2] = [fix.model_copy(update={"tied": True}) for fix in fixes[:2]]
    return tuple(fixes)


def put(ids: Iterable[str], to: str) -> tuple[Claim, ...]:
    """Return the claims that mentions belong to the chain of ``to``, or to a new one or none."""
    return tuple(Claim(mention=mention, to=to) for mention in ids)


def new(ids: Sequence[str]) -> str:
    """Return the name of a new chain of these mentions."""
    return f"{NEW}{ids[0]}"


def removals(ids: tuple[str, ...], letters: str = "") -> tuple[Fix, ...]:
    """Return the correction "no event"; ``letters`` are the sides, by default all."""
    if len(ids) == 1:
        text = f"{letters or 'A'} is not an event"
    else:
        mentions = letters or f"the {len(ids)} mentions"
        text = f"none of {mentions} is an event"
    return (Fix(fix="remove", text=text, claims=put(ids, NONE)),)


def none_of_these() -> Fix:
    """Return the last correction of every case: an error that is not corrected."""
    return Fix(fix="none", text="an error, but none of these corrections", claims=())

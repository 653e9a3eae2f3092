"""The corrections that a case offers, the most probable first.

For two chains with several members, a merge is rarely right: usually one mention is in the wrong
chain. Which one is decided by votes: the heads of the chain, copies of the mention in it, and its
descriptor.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cdec.arrays import Ints
from cdec.audit.case import Fix
from cdec.audit.operation import Operation
from cdec.errors import counted

if TYPE_CHECKING:
    from cdec.audit.key import Key

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_STEM = 5  # letters that a word shares with a word of a descriptor
_LARGE = 3  # mentions; two chains of this size are merged only if nothing else fits
_CLOSE = 0.75  # share of equal heads of two chains for a merge of small ones


@dataclass(frozen=True, eq=False)
class Votes:
    """How well mentions fit chains; mentions are rows of the key."""

    key: Key

    @cached_property
    def copies(self) -> dict[int, set[int]]:
        """The copies of each mention in similar sentences."""
        copies: dict[int, set[int]] = {}
        for one, two in self.key.prepared.alike[["left", "right"]].to_numpy().tolist():
            copies.setdefault(one, set()).add(two)
            copies.setdefault(two, set()).add(one)
        return copies

    @property
    def chain(self) -> Ints:
        """The chain code of each mention."""
        return self.key.chain

    @property
    def members(self) -> dict[int, Ints]:
        """The mentions of each chain."""
        return self.key.members

    def fit(self, row: int, code: int) -> float:
        """Return how well a mention fits a chain, its own membership not counted: 0 to 3.

        Sum of the share of members with the same head, 1 if the chain has a copy of the mention,
        and the share of the words of the descriptor that are in the sentence (twice: the head).
        """
        rest = self.members[code][self.members[code] != row]
        if not len(rest):
            return 0.0
        codes = self.key.prepared.pool.mentions.codes
        equal = np.logical_or.reduce([codes[n][rest] == codes[n][row] for n in ("lemma", "root")])
        copied = bool(self.copies.get(row, set()) & {int(other) for other in rest})
        return float(equal.mean()) + copied + self._descriptor(row, int(rest[0]))

    def alike(self, one: int, two: int) -> float:
        """Return the share of mention pairs of two chains with the same head."""
        roots = self.key.prepared.pool.mentions.codes["root"]
        left, right = (roots[self.members[code]] for code in (one, two))
        return float(np.equal.outer(left, right).mean())

    def crossing(self, one: int, two: int) -> bool:
        """Whether two chains have no common sub-topic."""
        subtopics = self.key.corpus.selected["subtopic"].to_numpy()
        left, right = (set(subtopics[self.members[code]]) for code in (one, two))
        return not left & right

    def _descriptor(self, row: int, member: int) -> float:
        events = self.key.corpus.selected
        name = bare_descriptor(str(events["descriptor"].iloc[member]))
        words = {word[:_STEM] for word in re.findall(r"[^\W_]+", name)}
        if not words:
            return 0.0
        doc, number, text = (events[name].iloc[row] for name in ("doc", "sentence", "text"))
        words_of = self.key.corpus.documents[doc].sentences[number]
        sentence = {word.lower()[:_STEM] for word in words_of}
        head = {word.lower()[:_STEM] for word in str(text).split()}
        return (len(words & sentence) / len(words) + bool(words & head)) / 2


@dataclass(frozen=True, eq=False)
class FixBuilder:
    """Builds the corrections of cases; ``ids``: mention id by row."""

    votes: Votes
    ids: Sequence[str] = field(repr=False)

    def link(self, rows: Sequence[int]) -> tuple[Fix, ...]:
        """Return the corrections of a missing link between the chains of these mentions."""
        ids = [self.ids[row] for row in rows]
        sizes = [self._size(row) for row in rows]
        if sum(size > 1 for size in sizes) < 2:
            return one_chain(ids, sizes)
        return self._two_chains(rows[0], rows[1])

    def _two_chains(self, one: int, two: int) -> tuple[Fix, ...]:
        votes, codes = self.votes, (int(self.votes.chain[one]), int(self.votes.chain[two]))
        sizes = self._size(one), self._size(two)
        gains = (
            votes.fit(one, codes[1]) - votes.fit(one, codes[0]),
            votes.fit(two, codes[0]) - votes.fit(two, codes[1]),
        )
        # Of two mentions that fit equally well, the one in the smaller chain moves.
        one_side, other_side = zip(gains, (-size for size in sizes), strict=True)
        first = None if one_side == other_side else int(one_side < other_side)
        small = min(sizes) < _LARGE and not votes.crossing(*codes)
        whole = small and votes.alike(*codes) >= _CLOSE
        one_id, two_id = (self.ids[int(votes.members[code][0])] for code in codes)
        return two_chains((self.ids[one], self.ids[two]), sizes, (one_id, two_id), first, whole)

    def member(self, row: int, rival: int | None) -> tuple[Fix, ...]:
        """Return the corrections of a mention that does not belong to its chain."""
        id_, votes = self.ids[row], self.votes
        single = Fix("singleton", "A leaves its chain, as a singleton", Operation(move=(id_,)))
        fixes = [single, *removals([id_])]
        if rival is None:
            return tuple(fixes)
        code = int(votes.chain[rival])
        move = Fix(
            "move",
            f"move A to the chain of C ({counted(len(votes.members[code]), 'mention')})",
            Operation(merge=(id_, self.ids[rival]), move=(id_,)),
        )
        better = votes.fit(row, code) > votes.fit(row, int(votes.chain[row]))
        return (move, *fixes) if better else (single, move, *fixes[1:])

    def _size(self, row: int) -> int:
        return len(self.votes.members[int(self.votes.chain[row])])


def one_chain(ids: Sequence[str], sizes: Sequence[int]) -> tuple[Fix, ...]:
    """Return the corrections of a missing link of singletons, and at most one chain.

    ``ids`` are one mention of each, ``sizes`` the numbers of mentions of their chains.
    """
    at = next((at for at, size in enumerate(sizes) if size > 1), None)
    if at is None:
        all_of = "A and B" if len(ids) == 2 else f"all {len(ids)} mentions"
        text = f"link {all_of}: they become one chain"
        return Fix("merge", text, Operation(merge=tuple(ids))), *removals(ids)
    others = ", ".join(LETTERS[i % 26] for i in range(len(ids)) if i != at)
    text = f"add {others} to the chain of {LETTERS[at % 26]} ({counted(sizes[at], 'mention')})"
    pair = Operation(merge=tuple(ids), move=(ids[at],))
    alternative = f"link {others} with {LETTERS[at % 26]} only, which leaves its chain"
    return (
        Fix("merge", text, Operation(merge=tuple(ids))),
        Fix("pair", alternative, pair),
        *removals([id_ for i, id_ in enumerate(ids) if i != at], others),
    )


def two_chains(
    ids: tuple[str, str],
    sizes: tuple[int, int],
    targets: tuple[str, str],
    first: int | None,
    whole: bool,
) -> tuple[Fix, ...]:
    """Return the corrections of a missing link of two chains with several members.

    ``targets`` is a member of each chain, ``first`` the side whose mention rather moves (None:
    either), ``whole`` whether a merge is more probable than that.
    """
    order = (first, 1 - first) if first is not None else (0, 1)
    moves = [
        Fix(
            "move",
            f"move {'AB'[at]} to the chain of {'BA'[at]} ({counted(sizes[1 - at], 'mention')})",
            Operation(merge=(ids[at], targets[1 - at]), move=(ids[at],)),
            tied=first is None and not whole,
        )
        for at in order
    ]
    text = "link A with B only: both leave their chains"
    new = Fix("pair", text, Operation(merge=ids, move=ids))
    text = f"merge both chains ({sizes[0]} + {sizes[1]} mentions)"
    merge = Fix("merge", text, Operation(merge=ids))
    ordered = (merge, *moves, new) if whole else (*moves, new, merge)
    return *ordered, *removals(ids)


def removals(ids: Sequence[str], letters: str = "") -> tuple[Fix, ...]:
    """Return the correction "no event"; ``letters`` are the sides, by default all."""
    several = f"none of {letters or f'the {len(ids)} mentions'} is an event"
    text = f"{letters or 'A'} is not an event" if len(ids) == 1 else several
    return (Fix("remove", text, Operation(remove=tuple(ids))),)


def bare_descriptor(descriptor: str) -> str:
    """Return a descriptor without the topic prefix of ECB+, as in ``t12_fire``."""
    return re.sub(r"^t\d+b?_", "", descriptor.strip().lower())

"""The corrections that a case offers, the most probable first.

For two chains with several members, a merge is rarely right: usually one mention is in the wrong
chain. Which one is decided by votes: the heads of the chain, copies of the mention in it, and its
descriptor.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cdec.auditing.case import Fix, Operation
from cdec.errors import counted

if TYPE_CHECKING:
    from cdec.auditing.key import Key

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_STEM = 5  # letters that a word shares with a word of a descriptor
_LARGE = 3  # mentions; two chains of this size are merged only if nothing else fits
_CLOSE = 0.75  # share of equal heads of two chains for a merge of small ones


@dataclass(frozen=True, eq=False)
class Fixes:
    """The corrections of cases of a key; mentions are its rows, chains its codes."""

    key: Key

    def link(self, rows: Sequence[int]) -> tuple[Fix, ...]:
        """Return the corrections of a missing link between the chains of these mentions."""
        ids = tuple(self.key.ids[row] for row in rows)
        sizes = [int(self.key.sizes[self.key.chain[row]]) for row in rows]
        if sum(size > 1 for size in sizes) < 2:
            return one_chain(ids, sizes)
        one, two = rows[:2]
        codes = int(self.key.chain[one]), int(self.key.chain[two])
        gains = (
            self.fit(one, codes[1]) - self.fit(one, codes[0]),
            self.fit(two, codes[0]) - self.fit(two, codes[1]),
        )
        # Of two mentions that fit equally well, the one in the smaller chain moves.
        one_side, other_side = zip(gains, (-size for size in sizes), strict=True)
        first = None if one_side == other_side else int(one_side < other_side)
        small = min(sizes) < _LARGE and not self.crossing(*codes)
        whole = small and self.alike(*codes) >= _CLOSE
        one_id, two_id = (self.key.ids[int(self.key.members[code][0])] for code in codes)
        return two_chains((ids[0], ids[1]), (sizes[0], sizes[1]), (one_id, two_id), first, whole)

    def member(self, row: int, rival: int | None) -> tuple[Fix, ...]:
        """Return the corrections of a mention that does not belong to its chain."""
        id_, chain = self.key.ids[row], self.key.chain
        fixes = [singleton(id_), *removals((id_,))]
        if rival is None:
            return tuple(fixes)
        code = int(chain[rival])
        text = f"move A to the chain of C ({counted(int(self.key.sizes[code]), 'mention')})"
        change = Operation(merge=(id_, self.key.ids[rival]), move=(id_,))
        better = self.fit(row, code) > self.fit(row, int(chain[row]))
        fixes.insert(0 if better else 1, Fix(fix="move", text=text, operation=change))
        return tuple(fixes)

    def fit(self, row: int, code: int) -> float:
        """Return how well a mention fits a chain, its own membership not counted: 0 to 3.

        Sum of the share of members with the same head, 1 if the chain has a copy of the mention,
        and the share of the words of the descriptor that are in the sentence (twice: the head).
        """
        rest = self.key.members[code][self.key.members[code] != row]
        if not len(rest):
            return 0.0
        codes = self.key.prepared.pool.mentions.codes
        equal = np.logical_or.reduce([codes[n][rest] == codes[n][row] for n in ("lemma", "root")])
        copied = bool(self.copies.get(row, set()) & {int(other) for other in rest})
        return float(equal.mean()) + copied + self._descriptor(row, int(rest[0]))

    @cached_property
    def copies(self) -> dict[int, set[int]]:
        """The copies of each mention in similar sentences."""
        copies: dict[int, set[int]] = {}
        for one, two in self.key.prepared.alike[["left", "right"]].to_numpy().tolist():
            copies.setdefault(one, set()).add(two)
            copies.setdefault(two, set()).add(one)
        return copies

    def alike(self, one: int, two: int) -> float:
        """Return the share of mention pairs of two chains with the same head."""
        roots = self.key.prepared.pool.mentions.codes["root"]
        left, right = (roots[self.key.members[code]] for code in (one, two))
        return float(np.equal.outer(left, right).mean())

    def crossing(self, one: int, two: int) -> bool:
        """Whether two chains have no common sub-topic."""
        subtopics = self.key.corpus.selected["subtopic"].to_numpy()
        left, right = (set(subtopics[self.key.members[code]]) for code in (one, two))
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


def one_chain(ids: tuple[str, ...], sizes: Sequence[int]) -> tuple[Fix, ...]:
    """Return the corrections of a missing link of singletons, and at most one chain.

    ``ids`` are one mention of each, ``sizes`` the numbers of mentions of their chains.
    """
    at = next((at for at, size in enumerate(sizes) if size > 1), None)
    if at is None:
        all_of = "A and B" if len(ids) == 2 else f"all {len(ids)} mentions"
        text = f"link {all_of}: they become one chain"
        return Fix(fix="merge", text=text, operation=Operation(merge=ids)), *removals(ids)
    others = ", ".join(LETTERS[i % 26] for i in range(len(ids)) if i != at)
    text = f"add {others} to the chain of {LETTERS[at % 26]} ({counted(sizes[at], 'mention')})"
    pair = Operation(merge=ids, move=(ids[at],))
    alternative = f"link {others} with {LETTERS[at % 26]} only, which leaves its chain"
    return (
        Fix(fix="merge", text=text, operation=Operation(merge=ids)),
        Fix(fix="pair", text=alternative, operation=pair),
        *removals(tuple(id_ for i, id_ in enumerate(ids) if i != at), others),
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
    of = [counted(size, "mention") for size in sizes]
    moves = [
        Fix(
            fix="move",
            text=f"move {'AB'[at]} to the chain of {'BA'[at]} ({of[1 - at]})",
            operation=Operation(merge=(ids[at], targets[1 - at]), move=(ids[at],)),
            tied=first is None and not whole,
        )
        for at in order
    ]
    text = "link A with B only: both leave their chains"
    new = Fix(fix="pair", text=text, operation=Operation(merge=ids, move=ids))
    text = f"merge both chains ({sizes[0]} + {sizes[1]} mentions)"
    merge = Fix(fix="merge", text=text, operation=Operation(merge=ids))
    ordered = (merge, *moves, new) if whole else (*moves, new, merge)
    return *ordered, *removals(ids)


def singleton(id_: str) -> Fix:
    """Return the correction of the mention A that does not belong to its chain."""
    text = "A leaves its chain, as a singleton"
    return Fix(fix="singleton", text=text, operation=Operation(move=(id_,)))


def removals(ids: tuple[str, ...], letters: str = "") -> tuple[Fix, ...]:
    """Return the correction "no event"; ``letters`` are the sides, by default all."""
    several = f"none of {letters or f'the {len(ids)} mentions'} is an event"
    text = f"{letters or 'A'} is not an event" if len(ids) == 1 else several
    return (Fix(fix="remove", text=text, operation=Operation(remove=ids)),)


def bare_descriptor(descriptor: str) -> str:
    """Return a descriptor without the topic prefix of ECB+, as in ``t12_fire``."""
    return re.sub(r"^t\d+b?_", "", descriptor.strip().lower())

"""Match two CoNLL-U files: mentions are sets of nodes, empty nodes (zeros) among them.

The order of the shared tasks on multilingual coreference (CRAC): equal mentions of an entity count
once; each side may drop its own singletons; then mentions are aligned; then chains are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import TALLY_COLUMNS, Bools, Ints
from cdec.clustering import SIDES
from cdec.corefud.tree_mentions import (
    TreeMentions,
    check_same_text,
    mentions_of_both,
    without_repeats,
)
from cdec.corefud.treebank import Treebank
from cdec.corefud.zeros import same_dependents, zero_anaphors, zeros_of
from cdec.formats.annotation import Annotation, object_array
from cdec.matching.alignment import Alignment
from cdec.matching.coverage import exchanged, with_coverage
from cdec.matching.pairing import paired, same_code, shared_words
from cdec.matching.policy import FilePolicy
from cdec.matching.spans import Spans

_COLUMNS = ("doc", "start", "end", "tokens", "line")


def match_trees(
    key: tuple[Annotation, Treebank],
    response: tuple[Annotation, Treebank],
    policy: FilePolicy,
    *,
    across: bool = False,
) -> Alignment:
    """Match two CoNLL-U files; raises ScoringError if their sentences or words differ.

    A repeated mention in two entities of the key is an error; in the response ``policy.repeated``
    decides. ``across``: whether chains can cross documents.
    """
    ours, whole = mentions_of_both(key, response, policy, across=across)
    check_same_text(ours, whole)
    ours = without_repeats(ours, "error", "key")[0]
    kept, notices = without_repeats(whole, policy.repeated, "response")
    aligned = Aligned(ours, whole, kept, align(ours, kept, policy))
    matched = Alignment(
        aligned.table(),
        notices=(
            *key[0].notices,
            *response[0].notices,
            *notices,
            *exchanged(key[0], response[0]),
        ),
        about={"response_digest": response[0].digest},
        system=response[0].name,
        words=aligned.word_counts(),
    )
    names = key[0].name, response[0].name
    return with_coverage(matched, *names, policy=policy, across=across)


def align(key: TreeMentions, response: TreeMentions, policy: FilePolicy) -> Ints:
    """Return the key mention of each response mention, −1 for a twinless mention.

    1. zeros by their dependents, if the policy says so; 2. equal mentions; 3. by the rule.
    """
    ours, theirs = key.spans, response.spans
    partner = np.full(len(theirs), -1, dtype=np.int64)
    if policy.zeros == "dependent" and key.is_zero.any() and response.is_zero.any():
        left, right = (zeros_of(side.trees, side.spans, side.is_zero) for side in (key, response))
        partner = same_dependents(left, right, ours, theirs)
    free = np.ones(len(ours), dtype=np.bool_)
    free[partner[partner >= 0]] = False
    rows, cols = np.flatnonzero(free), np.flatnonzero(partner < 0)
    found = same_code(key.code[rows], response.code[cols])
    partner[cols[found >= 0]] = rows[found[found >= 0]]
    return paired(ours, theirs, policy.rule, partner)


@dataclass(frozen=True, eq=False)
class Aligned:
    """Two sides and the key mention of each response mention (``partner``, −1: none).

    ``whole`` is the response with the repeats that ``kept`` leaves out.
    """

    key: TreeMentions
    whole: TreeMentions
    kept: TreeMentions
    partner: Ints

    @cached_property
    def ids(self) -> npt.NDArray[np.object_]:
        """The ids of the key mentions."""
        return object_array(self.key.ids())

    @cached_property
    def twinless(self) -> Ints:
        """The response mentions without a partner."""
        return np.flatnonzero(self.partner < 0)

    @cached_property
    def names(self) -> npt.NDArray[np.object_]:
        """The ids of the response mentions: that of the key mention, else a free one."""
        names = np.empty(len(self.partner), dtype=object)
        found = self.partner >= 0
        names[found] = self.ids[self.partner[found]]
        places = self.kept.ids(self.twinless)
        if len({*self.ids, *places}) < len(self.ids) + len(places):
            places = _free(places, set(self.ids))
        names[self.twinless] = object_array(places)
        return names

    @cached_property
    def order(self) -> Ints:
        """Text order: numbers of key mentions, and behind them of the twinless mentions."""
        spans = self.key.spans, self.kept.spans.take(self.twinless)
        first, last = (np.concatenate([getattr(s, at) for s in spans]) for at in ("first", "last"))
        return np.lexsort((last, first))

    @cached_property
    def index(self) -> pd.Index[str]:
        """The ids of all mentions in text order."""
        ids = np.concatenate([self.ids, self.names[self.twinless]])[self.order]
        index: pd.Index[str] = pd.Index(ids, dtype=object)
        return index

    @cached_property
    def positions(self) -> tuple[Ints, Ints]:
        """The rows of the table of the key mentions, and of the response mentions."""
        at = np.empty(len(self.order), dtype=np.int64)
        at[self.order] = np.arange(len(self.order))
        of_response = at[self.partner]
        of_response[self.twinless] = at[len(self.ids) :]
        return at[: len(self.ids)], of_response

    def table(self) -> pd.DataFrame:
        """Return all mentions in text order, with the response's own place where it differs."""
        key, kept, found = self.key, self.kept, self.partner >= 0
        sides = key, kept.take(self.twinless)
        columns = {
            name: np.concatenate([side.column(name) for side in sides])[self.order]
            for name in _COLUMNS
        }
        columns["line"] = np.zeros(len(self.order), dtype=np.int64)
        columns["line"][self.positions[1]] = kept.column("line")
        columns["place"] = object_array([""] * len(self.order))
        moved = np.flatnonzero(found & (same_code(key.words, kept.words) != self.partner))
        own = object_array(kept.ids(moved))
        own[own == self.names[moved]] = ""
        columns["place"][self.positions[1][moved]] = own
        for name, mine, at in zip(SIDES, (key, kept), self.positions, strict=True):
            columns[name] = np.full(len(self.order), np.nan, dtype=object)
            columns[name][at] = mine.label
        return pd.DataFrame(columns, index=self.index, copy=False)

    def word_counts(self) -> Callable[[], pd.DataFrame]:
        """Return the function that counts words and zeros; it keeps no file.

        The words of a repeat that is left out count with those of the mention it repeats.
        """
        key, whole, kept, (rows, cols) = self.key, self.whole, self.kept, self.positions
        owner = cols
        if len(kept.row) < len(whole.row):
            repeated = same_code(kept.words, np.unique(whole.words))
            at = np.full(int(whole.words.max()) + 1, -1)
            at[np.unique(whole.words)[repeated >= 0]] = cols[repeated[repeated >= 0]]
            owner = at[whole.words]
            owner[pd.Index(whole.row).get_indexer(pd.Index(kept.row))] = cols
        spans = key.spans, whole.spans, same_code(key.words, whole.words)
        entities = key.entity, key.is_zero, kept.entity, kept.is_zero, self.partner
        return partial(_word_counts, self.index, (owner, rows), cols, spans, entities)


def _word_counts(
    index: pd.Index[str],
    owners: tuple[Ints, Ints],
    of_zeros: Ints,
    spans: tuple[Spans, Spans, Ints],
    entities: tuple[Ints, Bools, Ints, Bools, Ints],
) -> pd.DataFrame:
    """Return the tally columns: by response and key mention, as rows of the table."""
    (of_response, of_key), (ours, theirs, _) = owners, spans
    in_key, in_response = shared_words(*spans)
    zeros = zero_anaphors(*entities)
    values = (
        (of_response, in_response), (of_response, theirs.sizes),
        (of_key, in_key), (of_key, ours.sizes),
        (of_zeros, zeros.p_num), (of_zeros, zeros.p_den),
        (of_key, zeros.r_num), (of_key, zeros.r_den),
    )  # fmt: skip
    columns = (_summed(at, numbers, len(index)) for at, numbers in values)
    return pd.DataFrame(dict(zip(TALLY_COLUMNS, columns, strict=True)), index=index)


def _free(places: list[str], taken: set[str]) -> list[str]:
    """Return the places, with a number behind each that is taken."""
    names: list[str] = []
    for place in places:
        name, number = place, 1
        while name in taken:
            number += 1
            name = f"{place}#{number}"
        names.append(name)
        taken.add(name)
    return names


def _summed(at: Ints, values: Ints, size: int) -> Ints:
    """Return the sum of the values at each position; those at −1 are left out."""
    known = at >= 0
    return np.bincount(at[known], values[known], minlength=size).astype(np.int64)

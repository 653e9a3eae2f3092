"""Match two CoNLL-U files: mentions are sets of nodes, empty nodes (zeros) among them.

The order of the shared tasks on multilingual coreference (CRAC): equal mentions of an entity count
once; each side may drop its own singletons; then mentions are aligned; then chains are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.clustering import Clustering
from cdec.formats.annotation import Annotation, Treebank
from cdec.matching.coverage import Matched, with_coverage
from cdec.matching.pairing import completed, equal
from cdec.matching.policy import FilePolicy
from cdec.matching.rule import shared_words
from cdec.matching.sides import Side, check_same_text, prepared, without_repeats
from cdec.matching.zeros import same_dependents, zero_anaphors, zeros_of

_COLUMNS = ("doc", "start", "end", "tokens", "line")


def match_trees(
    key: tuple[Annotation, Treebank],
    response: tuple[Annotation, Treebank],
    policy: FilePolicy,
    *,
    across: bool = False,
) -> Matched:
    """Match two CoNLL-U files; raises ScoringError if their sentences or words differ.

    A repeated mention in two entities of the key is an error; in the response ``policy.repeated``
    decides. ``across``: whether chains can cross documents.
    """
    ours, whole = (prepared(*side, policy, across=across) for side in (key, response))
    check_same_text(ours, whole)
    same_heads = policy.rule.kind == "head"
    ours = without_repeats(ours, "error", "key", same_heads=same_heads)[0]
    kept, notices = without_repeats(whole, policy.repeated, "response", same_heads=same_heads)
    aligned = Aligned(ours, whole, kept, align(ours, kept, policy))
    table = aligned.table()
    matched = Matched(
        mentions=table.assign(**aligned.tallies(table.index)),
        key=_clustering(ours, aligned.ids),
        response=_clustering(kept, aligned.names),
        notices=(*key[0].notices, *response[0].notices, *notices),
    )
    names = key[0].name, response[0].name
    return with_coverage(matched, *names, policy=policy)


def _clustering(side: Side, ids: list[str]) -> Clustering:
    return Clustering(pd.Series(side.label, index=pd.Index(ids, dtype=object), dtype=object))


def align(key: Side, response: Side, policy: FilePolicy) -> Ints:
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
    same_heads = policy.rule.kind == "head"
    found = equal(ours.take(rows), theirs.take(cols), same_heads=same_heads)
    partner[cols[found >= 0]] = rows[found[found >= 0]]
    return completed(ours, theirs, policy.rule, partner)


@dataclass(frozen=True, eq=False)
class Aligned:
    """Two sides and the key mention of each response mention (``partner``, −1: none).

    ``whole`` is the response with the repeats that ``kept`` leaves out.
    """

    key: Side
    whole: Side
    kept: Side
    partner: Ints

    @cached_property
    def ids(self) -> list[str]:
        """The ids of the key mentions."""
        return self.key.ids()

    @cached_property
    def places(self) -> list[str]:
        """The places of the response mentions, in the form of ids."""
        return self.kept.ids()

    @cached_property
    def names(self) -> list[str]:
        """The ids of the response mentions: that of the key mention, else a free one."""
        taken, names = set(self.ids), []
        for place, row in zip(self.places, self.partner.tolist(), strict=True):
            name, number = place, 1
            while row < 0 and name in taken:
                number += 1
                name = f"{place}#{number}"
            names.append(self.ids[row] if row >= 0 else name)
            taken.add(names[-1])
        return names

    def table(self) -> pd.DataFrame:
        """Return all mentions in text order, with the response's own place where it differs."""
        found, twinless = self.partner >= 0, np.flatnonzero(self.partner < 0)
        ids = np.array(self.ids, dtype=object)
        line, own = np.zeros(len(ids), dtype=np.int64), np.full(len(ids), "", dtype=object)
        line[self.partner[found]] = self.kept.column("line")[found]
        own[self.partner[found]] = np.array(self.places, dtype=object)[found]
        own[own == ids] = ""
        gold = _rows(self.key).set_axis(pd.Index(self.ids, dtype=object))
        others = self.kept.take(twinless)
        index = pd.Index([self.names[k] for k in twinless.tolist()], dtype=object)
        parts = [gold.assign(line=line, place=own), _rows(others).set_axis(index).assign(place="")]
        spans = self.key.spans, others.spans
        first, last = (np.concatenate([getattr(s, at) for s in spans]) for at in ("first", "last"))
        return pd.concat(parts).iloc[np.lexsort((last, first))]

    def tallies(self, index: pd.Index[str]) -> dict[str, Ints]:
        """Return the tally columns for mentions in the order of ``index``.

        The words of a repeat that is left out count with those of the mention it repeats.
        """
        key, whole, kept = self.key, self.whole, self.kept
        rows, cols = (index.get_indexer(pd.Index(ids)) for ids in (self.ids, self.names))
        shared, found = shared_words(key.spans, whole.spans)
        repeated = equal(kept.spans, whole.spans)
        repeated[pd.Index(whole.row).get_indexer(pd.Index(kept.row))] = np.arange(len(kept.row))
        owner = np.full(len(repeated), -1)
        owner[repeated >= 0] = cols[repeated[repeated >= 0]]
        zeros = zero_anaphors(key.entity, key.is_zero, kept.entity, kept.is_zero, self.partner)
        return {
            "mor.p_num": _summed(owner, found, len(index)),
            "mor.p_den": _summed(owner, whole.spans.sizes, len(index)),
            "mor.r_num": _summed(rows, shared, len(index)),
            "mor.r_den": _summed(rows, key.spans.sizes, len(index)),
            "zeros.p_num": _summed(cols, zeros.p_num, len(index)),
            "zeros.p_den": _summed(cols, zeros.p_den, len(index)),
            "zeros.r_num": _summed(rows, zeros.r_num, len(index)),
            "zeros.r_den": _summed(rows, zeros.r_den, len(index)),
        }


def _rows(side: Side) -> pd.DataFrame:
    return side.source.mentions[list(_COLUMNS)].iloc[side.row]


def _summed(at: Ints, values: Ints, size: int) -> Ints:
    """Return the sum of the values at each position; those at −1 are left out."""
    known = at >= 0
    return np.bincount(at[known], values[known], minlength=size).astype(np.int64)

"""Zeros: mentions whose head is an empty node. Their alignment by dependents, and their score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set as AbstractSet
from typing import NamedTuple

import numpy as np

from cdec.arrays import Bools, Ints
from cdec.corefud.trees import WIDTH, Trees, arcs_of
from cdec.matching.pairing import assigned
from cdec.matching.spans import Spans

Arc = tuple[int, str]


class Zeros(NamedTuple):
    """The zeros of one side: mention, sentence, and arcs (place of the parent, relation)."""

    mention: list[int]
    sentence: list[int]
    arcs: list[frozenset[Arc]]


class ZeroCounts(NamedTuple):
    """Counts of zero anaphors: of precision per response mention, of recall per key mention."""

    p_num: Ints
    p_den: Ints
    r_num: Ints
    r_den: Ints


def zeros_of(trees: Trees, spans: Spans, is_zero: Bools) -> Zeros:
    """Return the zeros among the mentions, with the arcs of their heads in DEPS."""
    mentions = np.flatnonzero(is_zero)
    nodes = np.searchsorted(trees.place, spans.head[mentions])
    base = (trees.place - trees.sub)[nodes] // WIDTH - trees.number[nodes]
    cells = [trees.empty_deps[node] for node in nodes.tolist()]
    arcs = [
        frozenset((b * WIDTH + inside, relation) for inside, relation in arcs_of(cell) if relation)
        for cell, b in zip(cells, base.tolist(), strict=True)
    ]
    return Zeros(mentions.tolist(), trees.sentence[nodes].tolist(), arcs)


def same_dependents(key: Zeros, response: Zeros, ours: Spans, theirs: Spans) -> Ints:
    """Return the key mention of each zero that is aligned by its parents in the same sentence.

    The weight is 10·F of the arcs + F of the parents, F = 2 |A ∩ B| / (|A| + |B|).
    """
    by_sentence = defaultdict(list)
    for number, sentence in enumerate(response.sentence):
        by_sentence[sentence].append(number)
    rows, cols, weights = [], [], []
    for mention, sentence, arcs in zip(*key, strict=True):
        for number in by_sentence[sentence]:
            other = response.arcs[number]
            parents = {place for place, _ in arcs}, {place for place, _ in other}
            weight = 10 * _overlap(arcs, other) + _overlap(*parents)
            if weight:
                rows.append(mention)
                cols.append(response.mention[number])
                weights.append(weight)
    i, j = np.array(rows, dtype=np.int64), np.array(cols, dtype=np.int64)
    chosen = assigned(ours, theirs, i, j, np.array(weights))
    done = np.full(len(theirs), -1, dtype=np.int64)
    done[j[chosen]] = i[chosen]
    return done


def _overlap(one: AbstractSet[object], other: AbstractSet[object]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def zero_anaphors(
    key: Ints, key_zero: Bools, response: Ints, response_zero: Bools, partner: Ints
) -> ZeroCounts:
    """Return the counts of zero anaphors (Žabokrtský et al. 2022, section 3).

    ``key`` and ``response`` have the entity of each mention; the mentions of an entity are in text
    order. A zero that is not the first of its key entity needs an antecedent. It is correct if its
    partner is not the first of its response entity and an earlier mention of the key entity has a
    partner in that response entity. Response zeros without such a partner, unless they are the
    first of their entity, are wrong.

    >>> zeros = np.array([False, True])
    >>> counts = zero_anaphors(np.array([0, 0]), zeros, np.array([0, 0]), zeros, np.array([0, 1]))
    >>> [numbers.tolist() for numbers in counts]
    [[0, 1], [0, 1], [0, 1], [0, 1]]
    """
    p_num, p_den = (np.zeros(len(response), dtype=np.int64) for _ in range(2))
    r_num, r_den = (np.zeros(len(key), dtype=np.int64) for _ in range(2))
    first = _firsts(response)
    p_den[response_zero & ~first] = 1
    if not key_zero.any():
        return ZeroCounts(p_num, p_den, r_num, r_den)
    answer = np.full(len(key), -1, dtype=np.int64)
    answer[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
    seen: dict[int, set[int]] = defaultdict(set)
    started: set[int] = set()
    # Only entities with a zero count.
    concerned = np.flatnonzero(np.isin(key, key[key_zero]))
    columns = (values[concerned].tolist() for values in (key, key_zero, answer))
    for row, entity, is_zero, mention in zip(concerned.tolist(), *columns, strict=True):
        if is_zero and entity in started:
            r_den[row] = 1
            if mention >= 0 and not first[mention]:
                p_den[mention] = 1
                correct = int(response[mention]) in seen[entity]
                r_num[row] = p_num[mention] = int(correct)
        started.add(entity)
        if mention >= 0:
            seen[entity].add(int(response[mention]))
    return ZeroCounts(p_num, p_den, r_num, r_den)


def _firsts(entity: Ints) -> Bools:
    """Return whether a mention is the first of its entity."""
    first = np.zeros(len(entity), dtype=np.bool_)
    first[np.unique(entity, return_index=True)[1]] = True
    return first

"""Zeros: mentions whose head is an empty node. Their alignment by parents, and their score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set as AbstractSet
from typing import NamedTuple

import numpy as np

from cdec.arrays import Bools, Ints
from cdec.corefud.nodes import Nodes
from cdec.corefud.spans import Spans, assigned


class ZeroCounts(NamedTuple):
    """Counts of zero anaphors: of precision per response mention, of recall per key mention."""

    p_num: Ints
    p_den: Ints
    r_num: Ints
    r_den: Ints


def by_parents(
    nodes: tuple[Nodes, Nodes], spans: tuple[Spans, Spans], zeros: tuple[Bools, Bools]
) -> Ints:
    """Return the key mention of each response zero that is aligned by its parents in DEPS, or −1.

    All have key and response. A pair is in one sentence; its weight is 10·F of the arcs + F of the
    parents, F = 2 |A ∩ B| / (|A| + |B|).
    """
    known = []  # of each side: sentence → mention and arcs of its zeros
    for file, side, is_zero in zip(nodes, spans, zeros, strict=True):
        by_sentence: defaultdict[int, list[tuple[int, set[tuple[int, str]]]]] = defaultdict(list)
        mentions = np.flatnonzero(is_zero)
        for mention, node in zip(mentions.tolist(), file.at(side.head[mentions]), strict=True):
            arcs = {(place, relation) for place, relation in file.arcs(node) if relation}
            by_sentence[int(file.sentence[node])].append((mention, arcs))
        known.append(by_sentence)
    rows, cols, weights = list[int](), list[int](), list[float]()
    for sentence, ours in known[0].items():
        for mention, arcs in ours:
            for other, others in known[1][sentence]:
                parents = {place for place, _ in arcs}, {place for place, _ in others}
                if weight := 10 * _overlap(arcs, others) + _overlap(*parents):
                    rows.append(mention)
                    cols.append(other)
                    weights.append(weight)
    i, j = np.array(rows, np.int64), np.array(cols, np.int64)
    chosen = assigned(*spans, i, j, np.array(weights))
    partner = np.full(len(spans[1]), -1)
    partner[j[chosen]] = i[chosen]
    return partner


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
    first = np.zeros(len(response), dtype=np.bool_)
    first[np.unique(response, return_index=True)[1]] = True
    p_den[response_zero & ~first] = 1
    answer = np.full(len(key), -1, dtype=np.int64)
    answer[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
    seen: defaultdict[int, set[int]] = defaultdict(set)
    started: set[int] = set()
    for row in np.flatnonzero(np.isin(key, key[key_zero])).tolist():  # of entities with a zero
        entity, mention = int(key[row]), int(answer[row])
        if key_zero[row] and entity in started:
            r_den[row] = 1
            if mention >= 0 and not first[mention]:
                p_den[mention] = 1
                r_num[row] = p_num[mention] = int(response[mention]) in seen[entity]
        started.add(entity)
        if mention >= 0:
            seen[entity].add(int(response[mention]))
    return ZeroCounts(p_num, p_den, r_num, r_den)

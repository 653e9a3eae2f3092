"""Zeros: mentions whose head is an empty node. Their alignment by parents, and their score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set as AbstractSet

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.corefud.nodes import Nodes
from cdec.corefud.spans import Spans, assigned


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
    pairs = []
    for sentence, ours in known[0].items():
        for mention, arcs in ours:
            for other, others in known[1][sentence]:
                parents = {place for place, _ in arcs}, {place for place, _ in others}
                if weight := 10 * _overlap(arcs, others) + _overlap(*parents):
                    pairs.append((mention, other, weight))
    i, j, weights = np.array(pairs).reshape(-1, 3).T
    i, j = i.astype(np.int64), j.astype(np.int64)
    chosen = assigned(*spans, i, j, weights)
    partner = np.full(len(spans[1]), -1)
    partner[j[chosen]] = i[chosen]
    return partner


def _overlap(one: AbstractSet[object], other: AbstractSet[object]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def zero_anaphors(
    key: pd.DataFrame, response: pd.DataFrame, partner: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the counts of zero anaphors (Žabokrtský et al. 2022, section 3).

    They are those of precision (correct, all) by response mention, of recall by key mention. The
    tables have ``entity`` and ``zero``; the mentions of an entity are in text order. A zero that is
    not the first of its key entity needs an antecedent. It is correct if its partner is not the
    first of its response entity and an earlier mention of the key entity has a partner in that
    response entity. Response zeros without such a partner, unless they are the first of their
    entity, are wrong.

    >>> side = pd.DataFrame({"entity": [0, 0], "zero": [False, True]})
    >>> [numbers.tolist() for numbers in zero_anaphors(side, side, np.array([0, 1]))]
    [[0, 1], [0, 1], [0, 1], [0, 1]]
    """
    first = ~response["entity"].duplicated().to_numpy()
    p_num, r_num, r_den = (np.zeros(len(side), np.int64) for side in (response, key, key))
    p_den = (response["zero"].to_numpy() & ~first).astype(np.int64)
    answer = np.full(len(key), -1, dtype=np.int64)
    answer[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
    seen: defaultdict[int, set[int]] = defaultdict(set)
    started: set[int] = set()
    entities, given = key["entity"].to_numpy(), response["entity"].tolist()
    zero = key["zero"].to_numpy()
    for row in np.flatnonzero(np.isin(entities, entities[zero])).tolist():  # with a zero
        entity, mention = int(entities[row]), int(answer[row])
        if zero[row] and entity in started:
            r_den[row] = 1
            if mention >= 0 and not first[mention]:
                p_den[mention] = 1
                r_num[row] = p_num[mention] = given[mention] in seen[entity]
        started.add(entity)
        if mention >= 0:
            seen[entity].add(given[mention])
    return p_num, p_den, r_num, r_den

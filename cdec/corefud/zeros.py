"""Zeros: mentions whose head is an empty node. Their alignment by parents, and their score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set as AbstractSet
from itertools import product
from typing import TypeAlias

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.corefud.nodes import Nodes
from cdec.corefud.spans import Spans, assigned

# The places of the parents of an empty node, and ``:relation``.
Arcs: TypeAlias = set[tuple[int, str]]


def by_parents(
    nodes: tuple[Nodes, Nodes], spans: tuple[Spans, Spans], zeros: tuple[Bools, Bools]
) -> Ints:
    """Return the key mention of each response zero that is aligned by its parents in DEPS, or −1.

    All have key and response. A pair is in one sentence; its weight is 10·F of the arcs + F of the
    parents, F = 2 |A ∩ B| / (|A| + |B|).
    """
    key_zeros = _by_sentence(nodes[0], spans[0], zeros[0])
    response_zeros = _by_sentence(nodes[1], spans[1], zeros[1])
    rows = []
    cols = []
    weights = []
    for sentence, of_key in key_zeros.items():
        of_response = response_zeros.get(sentence, [])
        for (row, key_arcs), (col, arcs) in product(of_key, of_response):
            key_parents = {place for place, _ in key_arcs}
            parents = {place for place, _ in arcs}
            weight = 10 * _overlap(key_arcs, arcs) + _overlap(key_parents, parents)
            if weight > 0:
                rows.append(row)
                cols.append(col)
                weights.append(weight)
    i = np.array(rows, np.int64)
    j = np.array(cols, np.int64)
    pairs = assigned(*spans, i, j, np.array(weights))
    partner = np.full(len(spans[1]), -1)
    partner[j[pairs]] = i[pairs]
    return partner


def _by_sentence(
    nodes: Nodes, spans: Spans, is_zero: Bools
) -> dict[int, list[tuple[int, Arcs]]]:
    """Return sentence → mention and arcs of each of its zeros."""
    by_sentence: defaultdict[int, list[tuple[int, Arcs]]] = defaultdict(list)
    mentions = np.flatnonzero(is_zero)
    heads = nodes.at(spans.head[mentions]).tolist()
    for mention, node in zip(mentions.tolist(), heads, strict=True):
        arcs = {(place, relation) for place, relation in nodes.arcs(node) if relation}
        by_sentence[int(nodes.sentence[node])].append((mention, arcs))
    return by_sentence


def _overlap(a: AbstractSet[object], b: AbstractSet[object]) -> float:
    if not a or not b:
        return 0.0
    return 2 * len(a & b) / (len(a) + len(b))


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
    is_first = ~response["entity"].duplicated().to_numpy()
    p_num = np.zeros(len(response), np.int64)
    p_den = (response["zero"].to_numpy() & ~is_first).astype(np.int64)
    r_num = np.zeros(len(key), np.int64)
    r_den = np.zeros(len(key), np.int64)
    response_of = np.full(len(key), -1)
    response_of[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
    response_entity = response["entity"].tolist()
    is_zero = key["zero"].to_numpy()
    # Key entity → response entities of the partners of its mentions so far.
    before: dict[int, set[int]] = {}
    entities = key["entity"].to_numpy()
    has_zero = np.isin(entities, entities[is_zero])
    for row in np.flatnonzero(has_zero).tolist():
        entity = int(entities[row])
        mention = int(response_of[row])
        if is_zero[row] and entity in before:
            r_den[row] = 1
            if mention >= 0 and not is_first[mention]:
                p_den[mention] = 1
                is_correct = response_entity[mention] in before[entity]
                r_num[row] = is_correct
                p_num[mention] = is_correct
        antecedents = before.setdefault(entity, set())
        if mention >= 0:
            antecedents.add(response_entity[mention])
    return p_num, p_den, r_num, r_den

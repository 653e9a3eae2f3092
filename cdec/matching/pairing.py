"""One-to-one alignment of the mentions of a response with those of a key.

The rules are those of the shared tasks on multilingual coreference (Žabokrtský et al. 2022, CRAC,
section 3; head match and zeros as since 2024)::

    exact      the same tokens
    partial    R ⊆ K, and R has the head of K                    weight |K ∩ R| / |K|
    head       K and R have the same head                        weight |K ∩ R| / |K|
    overlap:x  |K ∩ R| / |K ∪ R| ≥ x, the weight

Equal mentions are aligned first and leave the pool. Of the others, candidates by the rule are
aligned one to one with maximum total weight, by connected components of the graph of candidates:
sparse, never a matrix of a whole document. Among assignments of the same weight the one with the
earliest mentions, the earliest with the earliest, is chosen.

The mention overlap ratio (``mor``) counts the words that two sides share in the best choice.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from cdec.arrays import TALLY_COLUMNS, Floats, Ints
from cdec.matching.policy import Rule
from cdec.matching.spans import Spans, common, expanded, identities
from cdec.metrics.align import best_assignment

# Far below the least difference of two sums of weights, far above a rounding error.
_TIE = 1e-9
_BLOCK = 2**16  # key mentions per product of sparse matrices
SPAN = ["doc", "start", "end", "tokens"]
"""The columns of a table of mentions that name the words of a mention."""


def paired(key: Spans, response: Spans, rule: Rule, partner: Ints | None = None) -> Ints:
    """Return the key mention of each response mention, as row numbers; −1 for a twinless mention.

    ``partner`` has those that are aligned before the rule: by default equal mentions, of several
    the first.

    >>> key, response = Spans.of([[1, 2, 3], [5]], head=[2, 5]), Spans.of([[2, 3], [5], [6]])
    >>> paired(key, response, Rule("exact")).tolist()
    [-1, 1, -1]
    >>> paired(key, response, Rule("partial")).tolist()
    [0, 1, -1]
    """
    partner = equal(key, response) if partner is None else partner
    if rule.kind == "exact":
        return partner
    free = np.ones(len(key), dtype=np.bool_)
    free[partner[partner >= 0]] = False
    rows, cols = np.flatnonzero(free), np.flatnonzero(partner < 0)
    left, right = key.take(rows), response.take(cols)
    i, j, weight = _candidates(left, right, rule)
    chosen = assigned(left, right, i, j, weight)
    done = partner.copy()
    done[cols[j[chosen]]] = rows[i[chosen]]
    return done


def equal(key: Spans, response: Spans) -> Ints:
    """Return the equal key mention of each response mention; −1 if there is none.

    Mentions without places are equal to none.
    """
    partner = same_code(*identities(key, response))
    partner[response.sizes == 0] = -1
    return partner


def same_code(ours: Ints, theirs: Ints) -> Ints:
    """Return the position in ``ours`` of each code in ``theirs``; −1 for a code that is not there.

    Of equal codes the first of each side counts; the others in ``theirs`` get −1.

    >>> same_code(np.array([5, 5, 2]), np.array([2, 5, 2, 9])).tolist()
    [2, 0, -1, -1]
    """
    place = np.full(max(int(ours.max(initial=-1)), int(theirs.max(initial=-1))) + 1, -1)
    place[ours[::-1]] = np.arange(len(ours))[::-1]
    partner = place[theirs]
    first = np.full(len(place), -1)
    first[theirs[::-1]] = np.arange(len(theirs))[::-1]
    partner[first[theirs] != np.arange(len(theirs))] = -1
    return partner


def _candidates(key: Spans, response: Spans, rule: Rule) -> tuple[Ints, Ints, Floats]:
    """Return the pairs that the rule allows, as rows of both sides, and their weights."""
    if rule.kind == "overlap":
        rows, cols, shared = overlapping(key, response)
        weight = shared / (key.sizes[rows] + response.sizes[cols] - shared)
        kept = weight >= rule.threshold
        return rows[kept], cols[kept], weight[kept]
    if rule.kind == "head":
        rows, cols = _joined(key.head, response.head, np.arange(len(response)))
        shared = common(key, response, rows, cols)
    else:
        rows, cols = _joined(key.head, response.places, response.rows())
        inside = (response.first[cols] >= key.first[rows]) & (response.last[cols] <= key.last[rows])
        rows, cols = rows[inside], cols[inside]
        shared = common(key, response, rows, cols)
        subset = shared == response.sizes[cols]
        rows, cols, shared = rows[subset], cols[subset], shared[subset]
    positive = shared > 0
    rows, cols = rows[positive], cols[positive]
    return rows, cols, shared[positive] / key.sizes[rows]


def _joined(wanted: Ints, values: Ints, owner: Ints) -> tuple[Ints, Ints]:
    """Return all pairs (i, owner[k]) with wanted[i] = values[k] ≥ 0."""
    order = np.argsort(values, kind="stable")
    lower = np.searchsorted(values, wanted, sorter=order)
    sizes = np.searchsorted(values, wanted, side="right", sorter=order) - lower
    sizes[wanted < 0] = 0
    return np.repeat(np.arange(len(wanted)), sizes), owner[order[expanded(lower, sizes)]]


def overlapping(key: Spans, response: Spans) -> tuple[Ints, Ints, Ints]:
    """Return all pairs of mentions with a common place (rows of both), and how many they share."""
    from scipy.sparse import csr_array  # noqa: PLC0415  # a slow import, for few rules

    places = np.concatenate([key.places, response.places])
    distinct, number = np.unique(places, return_inverse=True)
    cut = len(key.places)
    of_response = csr_array(
        (np.ones(len(places) - cut, dtype=np.int64), number[cut:], response.bounds),
        shape=(len(response), len(distinct)),
    )
    by_place = of_response.T.tocsr()
    found = [(np.empty(0, np.int64),) * 3]
    for start in range(0, len(key), _BLOCK):
        bounds = key.bounds[start : start + _BLOCK + 1]
        block = csr_array(
            (
                np.ones(bounds[-1] - bounds[0], dtype=np.int64),
                number[bounds[0] : bounds[-1]],
                bounds - bounds[0],
            ),
            shape=(len(bounds) - 1, len(distinct)),
        )
        product = (block @ by_place).tocoo()
        rows, cols = product.coords
        found.append((rows.astype(np.int64) + start, cols.astype(np.int64), product.data))
    pairs, others, shared = (
        np.concatenate(parts).astype(np.int64) for parts in zip(*found, strict=True)
    )
    return pairs, others, shared


def assigned(key: Spans, response: Spans, rows: Ints, cols: Ints, weight: Floats) -> Ints:
    """Return the pairs of the assignment with maximum total weight, as positions, sorted.

    Of those with the same weight it is the one with the earliest mentions in text order.
    """
    if not len(weight):
        return np.array([], dtype=np.int64)
    i, j = (_local(*side) for side in _sides(key, response, rows, cols))
    sums, products = (i + j) / (i + j).max(initial=1), i * j / (i * j).max(initial=1)
    return best_assignment(rows, cols, weight + _TIE * (2 - sums + products / 1000))


def _sides(
    key: Spans, response: Spans, rows: Ints, cols: Ints
) -> Iterator[tuple[Spans, Ints, Ints]]:
    """Yield each side, its mentions in the pairs, and the component of each mention."""
    from scipy.sparse import coo_array  # noqa: PLC0415  # a slow import, for few rules
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    size = len(key) + len(response)
    graph = coo_array((np.ones(len(rows)), (rows, cols + len(key))), shape=(size, size))
    component = connected_components(graph, directed=False)[1]
    yield key, rows, component[: len(key)].astype(np.int64)
    yield response, cols, component[len(key) :].astype(np.int64)


def _local(side: Spans, at: Ints, component: Ints) -> Ints:
    """Return the rank in text order, inside its component, of each mention in ``at``."""
    rank = np.empty(len(side), dtype=np.int64)
    rank[side.text_order] = np.arange(len(side))
    used = np.unique(at)
    order = used[np.lexsort((rank[used], component[used]))]
    starts = np.flatnonzero(np.diff(component[order], prepend=-1))
    sizes = np.diff(starts, append=len(order))
    local = np.zeros(len(side), dtype=np.int64)
    local[order] = np.arange(len(order)) - np.repeat(starts, sizes)
    return local[at]


def word_counts(
    key: pd.DataFrame, response: pd.DataFrame, known: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return the columns of ``mor`` for the mentions of both; none if one has no tokens at all.

    The tables are indexed by mention id and have the columns SPAN. A response mention that is given
    by its id has the tokens that are ``known``.

    >>> key, response = (
    ...     pd.DataFrame({"doc": ["d"], "start": 0, "end": end, "tokens": [()]}, index=["d/1"])
    ...     for end in (1, 2)
    ... )
    >>> word_counts(key, response).loc["d/1"].iloc[:4].tolist()
    [2.0, 3.0, 2.0, 2.0]
    """
    if known is not None:
        known = known.reindex(response.index)
        response = response.where(response["start"] >= 0, known)
    if not ((key["start"] >= 0).any() and (response["start"] >= 0).any()):
        return pd.DataFrame()
    ours, theirs = Spans.of_tables((key, response))
    in_key, in_response = shared_words(ours, theirs)
    recall = {"mor.r_num": in_key, "mor.r_den": ours.sizes}
    precision = {"mor.p_num": in_response, "mor.p_den": theirs.sizes}
    sides = pd.DataFrame(precision, index=response.index), pd.DataFrame(recall, index=key.index)
    # No format but CoNLL-U has zeros.
    return pd.concat(sides, axis=1).reindex(columns=[*TALLY_COLUMNS]).fillna(0.0)


def shared_words(key: Spans, response: Spans, partner: Ints | None = None) -> tuple[Ints, Ints]:
    """Return how many places each mention shares with its partner in the best one-to-one choice.

    The best choice maximises the sum. Equal mentions are partners in one of the best choices:
    ``partner`` has the equal key mention of each response mention (−1: none), if it is known.

    >>> [words.tolist() for words in shared_words(Spans.of([[1, 2], [5]]), Spans.of([[2, 3]]))]
    [[1, 0], [1]]
    """
    ours, theirs = np.zeros(len(key), dtype=np.int64), np.zeros(len(response), dtype=np.int64)
    partner = equal(key, response) if partner is None else partner
    same = np.flatnonzero(partner >= 0)
    ours[partner[same]] = theirs[same] = response.sizes[same]
    free = np.ones(len(key), dtype=np.bool_)
    free[partner[same]] = False
    rows, cols = np.flatnonzero(free), np.flatnonzero(partner < 0)
    i, j, words = overlapping(key.take(rows), response.take(cols))
    chosen = best_assignment(i, j, words.astype(np.float64))
    ours[rows[i[chosen]]] = theirs[cols[j[chosen]]] = words[chosen]
    return ours, theirs

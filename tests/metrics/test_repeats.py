"""Occurrences of one response mention: mentions and BLANC count them by name, as a set."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from cdec.metadocument import MetaDocuments
from cdec.metrics.repeats import NO_SURPLUS, surplus
from cdec.metrics.scores import score

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3), st.integers(0, 4)), max_size=12)


@given(ROWS)
def test_the_surplus_is_that_of_lists_over_sets(rows: list[tuple[int, int, int]]) -> None:
    mentions = [(meta, name) for meta, _, name in rows]
    links: dict[bool, list[tuple[int, int, int]]] = {True: [], False: []}
    for (meta, chain, name), (other, second, again) in combinations(rows, 2):
        if meta == other:
            links[chain == second].append((meta, min(name, again), max(name, again)))
    metas, chains, names = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    lists = (mentions, links[True], links[False])
    # A chain is inside a meta-document.
    counts = surplus(metas, 4 * metas + chains, names, 2)
    assert [np.sum(x) for x in counts] == [len(x) - len(set(x)) for x in lists]


def test_a_mention_in_two_chains_counts_once() -> None:
    """Chains ab, ax, x of the response, key abc: x is not in the key and in two chains."""
    table = pd.DataFrame(
        {
            "meta": "m",
            "key": ["k", "k", "k", None, None],
            "response": ["1", "1", "2", "2", "3"],
        },
        index=["a", "b", "c", "x", "x#2"],
    )
    names = ["a", "b", "c", "x", "x"]
    once, each = (
        score(MetaDocuments(t), ["mentions", "blanc_coref", "blanc_noncoref", "b3"]).counts
        for t in (table.assign(name=names), table)
    )
    assert (each["mentions"].p_den, once["mentions"].p_den) == (5, 4)
    assert (each["blanc_coref"].p_den, once["blanc_coref"].p_den) == (2, 2)
    # ac, ax, bc, bx, xc and xx; of two occurrences also ax and bx again
    assert (each["blanc_noncoref"].p_den, once["blanc_noncoref"].p_den) == (8, 6)
    assert once["b3"] == each["b3"]


def test_names_that_occur_once_change_nothing() -> None:
    numbers = np.arange(5)
    assert surplus(numbers * 0, numbers // 2, numbers, 1) is NO_SURPLUS

"""Companions of a pair, against a slow reference."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cdec.auditing import companions


@st.composite
def supported_pairs(draw: st.DrawFn) -> tuple[np.ndarray, ...]:
    size = draw(st.integers(2, 9))
    sentence = np.sort(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)))
    pairs = sorted(draw(st.sets(st.sampled_from(list(combinations(range(size), 2))), min_size=1)))
    supported = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    left, right = (np.array(side) for side in zip(*pairs, strict=True))
    return left, right, sentence, np.array(supported)


@given(supported_pairs())
def test_companions_by_definition(drawn: tuple[np.ndarray, ...]) -> None:
    left, right, sentence, supported = drawn
    actual = companions(left, right, sentence, supported)
    for row, (a, b) in enumerate(zip(left, right, strict=True)):
        ends = (sentence[a], sentence[b])
        others = [
            (x, y)
            for x, y, counts in zip(left, right, supported, strict=True)
            if counts and ends[0] != ends[1] and (sentence[x], sentence[y]) == ends
        ]
        lefts = {x for x, _ in others} - {a}
        rights = {y for _, y in others} - {b}
        assert actual[row] == min(len(lefts), len(rights))


def test_linked_effects_support_a_link_of_their_cause() -> None:
    # quake, tsunami, killed in one sentence; earthquake, tsunami, killed in another.
    sentence = np.array([0, 0, 0, 1, 1, 1])
    left, right = np.array([0, 1, 2]), np.array([3, 4, 5])
    assert companions(left, right, sentence, np.array([False, True, True])).tolist() == [2, 1, 1]

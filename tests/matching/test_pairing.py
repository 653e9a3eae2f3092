"""Alignment of mentions: the rules, one to one, ties in text order, and a slow version of it."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdec.matching import (
    FilePolicy,
    Rule,
    Spans,
    common,
    identities,
    overlapping,
    paired,
    shared_words,
)
from tests.refusals import refused

RULES = ("exact", "partial", "head", "overlap:0.5", "overlap:0.01")
mention = st.sets(st.integers(0, 7), min_size=1, max_size=4).map(sorted)


@st.composite
def sides(draw: st.DrawFn, size: int = 4) -> Spans:
    """A side without repeated mentions."""
    sets = draw(st.lists(mention, max_size=size, unique_by=tuple))
    return Spans.of(sets, head=[draw(st.sampled_from(tokens)) for tokens in sets])


def tokens(spans: Spans) -> list[set[int]]:
    return [
        set(spans.places[a:b].tolist())
        for a, b in zip(spans.bounds[:-1], spans.bounds[1:], strict=True)
    ]


def weight(key: Spans, response: Spans, rule: Rule, i: int, j: int) -> Fraction:
    """The weight of a pair by the definitions; 0 if the rule does not allow it."""
    ours, theirs = tokens(key)[i], tokens(response)[j]
    share = Fraction(len(ours & theirs), len(ours))
    union = Fraction(len(ours & theirs), len(ours | theirs))
    return {
        "exact": Fraction(0),
        "partial": share if theirs <= ours and int(key.head[i]) in theirs else Fraction(0),
        "head": share if key.head[i] == response.head[j] else Fraction(0),
        "overlap": union if union and union >= rule.threshold else Fraction(0),
    }[rule.kind]


@pytest.mark.parametrize("text", RULES)
@given(key=sides(), response=sides())
def test_equal_mentions_first_then_the_greatest_total(
    text: str, key: Spans, response: Spans
) -> None:
    rule = Rule.parse(text)
    partner = paired(key, response, rule).tolist()
    used = [row for row in partner if row >= 0]
    assert len(used) == len(set(used))
    equal = {
        j: i
        for j, theirs in enumerate(tokens(response))
        for i, ours in enumerate(tokens(key))
        if ours == theirs
    }
    assert {j: partner[j] for j in equal} == equal
    rows = [i for i in range(len(key)) if i not in equal.values()]
    cols = [j for j in range(len(response)) if j not in equal]
    total = sum(weight(key, response, rule, partner[j], j) for j in cols if partner[j] >= 0)
    assert all(weight(key, response, rule, partner[j], j) for j in cols if partner[j] >= 0)
    padded = [*rows, *[-1] * len(cols)]
    best = max(
        (
            sum(
                weight(key, response, rule, i, j)
                for i, j in zip(choice, cols, strict=True)
                if i >= 0
            )
            for choice in permutations(padded, len(cols))
        ),
        default=Fraction(0),
    )
    assert total == best


def test_ties_go_to_the_earliest_in_text_order() -> None:
    key = Spans.of([[5, 6], [1, 2]], head=[5, 1])
    response = Spans.of([[6, 7], [5, 8], [2, 3]])
    assert paired(key, response, Rule.parse("overlap:0.1")).tolist() == [-1, 0, 1]
    same = Spans.of([[0, 1, 2, 3], [0, 1, 2, 3, 4]], head=[2, 2])
    other = Spans.of([[2, 9], [2, 8]], head=[2, 2])
    # 1/4 + 1/5 either way: the earliest with the earliest.
    assert paired(same, other, Rule("head")).tolist() == [1, 0]


def test_equal_words_with_another_head_are_equal_unless_the_caller_says_so() -> None:
    key, response = Spans.of([[1, 2]], head=[1]), Spans.of([[1, 2]], head=[2])
    assert paired(key, response, Rule("head"), np.array([-1])).tolist() == [-1]
    assert paired(key, response, Rule("head")).tolist() == [0]


@given(key=sides(), response=sides())
def test_pairs_with_common_words(key: Spans, response: Spans) -> None:
    rows, cols, shared = overlapping(key, response)
    found = dict(zip(zip(rows.tolist(), cols.tolist(), strict=True), shared.tolist(), strict=True))
    ours, theirs = tokens(key), tokens(response)
    every = {(i, j): len(a & b) for i, a in enumerate(ours) for j, b in enumerate(theirs)}
    assert found == {pair: size for pair, size in every.items() if size}
    i, j = np.array(list(every)).reshape(-1, 2).T.astype(np.int64)
    assert common(key, response, i, j).tolist() == list(every.values())


@given(key=sides(), response=sides())
def test_shared_words_are_the_best_sum(key: Spans, response: Spans) -> None:
    ours, theirs = shared_words(key, response)
    assert ours.sum() == theirs.sum()
    rows, cols = tokens(key), tokens(response)
    padded = [*range(len(rows)), *[-1] * len(cols)]
    best = max(
        (
            sum(len(rows[i] & cols[j]) for j, i in enumerate(choice) if i >= 0)
            for choice in permutations(padded, len(cols))
        ),
        default=0,
    )
    assert ours.sum() == best


@given(one=sides(), other=sides())
def test_identities_are_equal_where_the_tokens_are(one: Spans, other: Spans) -> None:
    codes = np.concatenate(identities(one, other)).tolist()
    sets = [*tokens(one), *tokens(other)]
    for a, code in zip(sets, codes, strict=True):
        assert [x == code for x in codes] == [x == a for x in sets]


@pytest.mark.parametrize("text", ["heads", "overlap", "overlap:0", "overlap:1.5", "overlap:-1"])
def test_an_unknown_rule_is_refused(text: str) -> None:
    with refused("name-unknown", text):
        FilePolicy(alignment=text)

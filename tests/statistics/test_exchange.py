"""Randomisation tests equal an exhaustive enumeration of exchanges."""

from collections.abc import Sequence
from itertools import product
from typing import TypeAlias

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdec.arrays import Floats, Ints
from cdec.metadocument import MetaDocuments
from cdec.metrics import ALL, derive, measure
from cdec.metrics.contingency import Contingency
from cdec.statistics import Pair, Plan, Units, aligned, holm, randomisation

F1 = list(ALL)
Labels: TypeAlias = "Sequence[int] | Ints"
UNIT = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]


def case(
    meta: Labels, key: Labels, response: Labels, unit: Labels
) -> tuple[MetaDocuments, pd.DataFrame]:
    """Meta-documents of label lists, and their units; −1 where the response lacks the mention."""
    index = pd.Index([f"m{number}" for number in range(len(key))])
    table = pd.DataFrame(
        {"meta": [f"d{m}" for m in meta], "key": key, "response": response}, index=index
    )
    table["response"] = table["response"].astype(float).mask(table["response"] == -1)
    mentions = pd.DataFrame({"topic": [f"t{u}" for u in unit]}, index=index)
    return MetaDocuments(table), mentions


def f1(key: Labels, response: Labels, meta: Labels) -> Floats:
    contingency = Contingency.from_labels(np.array(key), np.array(response), np.array(meta))
    return np.array([derive(measure(contingency))[name].f1 for name in F1])


def by_hand(meta: Labels, key: Labels, first: Labels, second: Labels) -> Floats:
    """The p-value of every metric over all exchanges of the three units of UNIT."""

    def gap(moved: Sequence[bool]) -> Floats:
        one = [b if moved[u] else a for a, b, u in zip(first, second, UNIT, strict=True)]
        two = [a if moved[u] else b for a, b, u in zip(first, second, UNIT, strict=True)]
        return np.abs(f1(key, one, meta) - f1(key, two, meta))

    seen = gap([False] * 3)
    gaps = [gap(moved) for moved in product([False, True], repeat=3)]
    share: Floats = np.mean([each >= seen - 1e-12 for each in gaps], axis=0)
    return share


labels = st.lists(st.integers(0, 3), min_size=12, max_size=12)
with_gaps = st.lists(st.integers(-1, 3), min_size=12, max_size=12)


@given(labels, with_gaps, with_gaps)
@settings(max_examples=40)
def test_separate_units_give_an_exact_test(
    key: list[int], first: list[int], second: list[int]
) -> None:
    sides = [case(UNIT, key, response, UNIT) for response in (first, second)]
    units = Units.of_mentions("topic", [mentions for _, mentions in sides])
    result = randomisation(sides[0][0], sides[1][0], units)
    assert (result.exact, result.exchanges) == (True, 8)
    assert result.p == pytest.approx(by_hand(UNIT, key, first, second))


@given(labels, with_gaps, with_gaps)
@settings(max_examples=40)
def test_in_one_meta_document_aligned_chains_are_exchanged_as_one(
    key: list[int], first: list[int], second: list[int]
) -> None:
    meta = [0] * 12
    sides = [case(meta, key, response, UNIT) for response in (first, second)]
    units = Units.of_mentions("topic", [mentions for _, mentions in sides])
    result = randomisation(sides[0][0], sides[1][0], units)
    pair = Pair.from_meta_documents(sides[0][0], sides[1][0], units)
    expected = by_hand(meta, key, pair.first, pair.second)
    assert (result.exact, result.exchanges) == (True, 8)
    assert result.p == pytest.approx(expected)


@given(labels, with_gaps, with_gaps)
def test_alignment_only_renames_chains(key: list[int], first: list[int], second: list[int]) -> None:
    meta = np.array([0] * 6 + [1] * 6)
    ours, theirs = aligned(np.array(first), np.array(second), meta)
    for before, after in ((first, ours), (second, theirs)):
        kept = f1(key, before, meta)
        assert f1(key, after, meta) == pytest.approx(kept)


def test_aligned_chains_share_most_mentions() -> None:
    ours, theirs = aligned(np.array([0, 0, 0, 1]), np.array([5, 5, 7, 7]), np.zeros(4, int))
    assert theirs[0] == ours[0]
    assert theirs[3] == ours[3]


def test_equal_systems_have_p_1() -> None:
    table, mentions = case([0] * 6, [0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 3], [0, 0, 1, 1, 2, 2])
    result = randomisation(table, table, Units.of_mentions("topic", [mentions]))
    assert (result.p == 1).all()


def test_random_exchanges_include_the_observed_one() -> None:
    rng = np.random.default_rng(5)
    unit = list(range(30)) * 4
    key = [u * 10 + int(rng.integers(2)) for u in unit]
    good = [k if rng.random() < 0.95 else -k - 2 for k in key]
    bad = [k if rng.random() < 0.4 else 1000 + n for n, k in enumerate(key)]
    sides = [case(unit, key, response, unit) for response in (good, bad)]
    units = Units.of_mentions("topic", [mentions for _, mentions in sides])
    result = randomisation(sides[0][0], sides[1][0], units, Plan(exchanges=99), ["b3"])
    assert (result.exact, result.exchanges) == (False, 99)
    assert result.p == pytest.approx([1 / 100])


def test_holm_on_the_worked_example() -> None:
    # Holm (1979), section 3, step-down: 0.01·4, 0.02·3, 0.03·2, 0.04·1, made monotonic.
    assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []

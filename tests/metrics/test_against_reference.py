"""Every metric equals its slow reference implementation, alone and pooled."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdec.metrics import METRICS, Counts, measure
from cdec.metrics.contingency import Contingency
from tests.metrics.reference import REFERENCE
from tests.strategies import LabelPair, LabelTriple, label_pairs, label_triples


def chains(labels: list[int]) -> list[set[str]]:
    groups: dict[int, set[str]] = {}
    for mention, label in enumerate(labels):
        if label != -1:
            groups.setdefault(label, set()).add(f"m{mention}")
    return list(groups.values())


def assert_equal(counts: Counts, expected: Sequence[Fraction | float]) -> None:
    actual = (counts.p_num, counts.p_den, counts.r_num, counts.r_den)
    assert actual == pytest.approx([float(x) for x in expected], rel=1e-12, abs=1e-12)


def test_every_metric_has_a_reference_implementation() -> None:
    assert REFERENCE.keys() == METRICS.keys()


@pytest.mark.parametrize("name", METRICS)
@given(label_pairs(max_mentions=9))
@settings(max_examples=300)
def test_small_cases(name: str, pair: LabelPair) -> None:
    key, response = pair
    counts = measure(Contingency.from_labels(key, response), [name])[name]
    assert_equal(counts, REFERENCE[name](chains(key), chains(response)))


@pytest.mark.parametrize("name", sorted(METRICS.keys() - {"ceafm", "ceafe"}))
@given(label_pairs(max_mentions=60))
@settings(max_examples=50)
def test_longer_cases(name: str, pair: LabelPair) -> None:
    key, response = pair
    counts = measure(Contingency.from_labels(key, response), [name])[name]
    assert_equal(counts, REFERENCE[name](chains(key), chains(response)))


@pytest.mark.parametrize("name", METRICS)
@given(label_triples(max_mentions=14))
@settings(max_examples=100)
def test_pooled_counts_are_the_sum_over_meta_documents(name: str, triple: LabelTriple) -> None:
    key, response, meta = triple
    parts = []
    for document in set(meta):
        inside = [i for i, d in enumerate(meta) if d == document]
        sides = ([labels[i] for i in inside] for labels in (key, response))
        parts.append(measure(Contingency.from_labels(*sides), [name])[name])
    pooled = measure(Contingency.from_labels(key, response, meta), [name])[name]
    total = Counts.sum(parts)
    assert_equal(pooled, (total.p_num, total.p_den, total.r_num, total.r_den))


@given(st.data())
def test_label_lists_and_sets_describe_the_same_chains(data: st.DataObject) -> None:
    key, _ = data.draw(label_pairs())
    contingency = Contingency.from_labels(key, key)
    assert sorted(contingency.key_sizes) == sorted(len(chain) for chain in chains(key))

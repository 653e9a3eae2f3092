"""Laws of the metrics, on random clusterings."""

import random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cdec.metrics import METRICS, Counts, Value, derive, measure
from cdec.metrics.contingency import Contingency
from tests.strategies import LabelPair, LabelTriple, label_pairs, label_triples


def values(key: list[int], response: list[int]) -> dict[str, Value]:
    return derive(measure(Contingency.from_labels(key, response)))


@given(label_pairs(twinless=False))
def test_a_perfect_response_scores_one_if_the_metric_is_defined(pair: LabelPair) -> None:
    labels, _ = pair
    counts = measure(Contingency.from_labels(labels, labels))
    for name, value in derive(counts).items():
        if name in counts:
            assert tuple(value) == ((1, 1, 1) if counts[name].r_den else (0, 0, 0)), name
    assert derive(counts)["blanc"].f1 == (1 if len(labels) > 1 else 0)


@given(label_pairs())
def test_swapping_key_and_response_swaps_precision_and_recall(pair: LabelPair) -> None:
    key, response = pair
    there, back = values(key, response), values(response, key)
    for name in METRICS:
        assert there[name] == Value(back[name].recall, back[name].precision, back[name].f1), name


@given(label_triples(60), st.randoms(use_true_random=False))
def test_labels_and_order_have_no_effect_on_any_digit(
    triple: LabelTriple, rng: random.Random
) -> None:
    key, response, meta = triple
    names = rng.sample(range(10_000), 80)
    order = rng.sample(range(len(key)), len(key))
    left, right = (
        [names[side[i]] if side[i] >= 0 else -1 for i in order] for side in (key, response)
    )
    documents = [names[meta[i]] for i in order]
    before = measure(Contingency.from_labels(key, response, meta))
    assert measure(Contingency.from_labels(left, right, documents)) == before


@pytest.mark.parametrize("metric", ["b3", "ceafe", "lea"])
def test_order_has_no_effect_on_the_last_digit(metric: str) -> None:
    chance = np.random.default_rng(3)
    mentions = chance.integers(0, 60, (400, 2))
    counts = set()
    for _ in range(20):
        key, response = chance.permutation(mentions).T
        counts.add(measure(Contingency.from_labels(key, response), [metric])[metric])
    assert len(counts) == 1


@given(label_pairs())
def test_every_value_is_between_0_and_1(pair: LabelPair) -> None:
    for name, value in values(*pair).items():
        assert all(0 <= number <= 1 for number in value if number is not None), name


@given(label_pairs())
def test_f1_is_between_precision_and_recall(pair: LabelPair) -> None:
    for name, counts in measure(Contingency.from_labels(*pair)).items():
        low, high = sorted((counts.precision, counts.recall))
        assert low - 1e-12 <= counts.f1 <= high + 1e-12, name


def union(first: LabelPair, second: LabelPair) -> list[list[int]]:
    """Both pairs of labels in one document, without a common chain."""
    return [
        left + [label + 100 if label >= 0 else -1 for label in right]
        for left, right in zip(first, second, strict=True)
    ]


def mentions(pair: LabelPair) -> tuple[int, int, int]:
    """Mentions of the key, of the response, and common ones."""
    key, response = ([label >= 0 for label in side] for side in pair)
    return sum(key), sum(response), sum(k and r for k, r in zip(key, response, strict=True))


@given(label_pairs(), label_pairs())
def test_counts_of_a_disjoint_union_add_except_non_coreference_links(
    first: LabelPair, second: LabelPair
) -> None:
    """Two parts of one document: only non-coreference links include pairs across the parts."""
    parts = [measure(Contingency.from_labels(*pair)) for pair in (first, second)]
    whole = measure(Contingency.from_labels(*union(first, second)))
    (key, response, common), (key2, response2, common2) = mentions(first), mentions(second)
    across = Counts(common * common2, response * response2, common * common2, key * key2)
    for name in METRICS:
        expected = Counts.sum(part[name] for part in parts)
        if name == "blanc_noncoref":
            expected += across
        for field in ("p_num", "p_den", "r_num", "r_den"):
            actual = getattr(whole[name], field)
            assert actual == pytest.approx(getattr(expected, field), rel=1e-12), (name, field)


@given(label_pairs(), label_pairs())
def test_meta_documents_keep_links_inside(first: LabelPair, second: LabelPair) -> None:
    """The same two parts as two meta-documents: all counts add."""
    key, response = ([*a, *b] for a, b in zip(first, second, strict=True))
    meta = [0] * len(first[0]) + [1] * len(second[0])
    pooled = measure(Contingency.from_labels(key, response, meta))
    parts = [measure(Contingency.from_labels(*pair)) for pair in (first, second)]
    for name in METRICS:
        expected = Counts.sum(part[name] for part in parts)
        for field in ("p_num", "p_den", "r_num", "r_den"):
            actual = getattr(pooled[name], field)
            assert actual == pytest.approx(getattr(expected, field), rel=1e-12), (name, field)


def test_pooling_and_averaging_differ() -> None:
    documents = [([0, 0, 0, 0], [0, 0, 1, 1]), ([0, 0], [0, 0])]
    parts = [measure(Contingency.from_labels(*pair), ["muc"])["muc"] for pair in documents]
    assert Counts.sum(parts).recall == 3 / 4
    assert sum(part.recall for part in parts) / 2 == pytest.approx(5 / 6)


@given(label_pairs())
def test_lower_bounds_of_ceaf(pair: LabelPair) -> None:
    """Bounds of the alignment: all common mentions, and the best pair of chains."""
    contingency = Contingency.from_labels(*pair)
    assume(len(contingency.overlap))
    aligned = measure(contingency, ["ceafm"])["ceafm"].p_num
    assert contingency.overlap.max() <= aligned <= contingency.overlap.sum()

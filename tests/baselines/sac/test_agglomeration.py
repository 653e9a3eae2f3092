from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdec.pairs import LINKS, Candidates, Link, grow
from tests.refusals import refused

Partition = set[frozenset[int]]


def pairs_of(scores: dict[tuple[int, int], float]) -> tuple[Candidates, np.ndarray]:
    ends = np.array(list(scores), dtype=np.int64).reshape(-1, 2)
    ones = np.ones(len(scores), dtype=np.float32)
    return Candidates(ends[:, 0], ends[:, 1], ones), np.array(list(scores.values()), dtype=float)


def naive(
    scores: dict[tuple[int, int], float], size: int, threshold: float, link: str
) -> Partition:
    """Join the best two of all clusters until no link reaches the threshold."""
    clusters = [frozenset([i]) for i in range(size)]

    def value(a: frozenset[int], b: frozenset[int]) -> float:
        links = [scores.get((min(i, j), max(i, j)), 0.0) for i in a for j in b]
        mean = sum(links) / len(links)
        return {"single": max(links), "complete": min(links), "average": mean}[link]

    while len(clusters) > 1:
        a, b = max(combinations(clusters, 2), key=lambda two: value(*two))
        if value(a, b) < threshold:
            break
        clusters = [c for c in clusters if c not in (a, b)] + [a | b]
    return set(clusters)


def partition(labels: np.ndarray) -> Partition:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}


@st.composite
def graphs(draw: st.DrawFn) -> tuple[dict[tuple[int, int], float], int]:
    """Distinct probabilities: there are no ties."""
    size = draw(st.integers(1, 9))
    every = list(combinations(range(size), 2))
    chosen = draw(st.sets(st.sampled_from(every))) if every else set()
    chance = np.random.default_rng(draw(st.integers(0, 10**6)))
    return {pair: float(chance.random()) for pair in sorted(chosen)}, size


@pytest.mark.parametrize("link", LINKS)
@given(graphs(), st.floats(0.05, 0.95))
def test_clustering_equals_the_naive_algorithm(
    link: Link, graph: tuple[dict[tuple[int, int], float], int], threshold: float
) -> None:
    scores, size = graph
    pairs, p = pairs_of(scores)
    expected = naive(scores, size, threshold, link)
    assert partition(grow(pairs, p, size, threshold, link).cut(threshold)) == expected
    # The trees for a lower threshold are valid for a higher one.
    assert partition(grow(pairs, p, size, 0.04, link).cut(threshold)) == expected


def test_a_missing_pair_counts_as_zero_in_the_mean() -> None:
    pairs, p = pairs_of({(0, 1): 0.9, (1, 2): 0.6})
    assert partition(grow(pairs, p, 3, 0.1).cut(0.3)) == {frozenset({0, 1, 2})}
    assert partition(grow(pairs, p, 3, 0.1).cut(0.31)) == {frozenset({0, 1}), frozenset({2})}
    assert len(partition(grow(pairs, p, 3, 0.1, "single").cut(0.6))) == 1


def test_reaching_the_threshold_is_enough() -> None:
    pairs, p = pairs_of({(0, 1): 0.3})
    assert len(partition(grow(pairs, p, 2, 0.3).cut(0.3))) == 1


def test_a_cluster_is_named_by_its_first_mention() -> None:
    pairs, p = pairs_of({(1, 3): 0.9, (0, 2): 0.8})
    assert grow(pairs, p, 5, 0.5).cut(0.5).tolist() == [0, 1, 0, 1, 4]


def test_no_pairs_no_clusters() -> None:
    pairs, p = pairs_of({})
    assert grow(pairs, p, 3, 0.5).cut(0.5).tolist() == [0, 1, 2]
    assert grow(pairs, p, 0, 0.5).cut(0.5).tolist() == []


def test_invalid_arguments() -> None:
    pairs, p = pairs_of({(0, 1): 0.3})
    with refused("name-unknown", "unknown link", "did you mean 'average'"):
        grow(pairs, p, 2, 0.5, "averge")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="lowest"):
        grow(pairs, p, 2, 0.0)

"""Clusterings that are hard to align: the result is exact, and the time limited.

The peers are the alternatives to peeling: a dense assignment, and SciPy's sparse solver on the
whole problem.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array, eye_array, hstack
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from cdec.metrics import measure
from cdec.metrics.contingency import Contingency
from tests.benchmarks import made_up
from tests.benchmarks.clock import Benchmark, seconds

HUNDRED_THOUSAND = 100_000


def ceaf_e(contingency: Contingency) -> float:
    return measure(contingency, ["ceafe"])["ceafe"].p_num


def similarity(contingency: Contingency) -> csr_array:
    rows, cols, overlap = contingency.rows, contingency.cols, contingency.overlap
    weight = 2 * overlap / (contingency.key_sizes[rows] + contingency.response_sizes[cols])
    return csr_array(
        (weight, (rows, cols)), shape=(len(contingency.key_sizes), len(contingency.response_sizes))
    )


def by_dense_assignment(contingency: Contingency) -> float:
    matrix = similarity(contingency).toarray()
    return float(matrix[linear_sum_assignment(matrix, maximize=True)].sum())


def by_sparse_assignment(contingency: Contingency) -> float:
    matrix = similarity(contingency)
    matrix.data += 1
    full = hstack([matrix, eye_array(matrix.shape[0])], format="csr")
    rows, cols = min_weight_full_bipartite_matching(full, maximize=True)
    return float(full[rows, cols].sum() - len(rows))


def test_a_path(benchmark: Benchmark) -> None:
    contingency = Contingency.from_labels(*made_up.path(HUNDRED_THOUSAND))
    aligned = benchmark.pedantic(ceaf_e, args=(contingency,), rounds=3)
    np.testing.assert_allclose(aligned, 4 / 3 + (HUNDRED_THOUSAND / 2 - 2) / 2, rtol=1e-12)

    peer = seconds(lambda: by_sparse_assignment(contingency))
    tenth = Contingency.from_labels(*made_up.path(HUNDRED_THOUSAND // 10))
    growth = benchmark.stats.stats.min / seconds(lambda: ceaf_e(tenth), rounds=5)
    benchmark.extra_info |= {
        "goal_s": 2,
        "median_s": round(benchmark.stats.stats.median, 3),
        "sparse_solver_s": round(peer, 3),
        "growth_for_10_times_the_mentions": round(growth, 1),
    }
    print(benchmark.extra_info)
    assert benchmark.stats.stats.min <= peer / 2


def test_unrelated_partitions(benchmark: Benchmark) -> None:
    contingency = Contingency.from_labels(*made_up.unrelated(HUNDRED_THOUSAND))
    aligned = benchmark.pedantic(ceaf_e, args=(contingency,), rounds=2)
    peer_result: list[float] = []
    peer = seconds(lambda: peer_result.append(by_sparse_assignment(contingency)))
    np.testing.assert_allclose(aligned, peer_result[0], rtol=1e-9)

    tenth = Contingency.from_labels(*made_up.unrelated(HUNDRED_THOUSAND // 10))
    own, dense = seconds(lambda: ceaf_e(tenth)), seconds(lambda: by_dense_assignment(tenth))
    np.testing.assert_allclose(ceaf_e(tenth), by_dense_assignment(tenth), rtol=1e-12)
    benchmark.extra_info |= {
        "goal_s": 10,
        "median_s": round(benchmark.stats.stats.median, 3),
        "sparse_solver_s": round(peer, 3),
        "dense_on_a_tenth_s": round(dense, 3),
        "own_on_a_tenth_s": round(own, 4),
    }
    print(benchmark.extra_info)
    assert benchmark.stats.stats.min <= 2 * peer
    assert own <= dense


def test_long_cycles(benchmark: Benchmark) -> None:
    """Chains of two around one ring, with mentions of random weight: linear, as a path is."""
    rng = np.random.default_rng(7)
    ring, times = np.arange(HUNDRED_THOUSAND), rng.integers(1, 5, HUNDRED_THOUSAND)
    sides = (ring // 2, (ring + 1) % HUNDRED_THOUSAND // 2)
    key, response = (np.repeat(side, times) for side in sides)
    contingency = Contingency.from_labels(key, response)
    benchmark.pedantic(ceaf_e, args=(contingency,), rounds=2)
    path = Contingency.from_labels(*made_up.path(HUNDRED_THOUSAND))
    peer = seconds(lambda: ceaf_e(path), rounds=2)
    benchmark.extra_info |= {"goal_s": 1, "times_a_path": benchmark.stats.stats.min / peer}
    print(benchmark.extra_info)
    assert benchmark.stats.stats.min <= 3 * peer

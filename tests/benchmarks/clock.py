"""Timing in a benchmark: the limit is a ratio to a peer in the same run, not seconds."""

from collections.abc import Callable
from time import perf_counter
from typing import Any, TypeAlias

Benchmark: TypeAlias = Any
"""The fixture of pytest-benchmark, which has no types."""


def seconds(
    work: Callable[[], Any], rounds: int = 1, clock: Callable[[], float] = perf_counter
) -> float:
    """The shortest time of ``rounds`` calls."""
    times = []
    for _ in range(rounds):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)

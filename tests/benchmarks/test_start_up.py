"""Start-up of the command line and of the package, compared with imports that it needs."""

from __future__ import annotations

import subprocess
import sys

from tests.benchmarks.clock import Benchmark, seconds

TIMES_SLOWER = 2.5


def _run(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def test_help_is_a_small_multiple_of_the_import_of_typer(benchmark: Benchmark) -> None:
    benchmark.pedantic(_run, args=("-m", "cdec", "--help"), rounds=5)
    peer = seconds(lambda: _run("-c", "import typer.rich_utils"), rounds=5)
    ratio = benchmark.stats.stats.min / peer
    benchmark.extra_info |= {"goal_s": 0.5, "times_typer": round(ratio, 2)}
    print(benchmark.extra_info)
    assert ratio < TIMES_SLOWER


def test_a_first_score_costs_little_more_than_pandas_and_scipy(benchmark: Benchmark) -> None:
    benchmark.pedantic(_run, args=("-c", "import cdec; cdec.score"), rounds=7)
    scipy = "import pandas, scipy.sparse, scipy.optimize"
    peer = seconds(lambda: _run("-c", scipy), rounds=7)
    ratio = benchmark.stats.stats.min / peer
    benchmark.extra_info |= {"goal": 1.1, "times_pandas_and_scipy": round(ratio, 2)}
    print(benchmark.extra_info)
    assert ratio < 1.25  # a busy machine

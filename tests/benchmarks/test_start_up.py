"""Start-up time of the command line, compared with the import of its help library."""

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

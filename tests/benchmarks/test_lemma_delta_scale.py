"""Lemma-δ on two million mentions, from the corpus to the file, in a new process.

The limit for 100,000 documents with 2,000,000 mentions is 10 minutes and 12 GiB on two cores.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.clock import Benchmark
from tests.benchmarks.predict_at_scale import STAGES, measured


@pytest.mark.slow
def test_a_hundred_thousand_documents(benchmark: Benchmark, tmp_path: Path) -> None:
    arguments = (100_000, tmp_path / "response.conll")
    figures = benchmark.pedantic(measured, args=arguments, rounds=1)
    benchmark.extra_info |= figures
    assert sum(figures[stage] for stage in STAGES) < 600
    assert figures["peak_gib"] < 12

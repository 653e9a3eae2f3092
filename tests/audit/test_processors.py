"""The short-list is the same on every kind of processor: its bytes, and so its order.

OpenBLAS and numpy choose their code by the processor; here they are told to choose older code.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cdec.arrays import Floats
from cdec.auditing import Rows, ShortList, held_out, rounded

OLDER = {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F"}
HASWELL = {"OPENBLAS_CORETYPE": "Haswell"}


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() != "x86_64", reason="names of processors of one family")
@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_the_short_list_of_the_sample(ending: str, tmp_path: Path) -> None:
    written = []
    for number, kind in enumerate(({}, OLDER, HASWELL)):
        file = tmp_path / f"{number}.{ending}"
        call = ["audit", "run", "--corpus", "sample", "-q", "-o", str(file)]
        program = [sys.executable, "-W", "ignore", "-m", "cdec", *call]
        subprocess.run(program, env=os.environ | kind, check=True)
        written.append(file.read_bytes())
    assert written[0] == written[1] == written[2]


def test_log_odds_have_more_than_single_precision() -> None:
    """Pairs in single precision, as the pool has them, and the same in double precision."""
    chance = np.random.default_rng(0)
    x = chance.normal(size=(3000, 20)).astype(np.float32)
    x[:, 1:9] += 30 * x[:, [0]]  # columns that are alike, as the features are
    linked, topics = x[:, 0] + chance.normal(size=len(x)) > 1, chance.integers(0, 5, len(x))
    single, double = (
        held_out(Rows(rows, topics), linked, Rows(rows, topics), 5)[0]
        for rows in (x, x.astype(np.float64))
    )
    assert np.abs(single - double).max() < 1e-9


def test_ties_do_not_depend_on_the_last_digit() -> None:
    values: Floats = np.array([0.1 + 0.2, 0.3])
    assert len(set(rounded(values).tolist())) == 1


def test_scores_are_rounded_before_cases_are_ordered(scored_cases: ShortList) -> None:
    scores = [case.score for case in scored_cases.cases if case.score is not None]
    assert len(scores) == len(scored_cases.cases)
    for score, case in zip(scores, scored_cases.cases, strict=True):
        assert all(round(v, 6) == v for v in (score, *case.detectors.values()))
    assert scores == sorted(scores, reverse=True)

"""The same bytes for all threads, hash seeds, locales, time zones and caches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from cdec.arrays import Floats
from cdec.baselines.sac import Linear, mean_logits
from cdec.statistics import weighted
from tests import THREADS
from tests.robustness.runs import CALLS_OF_STDIN

# Calls that use the files of earlier calls.
CALLS = """
eval -f json -o eval.json
eval -s pure -s st --system lemma --ci --resamples 60 -f json -o ci.json
predict --system lemma-delta -o response.conll
tune lemma-delta --plot curve.svg -o delta.toml
train sac -o sac.model
predict --system sac --model sac.model -o sac.jsonl
compare lemma lemma-wd -s st -s pure --resamples 60 --exchanges 60 -f json -o compare.json
diagnose lemma response.conll -f html -o diagnosis.html
report eval.json --response lemma --response response.conll --resamples 60 -o report.html
reproduce all --resamples 20 -f html -o reproduction.html --chart ranking.svg
audit run -o cases.jsonl
audit review cases.jsonl -o review.html
audit benchmark --errors {errors} --seeds 1 -f json -o benchmark.json
corpus export -s pure -r response.conll -o exported.conll
corpus stats -f json -o stats.json
"""
# Those that neither train nor draw charts.
SHORT = """
eval -s pure -s st --system lemma --system lemma-wd --ci --resamples 60 -f json -o ci.json
predict --system lemma-delta -o response.conll
compare lemma lemma-wd -s st --resamples 20 --exchanges 20 -f json -o compare.json
diagnose lemma-wd response.conll -f html -o diagnosis.html
corpus export -s pure -r response.conll -o exported.conll
corpus stats -f json -o stats.json
"""
ONE = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "LOKY_MAX_CPU_COUNT"), "1")
ABROAD = {"LC_ALL": "C", "LANG": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu"}
ELSEWHERE = ONE | ABROAD | {"PYTHONHASHSEED": "1"}


def outputs(folder: Path, environment: Mapping[str, str], calls: str) -> dict[str, bytes]:
    """Return the output and files of the calls in a folder with a new cache."""
    threads = {name: value for name, value in os.environ.items() if name not in THREADS}
    files = folder / "files"
    files.mkdir(parents=True)
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CALLS_OF_STDIN],
        input=calls.strip().encode(),
        cwd=files,
        env=threads | {"CDEC_CACHE": str(folder / "cache")} | dict(environment),
        capture_output=True,
        check=False,
    )
    assert (run.returncode, run.stderr.decode()) == (0, "")
    return {path.name: path.read_bytes() for path in files.iterdir()} | {"stdout": run.stdout}


def test_short_calls_elsewhere(tmp_path: Path) -> None:
    here = outputs(tmp_path / "here", {}, SHORT)
    check_same(outputs(tmp_path / "elsewhere", ELSEWHERE, SHORT), here, 7)


@pytest.mark.slow
def test_the_sample_elsewhere(tmp_path: Path) -> None:
    calls = CALLS.format(errors=5)
    here = outputs(tmp_path / "here", {}, calls)
    check_same(outputs(tmp_path / "elsewhere", ELSEWHERE, calls), here)


@pytest.mark.slow
def test_ecbplus_elsewhere_and_with_a_warm_cache(ecbplus: Path, tmp_path: Path) -> None:
    corpus = {"CDEC_ECBPLUS": str(ecbplus)}
    calls = CALLS.format(errors=100)
    here = outputs(tmp_path / "here", corpus, calls)
    check_same(outputs(tmp_path / "elsewhere", corpus | ELSEWHERE, calls), here)
    (tmp_path / "here" / "files").rename(tmp_path / "first")
    check_same(outputs(tmp_path / "here", corpus, calls), here)


def check_same(actual: dict[str, bytes], expected: dict[str, bytes], number: int = 18) -> None:
    assert len(expected) == number
    assert actual.keys() == expected.keys()
    assert [name for name in expected if actual[name] != expected[name]] == []


def with_threads(work: Callable[[], Floats]) -> list[bytes]:
    """Return the result with one thread, and with two."""
    results = []
    for count in (1, 2):
        with threadpool_limits(count):
            results.append(work().tobytes())
    return results


def test_sums_of_a_model_and_of_units_do_not_depend_on_threads() -> None:
    chance = np.random.default_rng(0)
    rows = chance.random((100_003, 40))
    model, features = Linear(chance.random(40), 0.5), rows.astype(np.float32)
    one, two = with_threads(lambda: mean_logits((model,), features))
    assert one == two
    draws, each = np.floor(4 * rows[:10_001]), chance.random((40, 7, 4))
    one, two = with_threads(lambda: weighted(draws, each))
    assert one == two


@pytest.mark.parametrize(
    ("call", "fields"),
    [
        ("eval --system sac -s pure --ci --resamples 20 --seed 7", {"training_seed": 1, "seed": 7}),
        ("compare lemma lemma-wd -s st --resamples 20 --exchanges 20 --seed 7", {"seed": 7}),
        ("audit benchmark --errors 5 --seeds 2", {"seeds": 2}),
    ],
)
def test_the_signature_has_the_seed_of_random_values(
    call: str, fields: dict[str, int], done: Callable[..., str]
) -> None:
    for signature in json.loads(done(*call.split(), "-f", "json"))["signatures"]:
        assert {name: signature.get(name) for name in fields} == fields


def test_the_reproduction_has_its_seeds_in_the_signature(done: Callable[..., str]) -> None:
    shown = done("reproduce", "intervals", "--resamples", 20, "--seed", 7, "-f", "markdown")
    assert "unit:topic-3+subtopic-6|resamples:20|seed:7|" in shown

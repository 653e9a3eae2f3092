"""A Dask cluster on this machine: a real scheduler and two workers, in processes of their own."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from cdec.arrays import Floats
from cdec.io import AHEAD, mapped, workers
from tests.refusals import refused

pytest.importorskip("distributed")
# Client and scheduler leave sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")

_SECONDS = 120


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def started(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-P", "-m", "dask", *arguments, "--no-dashboard"]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)


def wait_for(process: subprocess.Popen[str], pattern: str) -> re.Match[str]:
    assert process.stderr is not None
    for line in process.stderr:
        if match := re.search(pattern, line):
            return match
    raise AssertionError(f"the process ended without '{pattern}'")


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    process = started("scheduler", "--host", "127.0.0.1", "--port", str(free_port()))
    try:
        yield wait_for(process, r"Scheduler at:\s+(\S+)")[1]
    finally:
        process.terminate()
        process.wait(_SECONDS)


@pytest.fixture
def start_worker(scheduler: str, tmp_path: Path) -> Iterator[Callable[[], int]]:
    """Start a worker and return its process id."""
    processes: list[subprocess.Popen[str]] = []

    def start() -> int:
        place = str(tmp_path / str(len(processes)))
        options = ("--nthreads", "1", "--host", "127.0.0.1", "--no-nanny")
        process = started("worker", scheduler, *options, "--local-directory", place)
        processes.append(process)
        wait_for(process, r"Registered to:")
        return process.pid

    yield start
    for process in processes:
        process.kill()
        process.wait(_SECONDS)


def run(arguments: str, folder: Path, place: str = "") -> subprocess.CompletedProcess[str]:
    code = "from cdec.cli.start import main; main()"
    command = [sys.executable, "-P", "-c", code, *arguments.split()]
    environment = os.environ | {"CDEC_CACHE": str(folder / f"cache{place}")}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_a_scheduler_that_cannot_be_reached_is_one_line() -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    with refused("scheduler-unreachable", place=address), workers(scheduler=address):
        pass


@pytest.mark.slow
def test_a_scheduler_without_workers(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cdec.io.cluster.PATIENCE", 2)
    with refused("scheduler-unreachable", place=scheduler), workers(scheduler=scheduler):
        pass


@pytest.mark.slow
def test_a_worker_of_another_version(
    scheduler: str, start_worker: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    start_worker()
    monkeypatch.setattr("cdec.io.cluster.__version__", "0")
    with refused("scheduler-unreachable"), workers(scheduler=scheduler):
        pass


@pytest.mark.slow
def test_a_killed_worker_loses_nothing(scheduler: str, start_worker: Callable[[], int]) -> None:
    first, _ = start_worker(), start_worker()
    big = np.arange(200_000.0)
    expected = [float(number * big.sum()) for number in range(60)]
    with workers(scheduler=scheduler):
        taken: list[int] = []

        def rows() -> Iterator[Floats]:
            for number in range(60):
                taken.append(number)
                yield np.full(200_000, float(number))

        answers = mapped(np.dot, rows(), (big,))
        found = [next(answers)]
        assert len(taken) == 2 * AHEAD
        os.kill(first, signal.SIGKILL)
        assert [*found, *answers] == expected


@pytest.mark.slow
def test_what_is_shared_survives_the_end_of_all_workers(
    scheduler: str, start_worker: Callable[[], int]
) -> None:
    with_data = start_worker()
    with workers(scheduler=scheduler):
        answers = mapped(np.dot, (np.full(10, float(n)) for n in range(20)), (np.ones(10),))
        found = [next(answers)]
        start_worker()
        os.kill(with_data, signal.SIGKILL)
        assert [*found, *answers] == [10.0 * n for n in range(20)]


@pytest.mark.slow
def test_the_bytes_are_those_of_one_machine(
    scheduler: str, start_worker: Callable[[], int], tmp_path: Path
) -> None:
    for _ in range(2):
        start_worker()
    calls = {
        "eval": "eval --corpus sample --split test --system lemma -s all --ci --resamples 200 -q",
        "compare": "compare lemma lemma-wd --corpus sample --split test --resamples 200 -q",
        "predict": "predict --corpus sample --split test --system sac -q",
    }
    for name, call in calls.items():
        alone = run(f"{call} --jobs 1", tmp_path, "-one")
        there = run(f"{call} --scheduler {scheduler}", tmp_path, "-many")
        assert (alone.returncode, there.returncode) == (0, 0), there.stderr
        assert alone.stdout.encode() == there.stdout.encode(), name


@pytest.mark.slow
def test_the_thresholds_do_not_matter(
    scheduler: str,
    start_worker: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """All divisible work of the sample is sent, however small."""
    import cdec

    monkeypatch.setenv("CDEC_CACHE", str(tmp_path))
    corpus = cdec.load_corpus("sample")
    part = cdec.load_corpus("sample", "test")
    plan = cdec.Plan(resamples=100, exchanges=100)

    def everything() -> list[object]:
        found = cdec.audit(corpus).value
        scores = cdec.evaluate(part, ["lemma", "lemma-wd"], setting="all", ci=plan)
        compared = cdec.compare(part, ["lemma", "lemma-wd"], plan=plan)
        chains = cdec.predict(part, cdec.train(corpus, "sac"))
        return [
            [str(case) for case in found.cases],
            scores.to_frame().to_csv(),
            compared.to_frame().to_csv(),
            chains.labels.to_dict(),
        ]

    alone = everything()
    for module, name in (
        ("cdec.language.annotate", "WORTH"),
        ("cdec.language.pipeline", "WORTH"),
        ("cdec.statistics.tallies", "WORTH"),
        ("cdec.evaluation.experiment", "_WORTH"),
        ("cdec.auditing.detectors.held_out", "_WORTH"),
        ("cdec.baselines.sac.stream", "_WORTH"),
    ):
        monkeypatch.setattr(f"{module}.{name}", 0)
    monkeypatch.setenv("CDEC_CACHE", str(tmp_path / "again"))
    start_worker()
    start_worker()
    with workers(scheduler=scheduler):
        assert everything() == alone

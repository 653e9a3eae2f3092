"""After an interrupted run, the next one gives the same files as an undisturbed run."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest
from numpy.random import default_rng

from cdec.corpus import sample_path
from tests.robustness.runs import BEFORE, Job, Place, interrupted, session

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")

EVAL = Job("eval -q -s all --system lemma --system lemma-wd -f json -o out.json", ("out.json",))
PREDICT = Job("predict -q -o out.conll", ("out.conll",))
INSTALL = Job(f"corpus install {sample_path()} --name mine -q", ("data/corpora/mine.zip",))
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)

Undisturbed = Callable[[Job], tuple[dict[str, bytes], float]]


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Return a function: job → its files with a cold cache, and the seconds it took."""

    @cache
    def of(job: Job) -> tuple[dict[str, bytes], float]:
        place = Place(tmp_path_factory.mktemp("undisturbed"))
        return timed(lambda: place.run(job))

    return of


def whole(place: Place, job: Job, files: dict[str, bytes]) -> bool:
    """Return whether each file is unchanged or complete."""
    current = place.files(job)
    return all(current[name] in {BEFORE, files[name]} for name in job.files)


def prepared(place: Place, job: Job) -> None:
    for name in job.files:
        (place.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (place.folder / name).write_bytes(BEFORE)


@pytest.mark.parametrize(
    ("job", "by"),
    [
        (EVAL, signal.SIGINT),
        *(pytest.param(EVAL, by, marks=pytest.mark.slow) for by in SIGNALS[1:]),
        (INSTALL, signal.SIGKILL),
    ],
)
def test_the_run_after_a_signal(
    job: Job, by: signal.Signals, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    files, seconds = undisturbed(job)
    place = Place(tmp_path)
    prepared(place, job)
    interrupted(place.start(job), by, default_rng().uniform(0.1, seconds))
    assert whole(place, job, files)
    assert by is signal.SIGKILL or not place.parts()
    assert place.run(job) == files


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core: no workers")
def test_workers_end_with_a_killed_run(tmp_path: Path) -> None:
    # Enough resamples that it would take minutes.
    job = Job("eval -q -s pure --system lemma --ci --resamples 200000", ())
    process = Place(tmp_path).start(job)
    while len(list(session(process.pid))) < 4 and process.poll() is None:
        time.sleep(0.05)  # four: this process, two of joblib, and a worker
    assert interrupted(process, signal.SIGKILL, 0)


@pytest.mark.parametrize("blocks", [pytest.param(0, marks=pytest.mark.slow), 3])
def test_a_disk_that_is_full_after_some_blocks(
    blocks: int, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """By a limit on the size of files; the slow tests fill a small file system."""
    files, _ = undisturbed(EVAL)
    place = Place(tmp_path)
    prepared(place, EVAL)
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (blocks * 1024, old[1]))
    try:
        process = place.start(EVAL)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    messages = process.communicate()[1].decode()
    check_full(place, process, messages, files)
    assert place.run(EVAL) == files


def check_full(
    place: Place, process: subprocess.Popen[bytes], messages: str, files: dict[str, bytes]
) -> None:
    assert process.returncode in {0, 1}
    # One line about the cache, one about the file.
    lines = messages.splitlines()
    assert len(lines) <= 1 + process.returncode, messages
    assert ('"code": "file-unwritable"' in messages) == (process.returncode == 1)
    assert whole(place, EVAL, files)
    assert not place.parts()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str], Place]]:
    """Return a function: size → a place on a file system of that size, created or resized."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def sized(size: str) -> Place:
        change = "remount," if folder.is_mount() else ""
        call = ["mount", "-t", "tmpfs", "-o", f"{change}size={size}", "tmpfs", str(folder)]
        if subprocess.run(call, check=False, capture_output=True).returncode:
            pytest.skip("no file system can be mounted here")
        return Place(folder)

    yield sized
    if folder.is_mount():
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("size", ["4k", "40k", "100k", "200k", "400k", "1m"])
def test_a_small_disk(
    size: str, undisturbed: Undisturbed, small_disk: Callable[[str], Place]
) -> None:
    files, _ = undisturbed(EVAL)
    place = small_disk(size)
    process = place.start(EVAL)
    messages = process.communicate()[1].decode()
    assert process.returncode in {0, 1}
    assert messages.count("\n") <= 1 + process.returncode, messages
    written = [path.read_bytes() for path in place.folder.glob("out.json")]
    assert written == ([] if process.returncode else [files["out.json"]])
    assert not place.parts()
    assert small_disk("64m").run(EVAL) == files


CASES = "audit run --split dev -q -o cases.jsonl"
REPRODUCE = "reproduce table2 settings -q -f html -o page.html --chart page.svg"
REAL = (
    Job("corpus install {ecbplus} -q", ("data/corpora/ecb+.zip",)),
    EVAL,
    Job("eval -q -s pure --system lemma --ci --resamples 200 -f json -o out.json", ("out.json",)),
    PREDICT,
    Job("train sac -q -o sac.model -f json", ("sac.model",)),
    Job(CASES, ("cases.jsonl",)),
    Job(REPRODUCE, ("page.html", "page.svg")),
)
POINTS = 9


@pytest.mark.slow
@pytest.mark.parametrize("job", REAL, ids=lambda job: " ".join(job.call.split()[:2]))
def test_a_run_that_is_interrupted_many_times(job: Job, ecbplus: Path, tmp_path: Path) -> None:
    """Interrupt runs in one folder at random points, each continuing from the one before.

    Every cache file is complete, and a final run gives the undisturbed bytes.
    """
    job = Job(job.call.format(ecbplus=ecbplus), job.files)
    named = {} if "install" in job.call else {"CDEC_ECBPLUS": str(ecbplus)}
    calm, place = Place(tmp_path / "calm", named), Place(tmp_path / "place", named)
    files, seconds = timed(lambda: calm.run(job))
    prepared(place, job)
    tried = stopped = 0
    while stopped < POINTS:
        tried += 1
        by, after = SIGNALS[stopped % len(SIGNALS)], default_rng().uniform(0, seconds)
        hit, took = timed(lambda: interrupted(place.start(job), by, after))  # noqa: B023
        stopped += hit
        assert whole(place, job, files)
        check_cache(place, calm)
        if not hit:  # the signal was too late: start again, with an earlier one
            seconds = min(seconds, took)
            prepared(place, job)
            shutil.rmtree(place.folder / "cache", ignore_errors=True)
    assert len(place.parts()) <= POINTS
    assert place.run(job) == files
    print(
        f"{job.call.split()[0]}: {stopped} of {tried} runs interrupted, {len(place.parts())} parts"
    )


T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return the result of ``work`` and the seconds it took."""
    begun = time.monotonic()
    return work(), time.monotonic() - begun


def check_cache(place: Place, calm: Place) -> None:
    """Check that every file of the cache equals that of an undisturbed run."""
    for path in place.folder.glob("cache/*/[!.]*"):
        own = calm.folder / path.relative_to(place.folder)
        assert path.read_bytes() == own.read_bytes(), path


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    place = Place(tmp_path, {"CDEC_CACHE": str(tmp_path / "file" / "cache")})
    process = place.start(EVAL)
    messages = process.communicate()[1].decode()
    assert (process.returncode, messages.count("\n")) == (0, 1)
    assert "cache" in messages

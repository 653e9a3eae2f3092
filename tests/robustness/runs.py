"""Runs of the program in separate folders, interrupted or not, and the files they leave."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

PROGRAM = (sys.executable, "-W", "ignore", "-m", "cdec")
# One process for all calls of its standard input, to import only once.
CALLS_OF_STDIN = """
import sys
from cdec.cli.app import main
for line in sys.stdin:
    sys.argv = ["cdec", *line.split(), "--quiet"]
    try:
        main()
    except SystemExit as end:
        assert not end.code, line
"""
BEFORE = b"what was there before\n"
NAMED = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}


@dataclass(frozen=True)
class Job:
    """A call, and the names of the files that it writes."""

    call: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """A folder for the output, cache and data of runs."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()

    def start(self, job: Job) -> subprocess.Popen[bytes]:
        """Start the job in a new session, with as many workers as it has without pytest-xdist."""
        self.folder.mkdir(exist_ok=True)
        given = {name: v for name, v in os.environ.items() if name != "LOKY_MAX_CPU_COUNT"}
        own = {"CDEC_CACHE": str(self.folder / "cache"), "CDEC_DATA": str(self.folder / "data")}
        return subprocess.Popen(
            [*self.before, *PROGRAM, *job.call.split()],
            cwd=self.folder,
            env=given | own | dict(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def run(self, job: Job) -> dict[str, bytes]:
        """Run the job, check that it succeeds without messages, and return its files."""
        process = self.start(job)
        _, messages = process.communicate()
        assert (process.returncode, messages) == (0, b"")
        return self.files(job)

    def files(self, job: Job) -> dict[str, bytes]:
        """Return the content of the job's files."""
        return {name: (self.folder / name).read_bytes() for name in job.files}

    def parts(self) -> list[str]:
        """Return the temporary files, wherever they are."""
        return sorted(path.name for path in self.folder.rglob(".*.part"))


def ready(process: subprocess.Popen[bytes]) -> bool:
    """Wait until the program handles SIGTERM (Linux); return False if it has ended."""
    status = Path(f"/proc/{process.pid}/status")
    bit = 1 << (signal.SIGTERM - 1)
    while process.poll() is None:
        lines = status.read_text("utf-8").splitlines()
        caught = next((line for line in lines if line.startswith("SigCgt:")), "SigCgt: 0")
        if int(caught.split()[1], 16) & bit:
            return True
        time.sleep(0.005)
    return False


def interrupted(process: subprocess.Popen[bytes], by: signal.Signals, after: float) -> bool:
    """Signal the job ``after`` seconds and check its end; return False if it had finished.

    It must print nothing, and no process of its session may survive it.
    """
    begun = time.monotonic()
    if ready(process):
        time.sleep(max(0.0, after - (time.monotonic() - begun)))
        process.send_signal(by)
    _, messages = process.communicate(timeout=120)
    assert messages == b"" or by is signal.SIGKILL, messages.decode()
    # While Python shuts down, the signal itself ends the process.
    assert process.returncode in {0, NAMED[by], -by}, messages.decode()
    deadline = time.monotonic() + 30
    while left := list(session(process.pid)):
        assert time.monotonic() < deadline, left
        time.sleep(0.1)
    return process.returncode != 0


def session(number: int) -> Iterator[int]:
    """Yield the processes of a session that are alive."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, its = stat.read_text("utf-8").rpartition(")")[2].split()[:4]
        except OSError:  # it has ended meanwhile
            continue
        if int(its) == number and state != "Z":
            yield int(stat.parent.name)

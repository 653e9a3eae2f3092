"""Wall time, processor time and peak memory of a command in a new process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

LAUNCHER = Path(__file__).with_name("launcher.py")
LONG = 5.0
"""A command of more processor seconds than this is run once."""
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}


@dataclass(frozen=True)
class Limits:
    """Processor seconds, address space and rounds that a command has."""

    seconds: int = 30
    mebibytes: int = 12 * 1024
    rounds: int = 3


@dataclass(frozen=True)
class Used:
    """What the commands of one row used: medians of ``runs``; ``problem`` if there is no result."""

    runs: int
    wall: float
    cpu: float
    peak: float
    output: tuple[str, ...]
    problem: str = ""


def used(commands: list[list[str]], limits: Limits) -> Used:
    """Run all commands several times, or once if that takes long; times are of all together."""
    rounds: list[Used] = []
    while len(rounds) < limits.rounds:
        rounds.append(_together([_once(command, limits) for command in commands]))
        if rounds[-1].problem or rounds[-1].cpu > LONG:
            break
    last = rounds[-1]
    return Used(
        len(rounds),
        median(each.wall for each in rounds),
        median(each.cpu for each in rounds),
        max(each.peak for each in rounds),
        last.output,
        last.problem,
    )


def _together(each: list[Used]) -> Used:
    return Used(
        1,
        sum(one.wall for one in each),
        sum(one.cpu for one in each),
        max(one.peak for one in each),
        tuple(text for one in each for text in one.output),
        next((one.problem for one in each if one.problem), ""),
    )


def _once(command: list[str], limits: Limits) -> Used:
    with TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        asked = [str(report), str(limits.seconds), str(limits.mebibytes), *command]
        ran = subprocess.run(
            [sys.executable, "-I", "-S", str(LAUNCHER), *asked],
            env=os.environ | ENVIRONMENT, capture_output=True, text=True, check=True,
        )  # fmt: skip
        row = json.loads(report.read_text("utf-8"))
    problem = _problem(row["status"], ran.stderr, limits)
    return Used(1, row["wall"], row["cpu"], row["peak"], (ran.stdout,), problem)


def _problem(status: int, errors: str, limits: Limits) -> str:
    """Return why there is no result, or ''."""
    if status == 0:
        return ""
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        return f"stopped after {limits.seconds} s of processor time"
    if "MemoryError" in errors or "Out of memory" in errors:
        return f"needs more than {limits.mebibytes // 1024} GiB"
    last = errors.strip().splitlines()[-1:] or [f"status {status}"]
    return f"failed: {last[0][:100]}"

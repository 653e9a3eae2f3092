"""``python -m tests.benchmarks.page``: measure, then write docs/benchmarks.md, .csv and .svg.

A run that was interrupted goes on where it stopped if commit, machine and plan are the same.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from cdec._version import __version__
from tests.benchmarks.page import plot, rows, text
from tests.benchmarks.page.measure import Limits
from tests.benchmarks.page.rows import Log, Row
from tests.benchmarks.page.run import Plan, run

ROOT = Path(__file__).parents[3]
PACKAGE = ("cdec", "baselines", "settings", "configs")
COMMAND = "python -m tests.benchmarks.page"


def main(arguments: list[str]) -> int:
    """Run the program; 130 if it was interrupted."""
    asked = _parser().parse_args(arguments)
    work = asked.work / "quick" if asked.quick else asked.work
    folder = work / "files"
    corpus = os.environ.get("CDEC_ECBPLUS") or "sample"
    splits = ("cybulska/test", "ycf/test") if corpus != "sample" else ("test",)
    if asked.quick:
        corpus, splits = "sample", ("test",)
    largest, limit, rounds, resamples = (1000, 10, 1, 20) if asked.quick else (10**6, 15, 3, 1000)
    limits = Limits(asked.limit or limit, rounds=asked.rounds or rounds)
    plan = Plan(folder, corpus, splits, asked.largest or largest, resamples, limits)
    work.mkdir(parents=True, exist_ok=True)
    call = f"{COMMAND} --largest {plan.largest} --limit {limits.seconds} --rounds {limits.rounds}"
    log = Log(work / "rows.csv", about(call))
    if log.is_new:  # files of another commit are not used again
        shutil.rmtree(folder, ignore_errors=True)
    try:
        run(plan, log)
    except KeyboardInterrupt:
        print(f"interrupted; {log.path} has the rows so far, the same command goes on", flush=True)
        return 130
    output = asked.output or (work if asked.quick else ROOT / "docs")
    output.mkdir(parents=True, exist_ok=True)
    shutil.move(log.path, output / "benchmarks.csv")  # the next run measures anew
    render(output)
    return 0


def render(folder: Path) -> None:
    """Write page and plot from ``benchmarks.csv`` of the folder, and the table of its paper."""
    measured = rows.read(folder / "benchmarks.csv")
    (folder / "benchmarks.md").write_text(text.page(measured), "utf-8")
    (folder / "benchmarks.svg").write_bytes(plot.draw(measured))
    paper = folder / "joss" / "paper.md"
    if paper.exists():
        paper.write_text(text.in_paper(measured, paper.read_text("utf-8")), "utf-8")


def about(command: str) -> list[Row]:
    """The commit, the machine and the versions that the values depend on."""
    libraries = ("numpy", "scipy", "pandas")
    named = {
        "command": command,
        "cdec": f"{__version__}, {_commit()}",
        "Python": platform.python_version(),
        "libraries": ", ".join(f"{name} {version(name)}" for name in libraries),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
    }
    return [Row("about", name, note=value) for name, value in named.items()]


def _commit() -> str:
    """The commit and whether the package differs from it; a copy has none."""
    known = _git("log", "-1", "--format=commit %h of %cs")
    changed = _git("status", "--porcelain", "--", *PACKAGE)
    return f"{known or 'no commit'}{', with changes of the package' if changed else ''}"


def _git(*arguments: str) -> str:
    ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.stdout.strip()


def _processor() -> str:
    """The name of the processor, as Linux has it."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or "unknown"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the sample and 1,000 mentions, once")
    parser.add_argument("--largest", type=int, help="mentions of the made-up files")
    parser.add_argument("--limit", type=int, help="processor seconds of a command")
    parser.add_argument("--rounds", type=int, help="runs of a short command")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "benchmarks")
    parser.add_argument(
        "--output", type=Path, help="default: docs, or with --quick the work folder"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What is measured: the peers on the same files, growth, cores, start-up."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tests.benchmarks.page import files
from tests.benchmarks.page.files import Case
from tests.benchmarks.page.measure import Limits, Used, used
from tests.benchmarks.page.peers import METRICS, NAMES, Peer, Values, cdec, cdec_values, peers
from tests.benchmarks.page.rows import NOT_RUN, Log, Row, as_text, difference

CDEC = "cdec"
CLI = [sys.executable, "-m", "cdec"]
SIZES = (1000, 3000, 10_000, 30_000, 100_000, 1_000_000)
"""Mentions of the made-up files."""
LAST = 6
"""The largest file has this many times as long."""
LIBRARIES = "import numpy, pandas, scipy.sparse, scipy.optimize"


@dataclass(frozen=True)
class Plan:
    """What a run measures; ``largest`` is the number of mentions of the largest made-up files."""

    folder: Path
    corpus: str
    splits: tuple[str, ...]
    largest: int
    resamples: int
    limits: Limits


def run(plan: Plan, log: Log) -> None:
    """Measure every row that the log lacks."""
    tools = peers()
    for peer in tools:
        note = "" if peer.version else f"not installed ({peer.where})"
        row = Row("tools", peer.name, version=peer.version or "", metrics=_names(peer.metrics))
        log.row(replace(row, note=note), lambda row: row)
    here = [peer for peer in tools if peer.version]
    names = {split: split.replace("/", "-") for split in plan.splits}
    real = [files.real(plan.folder / names[split], plan.corpus, split) for split in plan.splits]
    limits = replace(plan.limits, seconds=2 * plan.limits.seconds)
    score_cases(real, here, limits, log)
    divide = [tool for tool in here if tool.format.startswith(files.JOINED)]
    score_cases([real[0].by_document()], divide, limits, log)
    made = (files.made(plan.folder / str(n), n) for n in SIZES if n <= plan.largest)
    score_cases(made, here, replace(plan.limits, rounds=1), log)
    _cores(plan, log)
    _start(plan, log)


def score_cases(cases: Iterable[Case], tools: list[Peer], limits: Limits, log: Log) -> None:
    """Score the cases, from small to large; a tool without a result is not run on the next."""
    stopped: set[str] = set()
    for case in cases:
        left = [tool for tool in tools if tool.name not in stopped]
        last = case.counts()[0] >= SIZES[-1]
        seconds = limits.seconds * LAST if last else limits.seconds
        stopped |= _case(case, left, replace(limits, seconds=seconds), log)
        for tool in tools:
            row = Row("files", case.name, tool.name, note=NOT_RUN)
            log.row(row, lambda row: row)


def _case(case: Case, tools: list[Peer], limits: Limits, log: Log) -> set[str]:
    """Score the files of a case with each tool; return the tools without a result."""
    mentions, key, response = case.counts()
    row = Row("files", case.name, mentions=str(mentions))
    note = f"{key:,} chains, {response:,} in the response"
    log.row(replace(row, table="cases", note=note), lambda row: row)
    own: dict[str, Row] = {}
    for kind in dict.fromkeys(["one.conll", *(peer.ours for peer in tools)]):
        name = f"{CDEC}, {kind.removeprefix(files.JOINED)}"
        commands = cdec(*case.paths(kind), case.scope)
        own[kind] = log.row(
            replace(row, tool=name, metrics=_names(METRICS)),
            partial(_scored, commands=commands, parse=cdec_values, limits=limits),
        )
    stopped = set()
    for peer in tools:
        blank = replace(row, tool=peer.name, version=peer.version or "")
        commands = peer.commands(*case.paths(peer.format))
        scored = partial(_scored, commands=commands, parse=peer.values, limits=limits)
        measure = partial(_beside, measure=scored, ours=own[peer.ours])
        if not log.row(replace(blank, metrics=_names(peer.metrics)), measure).ratio:
            stopped.add(peer.name)
    return stopped


def _scored(
    row: Row,
    commands: list[list[str]],
    parse: Callable[[tuple[str, ...]], Values],
    limits: Limits,
) -> Row:
    done = used(commands, limits)
    if done.problem:
        return replace(row, runs=str(done.runs), note=done.problem)
    return replace(_timed(row, done), values=as_text(parse(done.output)))


def _beside(row: Row, measure: Callable[[Row], Row], ours: Row) -> Row:
    """The row of a peer, with ratio and difference to that of cdec on the same annotation."""
    row = measure(row)
    if not (row.values and ours.values):
        return row
    ratio = f"{float(row.cpu) / float(ours.cpu):.2f}"
    return replace(row, ratio=ratio, difference=f"{difference(row.values, ours.values):.4f}")


def _timed(row: Row, done: Used) -> Row:
    times = {"wall": f"{done.wall:.2f}", "cpu": f"{done.cpu:.2f}", "peak": f"{done.peak:.0f}"}
    return replace(row, runs=str(done.runs), **times)


def _measured(row: Row, command: list[str], limits: Limits) -> Row:
    done = used([command], limits)
    return replace(row, note=done.problem) if done.problem else _timed(row, done)


def _cores(plan: Plan, log: Log) -> None:
    """Intervals, which are divided among workers, on 1, 2, 4 … all cores of this machine."""
    split = plan.splits[0]
    response = str(plan.folder / split.replace("/", "-") / "response.conll")
    case = f"cdec eval --ci --resamples {plan.resamples} --split {split} --setting all"
    command = [*CLI, "eval", response, "--corpus", plan.corpus, "--split", split, "--quiet"]
    command += ["--setting", "all", "--ci", "--resamples", str(plan.resamples), "--format", "json"]
    cores = os.cpu_count() or 1
    for jobs in sorted({2**n for n in range(cores.bit_length()) if 2**n < cores} | {cores}):
        divided = [*command, "--jobs", str(jobs)]
        limits = replace(plan.limits, seconds=10 * plan.limits.seconds)
        log.row(Row("cores", case, f"{jobs}"), partial(_measured, command=divided, limits=limits))


def _start(plan: Plan, log: Log) -> None:
    """Processes that do next to nothing; the libraries that scoring needs first."""
    tiny = files.made(plan.folder / "300", 300)
    commands = {
        "import of numpy, pandas, scipy": [sys.executable, "-c", LIBRARIES],
        "Python alone": [sys.executable, "-c", "pass"],
        "import cdec": [sys.executable, "-c", "import cdec"],
        "cdec --help": [*CLI, "--help"],
        "cdec score, 300 mentions": cdec(*tiny.paths("json"))[0],
    }
    for name, command in commands.items():
        measure = partial(_measured, command=command, limits=plan.limits)
        log.row(Row("start", name), measure)


def _names(metrics: tuple[str, ...]) -> str:
    return " ".join(NAMES[metric] for metric in metrics)

"""CoNLL-U: reading against plain splitting of lines, scoring against corefud-scorer, alignment.

corefud-scorer is not on PyPI: where ``CDEC_COREFUD_SCORER`` names its ``corefud-scorer.py`` (and
``CDEC_PEER_PYTHON`` a Python with udapi, if this one lacks it), it scores the same files with the
same options in the same run, in a process whose start is not timed. Else its time is that of
another run, as a multiple of the time to split the lines of both files (``PEER``), which is
measured in this run. All times are processor time.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from cdec.formats import read
from cdec.matching import FilePolicy, Rule, Spans, match_files, paired
from cdec.metrics import Contingency, measure
from cdec.settings import Setting, build
from tests.benchmarks.clock import Benchmark, seconds

WORDS, MENTIONS = 200_000, 1_000_000
PROGRAM = Path(__file__).with_name("corefud_peer.py")
# corefud-scorer 1.2, processor time of scoring as a multiple of splitting the lines of both files.
PEER = {
    ("documents", "drop"): 172, ("documents", "keep"): 284,
    ("empty nodes", "drop"): 29, ("empty nodes", "keep"): 34,
    ("one document", "drop"): 3326, ("one document", "keep"): 11168,
}  # fmt: skip
# The least ratio that is asserted; measured: 60, 101, 15, 18, 1439 and 4181.
LEAST = {
    ("documents", "drop"): 20, ("documents", "keep"): 45,
    ("empty nodes", "drop"): 5, ("empty nodes", "keep"): 6,
    ("one document", "drop"): 300, ("one document", "keep"): 900,
}  # fmt: skip
ROW = "\tword\tword\tNOUN\tNN\tNumber=Sing\t0\troot\t0:root\t"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents of 50 sentences of 20 words; every fourth word begins a mention of two words."""
    lines = ["# global.Entity = eid-etype-head-other\n"]
    for n in range(WORDS):
        if n % 1000 == 0:
            lines.append(f"# newdoc id = d{n // 1000}\n")
        misc = {0: f"Entity=(e{n % 97}-person-2-", 1: f"Entity=e{(n - 1) % 97})"}.get(n % 4, "_")
        lines.append(f"{n % 20 + 1}{ROW}{misc}\n")
        if n % 20 == 19:
            lines.append("\n")
    path = tmp_path_factory.mktemp("corefud") / "made.conllu"
    path.write_text("".join(lines))
    return path


def floor(path: Path) -> int:
    return sum(len(line.split("\t")) for line in path.read_text("utf-8").split("\n"))


def score(key: Path, response: Path, singletons: str) -> object:
    policy = FilePolicy(alignment="head", zeros="dependent", singletons=singletons)
    match = match_files(read(key), read(response), policy)
    metas = build(
        Setting("x", "x", "document"), match.mentions, match.key, match.response, match.words
    )
    return measure(Contingency.from_meta_documents(metas))


def test_reading(benchmark: Benchmark, file: Path) -> None:
    lowest = seconds(lambda: floor(file), 3, process_time)
    ours = seconds(lambda: read(file), 3, process_time)
    benchmark.extra_info["ratio to splitting lines"] = ours / lowest
    benchmark.pedantic(lambda: read(file), rounds=1)
    assert ours < 8 * lowest


@pytest.fixture(scope="module", params=["documents", "empty nodes", "one document"])
def pair(
    request: pytest.FixtureRequest, corefud: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, list[Path]]:
    """Key and response of PDT-C and of GUM test, and GUM test as one document."""
    if request.param == "empty nodes":
        return request.param, [
            corefud / "pdtc-ft" / f"{n}.conllu" for n in ("key", "response-edited-1")
        ]
    files = [corefud / "gum-test" / f"{name}.conllu" for name in ("key", "response-edited")]
    if request.param == "documents":
        return request.param, files
    folder = tmp_path_factory.mktemp("one")
    for file in files:
        lines = file.read_text("utf-8").splitlines(keepends=True)
        # The first line remains: corefud-scorer needs a document.
        kept = [*lines[:1], *(line for line in lines[1:] if not line.startswith("# newdoc"))]
        (folder / file.name).write_text("".join(kept), "utf-8")
    return request.param, [folder / file.name for file in files]


@pytest.mark.parametrize("singletons", ["drop", "keep"])
def test_against_corefud_scorer(
    benchmark: Benchmark, singletons: str, pair: tuple[str, list[Path]]
) -> None:
    kind, (key, response) = pair
    score(key, response, singletons)
    ours = seconds(lambda: score(key, response, singletons), 5, process_time)
    theirs = _peer(key, response, singletons)
    if theirs is None:
        lowest = seconds(lambda: (floor(key), floor(response)), 5, process_time)
        theirs = PEER[kind, singletons] * lowest
    benchmark.extra_info["ratio"] = theirs / ours
    benchmark.pedantic(lambda: score(key, response, singletons), rounds=1)
    assert theirs > LEAST[kind, singletons] * ours


def _peer(key: Path, response: Path, singletons: str) -> float | None:
    """Return the processor time of corefud-scorer without its start; None where it is missing."""
    scorer = os.environ.get("CDEC_COREFUD_SCORER")
    if not scorer:
        return None
    options = ["-s"] if singletons == "keep" else []
    python = os.environ.get("CDEC_PEER_PYTHON", sys.executable)
    command = [python, str(PROGRAM), scorer, "1", *options, str(key), str(response)]
    ran = subprocess.run(command, check=True, timeout=1200, capture_output=True, text=True)
    return float(ran.stdout)


@pytest.mark.parametrize("rule", ["exact", "head", "partial", "overlap:0.5"])
def test_alignment_of_a_million_mentions(benchmark: Benchmark, rule: str) -> None:
    rng = np.random.default_rng(0)
    first, size = np.sort(rng.integers(0, 3_500_000, MENTIONS)), rng.geometric(0.35, MENTIONS)
    moved = rng.random(MENTIONS) < 0.3
    start = np.maximum(first + rng.integers(-1, 2, MENTIONS) * moved, 0)
    sides = [Spans.ranges(first, size), Spans.ranges(start, size)]
    key, response = (
        Spans(side.bounds, side.places, side.first + side.sizes // 2) for side in sides
    )
    peer = seconds(lambda: np.unique(np.concatenate([key.places, response.places])), 3)
    ours = seconds(lambda: paired(key, response, Rule.parse(rule)))
    benchmark.extra_info["ratio to sorting all places"] = ours / peer
    benchmark.pedantic(lambda: paired(key, response, Rule.parse(rule)), rounds=1)
    assert ours < 60 * peer

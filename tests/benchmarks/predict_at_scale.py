"""Run Lemma-δ on a synthetic corpus as ``cdec predict`` does; seconds per stage, and memory.

Heads are the event words themselves: tagging is not measured.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from cdec.baselines import run
from cdec.baselines.lemma_delta import LemmaDelta
from cdec.corpus import Corpus
from cdec.corpus.blind import blind
from cdec.formats import from_corpus, write
from tests.benchmarks.synthetic import MENTIONS, Shape, make

STAGES = ("blind", "predict", "annotation", "write")
Figures = dict[str, float]

_ROOT = Path(__file__).parents[2]
# At the end of the path, to measure the installed package and not the folder cdec/.
_CODE = """
import sys
sys.path.append(sys.argv[1])
from tests.benchmarks.predict_at_scale import main
main(int(sys.argv[2]), sys.argv[3])
"""


@dataclass(frozen=True)
class HeadsGiven(LemmaDelta):
    """Lemma-δ with the text of a mention as its head lemma."""

    def lemmas(self, corpus: Corpus) -> pd.Series[Any]:
        """Return the mentions' texts."""
        return corpus.mentions["text"]


def measured(documents: int, target: Path) -> Figures:
    """Return the result of ``measure`` in a new process, and show it (``pytest -s``)."""
    command = [sys.executable, "-P", "-c", _CODE, str(_ROOT), str(documents), str(target)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    figures: Figures = json.loads(process.stdout)
    print(figures)
    assert figures["mentions"] == documents * MENTIONS
    with target.open() as file:
        assert sum(line.startswith("#begin document") for line in file) == documents
    return figures


def measure(documents: int, target: Path) -> Figures:
    """Return seconds by stage, the peak of resident memory in GiB, and counts."""
    figures: Figures = {"documents": documents}

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        start = time.monotonic()
        yield
        figures[name] = round(time.monotonic() - start, 2)

    with stage("generate"):
        corpus = make(Shape(documents))
    with stage("blind"):
        blind(corpus)
    with stage("predict"):
        answer = run(HeadsGiven(), corpus)
    with stage("annotation"):
        annotation = from_corpus(corpus, answer).numbered()
    with stage("write"):
        write(annotation, target, target.suffix.removeprefix("."))
    counts = {"mentions": len(answer), "chains": answer.labels.nunique()}
    return figures | counts | {"peak_gib": round(_peak(), 2)}


def main(documents: int, target: str) -> None:
    """Print the figures as JSON."""
    print(json.dumps(measure(documents, Path(target))))


def _peak() -> float:
    # Not ru_maxrss: on Linux a child process inherits the peak of its parent there.
    status = Path("/proc/self/status").read_text()
    match = re.search(r"VmHWM:\s+(\d+) kB", status)
    if match is None:
        raise OSError("the kernel does not report peak memory")
    return int(match[1]) / 2**20

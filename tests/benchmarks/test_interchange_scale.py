"""Importing a synthetic corpus of 10⁵ documents and 10⁶ mentions in the interchange format.

The goal is 60 seconds of processor time and 3 GB. The test asserts the memory, and that the import
takes no more than a multiple of the time that plain parsing of the lines takes in the same run.
"""

from __future__ import annotations

import json
import resource
from pathlib import Path
from time import process_time

import pytest

from cdec.corpus import import_corpus, lines
from tests.benchmarks.clock import seconds
from tests.benchmarks.synthetic import MENTIONS, Shape, make

DOCUMENTS = 100_000
GOAL_SECONDS, GOAL_GIGABYTES, AT_MOST = 60, 3, 12


@pytest.mark.slow
def test_import_of_a_million_mentions(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    _write(path, DOCUMENTS // 2)
    peer = seconds(lambda: _plain(path), clock=process_time)
    taken = seconds(lambda: import_corpus(path, "large"), clock=process_time)
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print({"goal_s": GOAL_SECONDS, "seconds": round(taken, 1), "times_the_peer": taken / peer})
    assert gigabytes <= GOAL_GIGABYTES
    assert taken / peer <= AT_MOST


def _write(path: Path, stories: int) -> None:
    """Write the corpus; half of the mentions of each document, so that there are a million."""
    corpus = make(Shape(DOCUMENTS, story=DOCUMENTS // stories))
    table = corpus.mentions
    kept = table[(table.groupby("doc").cumcount() % 2 == 0).to_numpy()]
    assert len(kept) == DOCUMENTS * MENTIONS // 2
    with path.open("w", encoding="utf-8") as file:
        file.writelines(lines(type(corpus)("large", "", corpus.documents, kept)))


def _plain(path: Path) -> object:
    with path.open(encoding="utf-8") as stream:
        return sum(len(json.loads(line)) for line in stream)

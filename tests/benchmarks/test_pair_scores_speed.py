"""``cdec.score_pairs`` on 10⁶ pairs over 10⁴ mentions, compared with reading and ranking the pairs.

The goal is 10 s of processor time for 10⁶ pairs, and 4 GB for 10⁷, start of the process included.
The peer reads the file with pandas and ranks its pairs by scikit-learn, in the same run.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from cdec import score_pairs
from cdec.corpus import Corpus
from tests.benchmarks.clock import seconds
from tests.benchmarks.predict_at_scale import _peak
from tests.benchmarks.synthetic import MENTIONS, Shape, make

DOCUMENTS, PAIRS, AT_MOST = 10_000 // MENTIONS, 1_000_000, 6
GOAL_SECONDS, GOAL_GIGABYTES = 10, 4


@pytest.mark.slow
def test_a_million_pairs(tmp_path: Path) -> None:
    corpus, path = made(tmp_path, PAIRS)
    peer = seconds(lambda: ranked(path, corpus), rounds=2, clock=process_time)
    taken = seconds(lambda: score_pairs(corpus, path), rounds=2, clock=process_time)
    print({"goal_s": GOAL_SECONDS, "seconds": round(taken, 1), "times_the_peer": taken / peer})
    assert taken / peer <= AT_MOST


@pytest.mark.slow
def test_memory_of_ten_times_as_many(tmp_path: Path) -> None:
    command = [sys.executable, "-m", __name__, str(made(tmp_path, 10 * PAIRS)[1])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)
    print({"goal_gb": GOAL_GIGABYTES, **figures})
    assert figures["gigabytes"] <= GOAL_GIGABYTES


def made(folder: Path, pairs: int) -> tuple[Corpus, Path]:
    """Write pairs with a score that is higher for links, and return their corpus and file."""
    corpus, path = make(Shape(DOCUMENTS)), folder / "scores.csv"
    ids, chance = corpus.selected.index.to_numpy(), np.random.default_rng(0)
    chains, size = pd.factorize(corpus.gold.labels)[0], len(ids)
    step = size * (size - 1) // 2 // pairs  # of the pairs (0, 1), (0, 2), (1, 2), (0, 3), …
    number = np.arange(pairs) * step
    second = np.floor((1 + np.sqrt(1 + 8 * number)) / 2).astype(np.int64)
    first = number - second * (second - 1) // 2
    score = 0.8 * chance.random(pairs) + 0.2 * (chains[first] == chains[second])
    table = pd.DataFrame({"a": ids[first], "b": ids[second], "score": score.round(6)})
    table.to_csv(path, index=False)
    return corpus, path


def ranked(path: Path, corpus: Corpus) -> tuple[float, float]:
    table = pd.read_csv(path)
    gold = corpus.gold.labels
    linked = gold[table["a"]].to_numpy() == gold[table["b"]].to_numpy()
    return (
        average_precision_score(linked, table["score"]),
        roc_auc_score(linked, table["score"]),
    )


if __name__ == "__main__":
    score_pairs(make(Shape(DOCUMENTS)), sys.argv[1])
    print(json.dumps({"seconds": round(process_time(), 1), "gigabytes": round(_peak(), 2)}))

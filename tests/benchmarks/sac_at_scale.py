"""Run SAC on a synthetic corpus as ``cdec predict`` does; seconds per stage, and memory.

A tagger that looks at the first letters of a word replaces HanTa: tagging is not measured. The
model is trained on a small corpus of the same kind.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from cdec.baselines.sac import Sac, stream
from cdec.evaluation.run import run
from cdec.language import taggers
from tests.benchmarks.predict_at_scale import Figures, _peak
from tests.benchmarks.synthetic import Shape, make

_TRAINED_ON = 300  # documents


def measure(documents: int) -> Figures:
    """Return seconds by stage, the peak of resident memory in GiB, and counts."""
    taggers.tagger = lambda language="en": _tags
    figures: Figures = {"documents": documents}

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        start = time.process_time()
        yield
        figures[name] = round(time.process_time() - start, 2)

    part = make(Shape(_TRAINED_ON, seed=2))
    with stage("train"):
        system = Sac().fit(part, part)
    with stage("generate"):
        corpus = make(Shape(documents))
    figures["gib before"] = round(_peak(), 2)
    with stage("predict"):
        answer = run(system, corpus)
    counts = {"mentions": len(answer), "chains": answer.labels.nunique()}
    return figures | counts | {"peak_gib": round(_peak(), 2)}


def _tags(sentence: Sequence[str]) -> list[tuple[str, str, str]]:
    known = {True: ("VVD", "VERB"), False: ("NN1", "NOUN")}
    return [(word, *known[word.startswith("verb")]) for word in sentence]


if __name__ == "__main__":
    if len(sys.argv) > 2:
        stream.KEPT = int(sys.argv[2])
    print(json.dumps(measure(int(sys.argv[1]))))

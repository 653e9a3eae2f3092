"""What a cluster brings, simulated from block times that are measured on this machine.

``python -m tests.benchmarks.cluster_simulation`` scores the candidate pairs of a synthetic corpus
by SAC on one core, and measures what each block costs its worker and what it costs the process that
sends it. The schedule is that of ``cdec.io.cluster.sent``: blocks in order, ``AHEAD`` per worker in
work, each taken by the worker that is free first. The network is not in it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from heapq import heapify, heapreplace

from cdec.baselines.sac import Sac, encode, near_documents, stream
from cdec.corpus.blind import blind
from cdec.io import AHEAD, silent
from cdec.language import taggers
from tests.benchmarks.sac_at_scale import _tags
from tests.benchmarks.synthetic import Shape, make

WORKERS = (1, 2, 4, 8, 16, 32, 64)


def makespan(work: Sequence[float], sending: Sequence[float], workers: int) -> float:
    """Return the seconds until the last answer is there.

    >>> makespan([1.0] * 8, [0.0] * 8, 4), makespan([1.0] * 8, [0.5] * 8, 4)
    (2.0, 5.0)
    """
    free = [0.0] * workers
    heapify(free)
    waiting: deque[float] = deque()
    clock = last = 0.0
    for own, cost in zip(work, sending, strict=True):
        if len(waiting) == AHEAD * workers:
            clock = max(clock, waiting.popleft())
        clock += cost
        end = max(clock, free[0]) + own
        heapreplace(free, end)
        waiting.append(end)
        last = max(last, end)
    return last


def measured(documents: int, blocks: int) -> tuple[list[float], list[float]]:
    """Return the processor time of blocks of candidate pairs: of a worker, and of the sender."""
    taggers.tagger = lambda language="en": _tags
    part = make(Shape(300, seed=2))
    system = Sac().fit(part, part)
    corpus = blind(make(Shape(documents))).corpus
    model = system.fitting()
    mentions = encode(corpus, families=model.choices.families)
    near = near_documents(corpus, model.choices, silent)
    work, sending, start = [], [], time.process_time()
    first = stream.first_rows(mentions)
    for pairs in stream.blocks_of(mentions, near, model):
        block = stream.part_of(mentions, pairs, first)
        sent = time.process_time()
        stream.probabilities(block, mentions.lexicon, model)
        end = time.process_time()
        sending.append(sent - start)
        work.append(end - sent)
        start = end
        if len(work) == blocks:
            break
    return work, sending


def main() -> None:
    """Print seconds and speed-up by number of workers, for 1,000 blocks like the measured ones."""
    work, sending = measured(1500, 12)
    work, sending = work[1:], sending[1:]  # the first makes what all use
    print(f"{sum(work) / len(work):.3f} s a block, {sum(sending) / len(sending):.4f} s to send it")
    many = 1000 // len(work) + 1
    work, sending = (work * many)[:1000], (sending * many)[:1000]
    alone = sum(work) + sum(sending)
    for number in WORKERS:
        seconds = makespan(work, sending, number)
        print(f"{number:3} workers: {seconds:8.1f} s, {alone / seconds:5.1f} ×")


if __name__ == "__main__":
    main()

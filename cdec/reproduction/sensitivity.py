"""A simulation: what losing a few mentions on each side does to the scores.

The print seems to have lost some mentions (see the notes); which ones, nobody can know. Here as
many random ones leave key and response, independently of each other, several times. This is no
method of evaluation and no number of it is a result: it shows how far the loss can go.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from cdec.clustering import Clustering
from cdec.evaluation.response import SystemRun
from cdec.metrics import Value
from cdec.metrics.scores import score
from cdec.settings import Setting


def with_loss(answer: SystemRun, lost: int, seed: int) -> SystemRun:
    """Return the answer without ``lost`` random mentions of its key and as many of its response."""
    rng = np.random.default_rng(seed)
    return replace(
        answer,
        key=_without(answer.key, lost, rng),
        response=_without(answer.response, lost, rng),
    )


def sensitivity(answer: SystemRun, setting: Setting, lost: int, seeds: int) -> pd.DataFrame:
    """Return mean and standard deviation over the seeds 0, 1, …: metric, field, mean, sd."""
    drawn = (
        score(with_loss(answer, lost, seed).meta_documents(setting)).values for seed in range(seeds)
    )
    rows = [
        {"metric": metric, "field": field, "value": getattr(value, field)}
        for values in drawn
        for metric, value in values.items()
        for field in Value._fields
        if getattr(value, field) is not None
    ]
    groups = pd.DataFrame(rows).groupby(["metric", "field"], sort=False)["value"]
    return groups.agg(mean="mean", sd="std").reset_index()


def _without(side: Clustering, lost: int, rng: np.random.Generator) -> Clustering:
    """Return the side less ``lost`` mentions; a side is emptied rather than overdrawn."""
    kept = rng.permutation(len(side))[min(lost, len(side)) :]
    return Clustering(side.labels.iloc[np.sort(kept)])

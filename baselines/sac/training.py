"""Training: cross-validation over topics for calibration and threshold, then on all topics.

Protocol (docs/baselines.md): the topics of the training part are assigned to folds in turn, in
natural order. The pairs of a fold get log-odds from classifiers trained without its topics. The
calibration is fitted on these, and the threshold that clusters the training mentions best is
chosen.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from cdec.arrays import Bools, Floats, Ints, Singles
from cdec.baselines.sac.config import SacConfig
from cdec.baselines.sac.data import LabelledPairs
from cdec.baselines.sac.model import log_odds
from cdec.errors import CorpusError
from cdec.files.jobs import mapped
from cdec.files.progress import Progress
from cdec.matching.alignment import Alignment
from cdec.metrics import score
from cdec.pairs.agglomeration import Link, grow
from cdec.records import Row
from cdec.settings import PURE_CDEC, SIMPLE_CDEC

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 20))
TUNED_UNDER = (SIMPLE_CDEC, PURE_CDEC)


def train(
    data: LabelledPairs,
    features: Singles,
    choices: SacConfig,
    jobs: int,
    progress: Progress,
) -> Row:
    """Return weights, bias, slope, shift, threshold and curve of a ``Model``.

    ``jobs`` does not change the result. Raises CorpusError if there is only one topic, or no two
    mentions corefer.
    """
    topics = int(data.topic.max(initial=-1)) + 1
    linked = data.linked
    pairs = data.pairs
    if topics < 2 or not linked.any():
        raise CorpusError(
            "part-too-small",
            "SAC needs at least two topics or sub-topics, and coreferring mentions, to train",
            place=f"{data.corpus.name} ({data.corpus.part})",
            hint="train on another part",
        )
    fold = data.topic % min(choices.folds, topics)
    left = fold[pairs.left]
    right = fold[pairs.right]
    # The pairs outside each fold, and all pairs.
    subsets = [
        np.flatnonzero((left != number) & (right != number))
        for number in range(fold.max() + 1)
    ]
    subsets.append(np.arange(len(linked)))
    # One thread per sum: several add in another order, which changes the last digit. The limit is
    # set around all jobs because it is global: the first job to end would lift it for the others.
    with threadpool_limits(1):
        fits = mapped(
            _fit, subsets, (features, linked, choices), jobs=jobs, threads=True
        )
        *folds, (weights, bias) = progress(fits, len(subsets), "training")
        scores = np.zeros(len(linked))
        for number, (fold_weights, fold_bias) in enumerate(folds):
            rows = np.flatnonzero((left == number) | (right == number))
            scores[rows] = log_odds(features[rows], fold_weights, fold_bias)
        # The calibration is fitted on all candidate pairs, out of fold.
        line = LogisticRegression(C=np.inf).fit(scores[:, None], linked)
    slope = float(line.coef_[0, 0])
    shift = float(line.intercept_[0])
    probabilities = np.asarray(expit(slope * scores + shift))
    curve = threshold_curve(data, probabilities, choices.link)
    return {
        "weights": weights,
        "bias": bias,
        "slope": slope,
        "shift": shift,
        "threshold": best_threshold(curve),
        "curve": curve,
    }


def threshold_curve(data: LabelledPairs, p: Floats, link: Link) -> dict[float, float]:
    """Return threshold → mean CoNLL F1 of all mentions of ``data`` under ``TUNED_UNDER``."""
    trees = grow(data.pairs, p, len(data.ids), THRESHOLDS[0], link)
    return {threshold: _conll(data, trees.cut(threshold)) for threshold in THRESHOLDS}


def best_threshold(curve: dict[float, float]) -> float:
    """Return the threshold with the best mean of itself and its neighbours; of ties the higher."""
    sums = pd.Series(curve).sort_index().rolling(3, center=True).sum().round(9)
    return float(sums[sums == sums.max()].index.max())


def _conll(data: LabelledPairs, labels: Ints) -> float:
    """Return the mean CoNLL F1 under ``TUNED_UNDER`` of cluster labels by row."""
    chains = data.clustering(labels)
    aligned = Alignment.of(data.corpus.selected, data.corpus.gold, chains).mentions
    results = [score(setting.build(aligned), ["conll"]) for setting in TUNED_UNDER]
    return float(np.mean([scores["conll"].f1 for scores in results]))


def _fit(
    rows: Ints,
    features: Singles,
    linked: Bools,
    choices: SacConfig,
) -> tuple[Floats, float]:
    """Return weights and bias, from the positives and from sampled negatives among the rows.

    They are those of scikit-learn's logistic regression (L2, C = 1) on features of unit variance,
    and include this scaling.
    """
    positive = rows[linked[rows]]
    negative = rows[~linked[rows]]
    count = min(len(negative), choices.negatives * len(positive))
    generator = np.random.default_rng(choices.seed)
    sampled_negative = generator.choice(negative, count, replace=False)
    sampled = np.sort(np.concatenate([positive, sampled_negative]))
    sample = features[sampled]
    mean = sample.mean(axis=0, dtype=np.float64)
    scale = sample.std(axis=0, dtype=np.float64)
    scale[scale == 0] = 1.0
    model = LogisticRegression(max_iter=1000, random_state=choices.seed)
    # The OpenMP limit is per thread: the limit that ``train`` set does not apply here.
    with threadpool_limits(1, user_api="openmp"):
        model.fit((sample - mean) / scale, linked[sampled])
    weights = model.coef_[0] / scale
    bias = model.intercept_[0] - mean @ weights
    return weights, float(bias)

"""Training: cross-validation over topics for calibration and threshold, then on all topics.

Protocol (docs/sac.md): the topics of the training part are assigned to folds in turn, in natural
order. The pairs of a fold get log-odds from classifiers trained without its topics. The calibration
is fitted on these, and the threshold that clusters the training mentions best is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from cdec.arrays import Bools, Floats, Ints, Singles
from cdec.baselines.sac.classifiers import Linear
from cdec.baselines.sac.config import SacConfig
from cdec.baselines.sac.data import LabelledPairs
from cdec.baselines.sac.model import Calibration, logits
from cdec.errors import CorpusError
from cdec.files.jobs import check_jobs, mapped
from cdec.files.progress import Progress, silent
from cdec.matching.alignment import Alignment
from cdec.metadocument import MetaDocuments
from cdec.metrics.scores import score
from cdec.pairs.agglomeration import Link, grow
from cdec.settings import PURE_CDEC, SIMPLE_CDEC

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 20))
TUNED_UNDER = (SIMPLE_CDEC, PURE_CDEC)


@dataclass(frozen=True, eq=False)
class TrainingResult:
    """The classifier trained on all topics; calibration and threshold from the folds.

    ``curve``: threshold → mean CoNLL F1 of the training mentions under ``TUNED_UNDER``.
    """

    classifier: Linear
    calibration: Calibration
    threshold: float
    curve: dict[float, float]
    out_of_fold: Floats = field(repr=False)


def train(
    data: LabelledPairs, choices: SacConfig, jobs: int = 1, progress: Progress = silent
) -> TrainingResult:
    """Return the classifier, calibration and threshold; ``jobs`` does not change the result.

    Raises CorpusError if there is only one topic, or no two mentions corefer, UsageError as
    ``check_jobs`` does.
    """
    check_jobs(jobs)
    fold = _folds(data, choices.folds)
    linked = data.linked
    pairs = data.described.pairs
    ends = fold[pairs.left], fold[pairs.right]
    subsets = [np.flatnonzero((ends[0] != k) & (ends[1] != k)) for k in range(fold.max() + 1)]
    subsets.append(np.arange(len(linked)))
    shared = (data.described.features, linked, choices)
    # One thread per sum: several add in another order, which changes the last digit. The limit is
    # set around all jobs because it is global: the first job to end would lift it for the others.
    with threadpool_limits(1):
        fitted = mapped(_fit, subsets, shared, jobs=jobs, threads=True)
        *parts, whole = progress(fitted, len(subsets), "training")
        scores = np.zeros(len(linked))
        for k, part in enumerate(parts):
            rows = np.flatnonzero((ends[0] == k) | (ends[1] == k))
            scores[rows] = logits(part, data.described.features[rows])
        calibration = calibrate(scores, linked)
    p = calibration.probabilities(scores)
    curve = threshold_curve(data, p, choices.link)
    return TrainingResult(whole, calibration, best_threshold(curve), curve, p)


def calibrate(logits: Floats, linked: Bools) -> Calibration:
    """Return the Platt scaling fitted on the out-of-fold log-odds of all candidate pairs."""
    line = LogisticRegression(C=np.inf).fit(logits[:, None], linked)
    return Calibration(float(line.coef_[0, 0]), float(line.intercept_[0]))


def threshold_curve(data: LabelledPairs, p: Floats, link: Link) -> dict[float, float]:
    """Return threshold → mean CoNLL F1 of all mentions of ``data`` under ``TUNED_UNDER``."""
    trees = grow(data.described.pairs, p, len(data.ids), THRESHOLDS[0], link)
    return {threshold: conll(data, trees.cut(threshold)) for threshold in THRESHOLDS}


def conll(data: LabelledPairs, labels: Ints) -> float:
    """Return the mean CoNLL F1 under ``TUNED_UNDER`` of cluster labels by row."""
    chains = data.clustering(labels)
    aligned = Alignment.of(data.corpus.selected, data.corpus.gold, chains).mentions
    results = (score(MetaDocuments(s.build(aligned)), ["conll"]) for s in TUNED_UNDER)
    return float(np.mean([scores["conll"].f1 for scores in results]))


def best_threshold(curve: dict[float, float]) -> float:
    """Return the threshold with the best mean of itself and its neighbours; of ties the higher."""
    steps = sorted(curve)
    inner = range(1, len(steps) - 1)
    smooth = {steps[i]: sum(curve[steps[j]] for j in (i - 1, i, i + 1)) for i in inner}
    return max(smooth, key=lambda threshold: (round(smooth[threshold], 9), threshold))


def _folds(data: LabelledPairs, most: int) -> Ints:
    """Return the fold of each mention; topics are assigned to folds in turn."""
    topics = int(data.topic.max(initial=-1)) + 1
    if topics < 2 or not data.linked.any():
        raise CorpusError(
            "part-too-small",
            "SAC needs at least two topics or sub-topics, and coreferring mentions, to train",
            place=f"{data.corpus.name} ({data.corpus.part})",
            hint="train on another part",
        )
    return np.asarray(data.topic % min(most, topics))


def _fit(rows: Ints, features: Singles, linked: Bools, choices: SacConfig) -> Linear:
    """Return the classifier of the positives and of sampled negatives among the rows."""
    positive, negative = rows[linked[rows]], rows[~linked[rows]]
    count = min(len(negative), choices.negatives * len(positive))
    chance = np.random.default_rng(choices.seed)
    kept = np.sort(np.concatenate([positive, chance.choice(negative, count, replace=False)]))
    # The OpenMP limit is per thread: the limit that ``train`` set does not apply here.
    with threadpool_limits(1, user_api="openmp"):
        return Linear.fit(features[kept], linked[kept], choices.seed)

"""Training: out-of-fold over topics for calibration and threshold, then on all of train.

Protocol (docs/sac.md): the topics of the training part are dealt to folds in their natural order;
each fold's pairs get log-odds from classifiers that saw none of its topics. On these, one line is
calibrated, and the threshold is chosen that clusters the training mentions best.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from cdec.arrays import Bools, Floats, Ints, Singles
from cdec.baselines.sac.agglomeration import Link, grow
from cdec.baselines.sac.classifiers import MEMBERS, Forest, Linear
from cdec.baselines.sac.config import SacConfig
from cdec.baselines.sac.data import LabelledPairs
from cdec.baselines.sac.model import Calibration, mean_logits
from cdec.errors import CorpusError
from cdec.io.progress import Progress, silent
from cdec.metrics.scores import score
from cdec.settings import PURE_CDEC, SIMPLE_CDEC, build

Members = tuple[Linear | Forest, ...]
THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 20))
TUNED_UNDER = (SIMPLE_CDEC, PURE_CDEC)


@dataclass(frozen=True, eq=False)
class TrainingResult:
    """Members trained on everything, and what the folds taught.

    ``curve``: threshold → mean CoNLL F1 of the training mentions under ``TUNED_UNDER``.
    """

    members: Members
    calibration: Calibration
    threshold: float
    curve: dict[float, float]
    out_of_fold: Floats = field(repr=False)


def train(
    data: LabelledPairs, choices: SacConfig, jobs: int = 1, progress: Progress = silent
) -> TrainingResult:
    """Return what is learnt from ``data``; the number of ``jobs`` changes nothing but the time.

    Raises CorpusError where there is only one topic, or no two mentions in a chain.
    """
    fold = _folds(data, choices.folds)
    linked = data.linked
    pairs = data.described.pairs
    ends = fold[pairs.left], fold[pairs.right]
    shown = [np.flatnonzero((ends[0] != k) & (ends[1] != k)) for k in range(fold.max() + 1)]
    shown.append(np.arange(len(linked)))
    tasks = [delayed(_fit)(data.described.features, linked, rows, choices) for rows in shown]
    pool = Parallel(n_jobs=jobs, prefer="threads", return_as="generator")
    # One thread for each sum: several would add up in another order, with another last digit.
    # Around all jobs, since the limit is the process's: one that ends would lift it for the others.
    with threadpool_limits(1):
        *parts, members = progress(pool(tasks), len(tasks), "training")
        logits = np.zeros(len(linked))
        for k, part in enumerate(parts):
            hidden = np.flatnonzero((ends[0] == k) | (ends[1] == k))
            logits[hidden] = mean_logits(part, data.described.features[hidden])
        calibration = calibrate(logits, linked)
    p = calibration.probabilities(logits)
    curve = threshold_curve(data, p, choices.link)
    return TrainingResult(members, calibration, best_threshold(curve), curve, p)


def calibrate(logits: Floats, linked: Bools) -> Calibration:
    """Return the line that makes out-of-fold log-odds probabilities of all candidate pairs."""
    line = LogisticRegression(C=np.inf).fit(logits[:, None], linked)
    return Calibration(float(line.coef_[0, 0]), float(line.intercept_[0]))


def threshold_curve(data: LabelledPairs, p: Floats, link: Link) -> dict[float, float]:
    """Return threshold → mean CoNLL F1 of all mentions of ``data`` under ``TUNED_UNDER``."""
    trees = grow(data.described.pairs, p, len(data.ids), THRESHOLDS[0], link)
    return {threshold: conll(data, trees.cut(threshold)) for threshold in THRESHOLDS}


def conll(data: LabelledPairs, labels: Ints) -> float:
    """Return the mean CoNLL F1 of clusters by row under ``TUNED_UNDER``."""
    events, key, response = data.corpus.events, data.corpus.gold, data.clustering(labels)
    metrics = ("muc", "b3", "ceafe", "conll")
    found = (score(build(s, events, key, response), metrics) for s in TUNED_UNDER)
    return float(np.mean([scores["conll"].f1 for scores in found]))


def best_threshold(curve: dict[float, float]) -> float:
    """Return the threshold whose mean with its two neighbours is highest; the higher of equals."""
    known = sorted(curve)
    inner = range(1, len(known) - 1)
    smooth = {known[i]: sum(curve[known[j]] for j in (i - 1, i, i + 1)) for i in inner}
    return max(smooth, key=lambda threshold: (round(smooth[threshold], 9), threshold))


def _folds(data: LabelledPairs, most: int) -> Ints:
    """Return the fold of each mention: its topic's, dealt in turn."""
    topics = int(data.topic.max(initial=-1)) + 1
    if topics < 2 or not data.linked.any():
        raise CorpusError(
            "SAC needs two topics, and mentions that corefer, to learn from",
            place=f"{data.corpus.name} ({data.corpus.part})",
        )
    return np.asarray(data.topic % min(most, topics))


def _fit(features: Singles, linked: Bools, rows: Ints, choices: SacConfig) -> Members:
    """Return the classifiers trained on the positives and sampled negatives among ``rows``."""
    chance = np.random.default_rng(choices.seed)
    positive, negative = rows[linked[rows]], rows[~linked[rows]]
    count = min(len(negative), choices.negatives * len(positive))
    kept = np.sort(np.concatenate([positive, chance.choice(negative, count, replace=False)]))
    kinds = [MEMBERS[name] for name in choices.classifiers]
    # OpenMP's limit is each thread's own; the one that ``train`` set does not reach here.
    with threadpool_limits(1, user_api="openmp"):
        return tuple(kind.fit(features[kept], linked[kept], choices.seed) for kind in kinds)

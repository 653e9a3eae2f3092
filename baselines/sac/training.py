"""Training: cross-validation over topics for calibration and threshold, then on all topics.

Protocol (docs/sac.md): the topics of the training part are assigned to folds in turn, in natural
order. The pairs of a fold get log-odds from classifiers trained without its topics. The calibration
is fitted on these, and the threshold that clusters the training mentions best is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import numpy as np
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from cdec.arrays import Bools, Floats, Ints, Singles
from cdec.baselines.sac.classifiers import MEMBERS, Forest, Linear
from cdec.baselines.sac.config import SacConfig
from cdec.baselines.sac.data import LabelledPairs
from cdec.baselines.sac.model import Calibration, mean_logits
from cdec.baselines.sac.shift import WAYS, resampled
from cdec.errors import CorpusError
from cdec.io.jobs import check_jobs, mapped
from cdec.io.progress import Progress, silent
from cdec.metrics.scores import score
from cdec.pairs.agglomeration import Link, grow
from cdec.settings import PURE_CDEC, SIMPLE_CDEC, build

Members = tuple[Linear | Forest, ...]
THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 20))
TUNED_UNDER = (SIMPLE_CDEC, PURE_CDEC)


@dataclass(frozen=True, eq=False)
class TrainingResult:
    """Classifiers trained on all topics; calibration and threshold from the folds.

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
    """Return the classifiers, calibration and threshold; ``jobs`` does not change the result.

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
    # One seed in the folds: the mean of several changes the calibration little, and costs as much.
    seeds = [1] * (len(subsets) - 1) + [choices.seeds]
    tasks = list(zip(subsets, seeds, strict=True))
    shared = (data.described.features, linked, choices)
    # One thread per sum: several add in another order, which changes the last digit. The limit is
    # set around all jobs because it is global: the first job to end would lift it for the others.
    with threadpool_limits(1):
        fitted = mapped(_fit, tasks, shared, jobs=jobs, threads=True)
        *parts, members = progress(fitted, len(tasks), "training")
        logits = np.zeros(len(linked))
        for k, part in enumerate(parts):
            rows = np.flatnonzero((ends[0] == k) | (ends[1] == k))
            logits[rows] = mean_logits(part, data.described.features[rows])
        calibration = calibrate(logits, linked)
    p = calibration.probabilities(logits)
    curve = mean_curve(data, p, choices)
    return TrainingResult(members, calibration, best_threshold(curve), curve, p)


def calibrate(logits: Floats, linked: Bools) -> Calibration:
    """Return the Platt scaling fitted on the out-of-fold log-odds of all candidate pairs."""
    line = LogisticRegression(C=np.inf).fit(logits[:, None], linked)
    return Calibration(float(line.coef_[0, 0]), float(line.intercept_[0]))


def mean_curve(data: LabelledPairs, p: Floats, choices: SacConfig) -> dict[float, float]:
    """Return threshold → mean CoNLL F1 over the resampled mentions of ``choices.shares``.

    For each share the mentions are resampled in every way of ``shift``, with the
    probabilities that they had. Without shares it is the curve of all mentions.
    """
    if not choices.shares:
        return threshold_curve(data, p, choices.link)
    table = data.corpus.selected.loc[data.ids]
    curves: dict[bytes, dict[float, float]] = {}
    used = []
    for share, way in product(choices.shares, WAYS):
        kept = resampled(table, share, way, choices.seed)
        used.append(kept.tobytes())
        if used[-1] not in curves:  # two ways can keep the same mentions, such as all of them
            part, rows = data.only(kept)
            curves[used[-1]] = threshold_curve(part, p[rows], choices.link)
    return {t: float(np.mean([curves[name][t] for name in used])) for t in THRESHOLDS}


def threshold_curve(data: LabelledPairs, p: Floats, link: Link) -> dict[float, float]:
    """Return threshold → mean CoNLL F1 of all mentions of ``data`` under ``TUNED_UNDER``."""
    trees = grow(data.described.pairs, p, len(data.ids), THRESHOLDS[0], link)
    return {threshold: conll(data, trees.cut(threshold)) for threshold in THRESHOLDS}


def conll(data: LabelledPairs, labels: Ints) -> float:
    """Return the mean CoNLL F1 under ``TUNED_UNDER`` of cluster labels by row."""
    events, key, response = data.corpus.selected, data.corpus.gold, data.clustering(labels)
    results = (score(build(s, events, key, response), ["conll"]) for s in TUNED_UNDER)
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


def _fit(task: tuple[Ints, int], features: Singles, linked: Bools, choices: SacConfig) -> Members:
    """Return classifiers of each seed, on the positives and sampled negatives among the rows.

    ``task``: the rows, and the number of seeds.
    """
    rows, seeds = task
    positive, negative = rows[linked[rows]], rows[~linked[rows]]
    count = min(len(negative), choices.negatives * len(positive))
    members: list[Linear | Forest] = []
    for seed in range(choices.seed, choices.seed + seeds):
        chance = np.random.default_rng(seed)
        kept = np.sort(np.concatenate([positive, chance.choice(negative, count, replace=False)]))
        kinds = [MEMBERS[name] for name in choices.classifiers]
        # The OpenMP limit is per thread: the limit that ``train`` set does not apply here.
        with threadpool_limits(1, user_api="openmp"):
            members += [kind.fit(features[kept], linked[kept], seed) for kind in kinds]
    return tuple(members)

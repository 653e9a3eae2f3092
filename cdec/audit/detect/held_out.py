"""Links that a classifier trained on the other topics contradicts.

Based on confident learning (Northcutt, Jiang & Chuang 2021, JAIR 70): each pair is classified by a
logistic regression that was not trained on its topic, so that it cannot memorise the label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cdec.arrays import Bools, Floats, Ints, Reals
from cdec.errors import CorpusError
from cdec.io.jobs import mapped
from cdec.io.progress import Progress, silent

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression


_WORTH = 50_000  # pairs from which several threads pay off


@dataclass(frozen=True, eq=False)
class Rows:
    """Mention pairs: their columns ``x`` (with the constant) and the topic of each pair."""

    x: Reals
    topics: Ints


def held_out(
    pairs: Rows, linked: Bools, others: Rows, folds: int, progress: Progress = silent
) -> tuple[Floats, Floats]:
    """Return the log-odds of a link for each of ``pairs`` and ``others``, by cross-validation.

    A fold is a group of topics; its models are trained on ``pairs`` of the other folds. Raises
    CorpusError if all pairs are of one topic, or the training pairs are all linked or all unlinked.
    """
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415

    count = min(folds, len(np.unique(pairs.topics)))
    if count < 2:
        raise _untrainable("all pairs are of one topic")
    odds, other_odds = np.empty(len(linked)), np.empty(len(others.topics))
    unseen = ~np.isin(others.topics, pairs.topics)
    splits = GroupKFold(count).split(pairs.x, linked, pairs.topics)
    # No model was trained on a topic without pairs: the last model is used.
    folds_of = [
        (train, test, np.flatnonzero(np.isin(others.topics, pairs.topics[test]) | unseen))
        for train, test in splits
    ]
    worth = len(linked) >= _WORTH
    made = mapped(_of_fold, folds_of, (pairs.x, linked, others.x), threads=True, worth=worth)
    results = progress(made, count, "training on the other topics")
    for (_, test, here), (own, other) in zip(folds_of, results, strict=True):
        odds[test], other_odds[here] = own, other
    return odds, other_odds


def _of_fold(
    fold: tuple[Ints, Ints, Ints], x: Reals, linked: Bools, others: Reals
) -> tuple[Floats, Floats]:
    """Train on the first rows of a fold; return the log-odds of the other two."""
    train, test, here = fold
    if linked[train].all() or not linked[train].any():
        raise _untrainable("the training pairs of a fold are all linked or all unlinked")
    # In single precision the result would depend on the processor from the sixth digit on.
    model = _fitted(x[train].astype(np.float64), linked[train])
    odds = model.decision_function(x[test].astype(np.float64))
    if not len(here):
        return odds, np.zeros(0)
    return odds, model.decision_function(others[here].astype(np.float64))


def _fitted(x: Reals, linked: Bools) -> LogisticRegression:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    model = LogisticRegression(fit_intercept=False, max_iter=500, solver="newton-cholesky")
    return model.fit(x, linked)


def _untrainable(reason: str) -> CorpusError:
    return CorpusError(
        "held-out-untrainable",
        f"the detector 'held-out' cannot be trained: {reason}",
        hint="audit a larger part of the corpus or use other detectors",
    )

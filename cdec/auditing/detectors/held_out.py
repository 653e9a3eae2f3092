"""Links that a classifier trained on the other topics contradicts.

Based on confident learning (Northcutt, Jiang & Chuang 2021, JAIR 70): each pair is classified by a
logistic regression that was not trained on its topic, so that it cannot memorise the label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import expit

from cdec.arrays import Bools, Floats, Ints, Reals
from cdec.auditing.detector import Measured, PairDetector
from cdec.auditing.evidence import rounded
from cdec.errors import CorpusError
from cdec.files.jobs import mapped
from cdec.files.progress import Progress, silent

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

    from cdec.auditing.config import AuditConfig
    from cdec.auditing.key import Key

_WORTH = 50_000  # pairs from which several threads pay off
_LINKED, _UNLINKED = 0.3, 0.5  # smallest probabilities of a missing link, of a spurious member


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
        "part-too-small",
        f"the detector '{HELD_OUT.id}' cannot be trained: {reason}",
        hint="audit a larger part of the corpus or use other detectors",
    )


def _measure(key: Key) -> Measured:
    pairs = key.prepared.pool.pairs
    units = key.units_of(pairs.left)
    rows = Rows(key.prepared.x, units[pairs.left]), Rows(key.inside_x, units[key.inside[0]])
    odds = held_out(rows[0], key.linked, rows[1], key.config.folds, key.progress)
    # Half the log-odds are comparable to an SVM margin f, whose odds are exp(2 f).
    return Measured((rounded(odds[0] / 2), rounded(odds[1] / 2)))


def _flags(rows: pd.DataFrame, config: AuditConfig, link: bool) -> Floats:
    score = expit((2 if link else -2) * rows[HELD_OUT.id].to_numpy(dtype=float))
    return np.where(score > (_LINKED if link else _UNLINKED), score, np.nan)


def _reason(record: Mapping[Any, Any], link: bool) -> str:
    probability = float(expit(2 * record[HELD_OUT.id]))
    if link:
        return (
            f"a classifier trained on other topics gives a link a probability of {probability:.0%}"
        )
    return (
        f"a classifier trained on other topics links it to no member of its chain "
        f"(probability of a link {probability:.0%})"
    )


HELD_OUT = PairDetector(
    id="held-out",
    words="pairs for which a classifier trained on the other topics contradicts the key",
    measure=_measure,
    flags=_flags,
    reason=_reason,
    ordered=("members",),
)

"""Links that a classifier trained on the other topics contradicts.

Based on confident learning (Northcutt, Jiang & Chuang 2021, JAIR 70): each pair is classified by a
logistic regression that was not trained on its topic, so that it cannot memorise the label.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import expit

from cdec.arrays import Bools, Floats, Ints, Reals
from cdec.auditing.evidence import rounded
from cdec.auditing.suspect import Measured, PairDetector
from cdec.errors import CorpusError
from cdec.files.jobs import mapped

if TYPE_CHECKING:
    from cdec.auditing.config import AuditConfig
    from cdec.auditing.key import Key

_WORTH = 50_000  # pairs from which several threads pay off
_LINKED, _UNLINKED = 0.3, 0.5  # smallest probabilities of a missing link, of a spurious member


def _measure(key: Key) -> Measured:
    """Return half the log-odds of a link for each pair, by cross-validation over topics.

    Half, because they are then comparable to an SVM margin f, whose odds are exp(2 f). Raises
    CorpusError if all pairs are of one topic, or the training pairs are all linked or unlinked.
    """
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415

    units = key.units_of(key.pairs.left)
    topics, other_topics = units[key.pairs.left], units[key.inside[0]]
    count = min(key.config.folds, len(np.unique(topics)))
    if count < 2:
        raise _untrainable("all pairs are of one topic")
    odds, others = np.empty(len(topics)), np.empty(len(other_topics))
    unseen = ~np.isin(other_topics, topics)
    # No model was trained on a topic without pairs: the last model is used.
    folds = [
        (train, test, np.flatnonzero(np.isin(other_topics, topics[test]) | unseen))
        for train, test in GroupKFold(count).split(key.x, key.linked, topics)
    ]
    data = (key.x, key.linked, key.inside_x)
    made = mapped(_of_fold, folds, data, threads=True, worth=len(topics) >= _WORTH)
    results = key.progress(made, count, "training on the other topics")
    for (_, test, here), (own, other) in zip(folds, results, strict=True):
        odds[test], others[here] = own, other
    return Measured((rounded(odds / 2), rounded(others / 2)))


def _of_fold(
    fold: tuple[Ints, Ints, Ints], x: Reals, linked: Bools, others: Reals
) -> tuple[Floats, Floats]:
    """Train on the first rows of a fold; return the log-odds of the other two."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    train, test, here = fold
    if linked[train].all() or not linked[train].any():
        raise _untrainable("the training pairs of a fold are all linked or all unlinked")
    # In single precision the result would depend on the processor from the sixth digit on.
    model = LogisticRegression(fit_intercept=False, max_iter=500, solver="newton-cholesky")
    model.fit(x[train].astype(np.float64), linked[train])
    rows = (x[test], others[here])
    own, other = (
        model.decision_function(r.astype(np.float64)) if len(r) else np.zeros(0) for r in rows
    )
    return own, other


def _untrainable(reason: str) -> CorpusError:
    return CorpusError(
        "part-too-small",
        f"the detector '{HELD_OUT.id}' cannot be trained: {reason}",
        hint="audit a larger part of the corpus or use other detectors",
    )


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

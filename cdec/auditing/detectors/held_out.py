"""Links that a classifier trained on the other topics contradicts.

Based on confident learning (Northcutt, Jiang & Chuang 2021, JAIR 70): each pair is classified by a
logistic regression that was not trained on its topic, so that it cannot memorise the label.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import expit

from cdec.arrays import Bools, Floats, Ints, Reals
from cdec.auditing.suspect import LINKS, MEMBERS, Flag, detector
from cdec.errors import CorpusError
from cdec.files.jobs import mapped

if TYPE_CHECKING:
    from cdec.auditing.key import Key

HELD_OUT = "held-out"
_FOLDS = 5  # of topics
_WORTH = 50_000  # pairs from which several threads pay off
_LINKED, _UNLINKED = 0.3, 0.5  # smallest probabilities of a missing link, of a spurious member


def log_odds(key: Key) -> tuple[Floats, Floats]:
    """Return half the log-odds of a link of candidate pairs and of pairs inside chains.

    Half, because they are then comparable to an SVM margin f, whose odds are exp(2 f). Raises
    CorpusError if all pairs are of one topic, or the training pairs are all linked or unlinked.
    """
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415

    units = _units(key)
    topics, other_topics = units[key.pairs.left], units[key.inside[0]]
    count = min(_FOLDS, len(np.unique(topics)))
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
    return odds / 2, others / 2


def _units(key: Key) -> Ints:
    """Return the unit of each mention for folds: topic, or sub-topic or document if one."""
    for name in ("topic", "subtopic", "doc"):
        units = pd.factorize(key.corpus.selected[name])[0].astype(np.int64)
        if len(np.unique(units[key.pairs.left])) > 1:
            break
    return units


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
    message = f"the detector '{HELD_OUT}' cannot be trained: {reason}"
    hint = "audit a larger part of the corpus or use other detectors"
    return CorpusError("part-too-small", message, hint=hint)


@detector(HELD_OUT, "pairs for which a classifier trained on the other topics contradicts the key")
def held_out(key: Key) -> Iterator[Flag]:
    """Flag a row whose combined probability of a link contradicts the key."""
    if HELD_OUT not in key.margins:
        return
    classifier = "a classifier trained on other topics"
    for row, margin in zip(key.links.index.tolist(), key.links[HELD_OUT], strict=True):
        if (p := expit(2 * margin)) > _LINKED:
            reason = f"{classifier} gives a link a probability of {p:.0%}"
            yield Flag(LINKS, row, p, reason)
    rows = key.memberships
    for row, margin in zip(rows.index.tolist(), rows[HELD_OUT], strict=True):
        if (wrong := expit(-2 * margin)) > _UNLINKED:
            none = f"{classifier} links it to no member of its chain"
            p = expit(2 * margin)
            yield Flag(MEMBERS, row, wrong, f"{none} (probability of a link {p:.0%})")

"""Links that a model trained on the other topics contradicts.

After confident learning (Northcutt, Jiang & Chuang 2021, JAIR 70), with scikit-learn alone: each
pair is judged by a logistic regression that has not seen its topic, so that no label is memorised.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cdec.arrays import Bools, Floats, Ints, Reals
from cdec.errors import CorpusError
from cdec.io.progress import Progress, silent

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression


@dataclass(frozen=True, eq=False)
class Rows:
    """Pairs of mentions: their columns (with the constant) and the topic of each."""

    x: Reals
    topics: Ints


def held_out(
    pairs: Rows, linked: Bools, others: Rows, folds: int, progress: Progress = silent
) -> tuple[Floats, Floats]:
    """Return the log-odds of a link for each of ``pairs`` and ``others``, from models without it.

    Models learn from ``pairs`` of the other folds of topics. Raises CorpusError for pairs of one
    topic only, and where all pairs outside a fold are linked, or none.
    """
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415

    count = min(folds, len(np.unique(pairs.topics)))
    if count < 2:
        raise _too_little("pairs of one topic only")
    odds, other_odds = np.empty(len(linked)), np.empty(len(others.topics))
    unseen = ~np.isin(others.topics, pairs.topics)
    splits = GroupKFold(count).split(pairs.x, linked, pairs.topics)
    for train, test in progress(splits, count, "learning from the other topics"):
        if linked[train].all() or not linked[train].any():
            raise _too_little("linked pairs only, or none, outside a fold")
        model = _fitted(pairs.x[train], linked[train])
        odds[test] = model.decision_function(pairs.x[test])
        # A topic without any pair is held out of every model: the last one serves.
        here = np.isin(others.topics, pairs.topics[test]) | unseen
        other_odds[here] = model.decision_function(others.x[here]) if here.any() else 0
    return odds, other_odds


def _fitted(x: Reals, linked: Bools) -> LogisticRegression:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    model = LogisticRegression(fit_intercept=False, max_iter=500, solver="newton-cholesky")
    return model.fit(x, linked)


def _too_little(what: str) -> CorpusError:
    return CorpusError(
        f"the held-out ranking has {what}",
        hint="audit more of the corpus, or leave the detector 'held-out' out",
    )

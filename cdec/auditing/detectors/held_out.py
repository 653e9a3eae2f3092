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

    for name in ("topic", "subtopic", "doc"):  # the folds are of topics; of documents if one
        units = pd.factorize(key.corpus.selected[name])[0]
        topics, other_topics = units[key.pairs.left], units[key.inside[0]]
        count = min(_FOLDS, len(np.unique(topics)))
        if count > 1:
            break
    else:
        raise _untrainable("all pairs are of one document")
    odds, others = np.empty(len(topics)), np.empty(len(other_topics))
    folds = list(GroupKFold(count).split(key.x, key.linked, topics))
    data = (key.x, key.linked, key.inside_x)
    made = mapped(_of_fold, folds, data, threads=True, worth=len(topics) >= _WORTH)
    results = key.progress(made, count, "training on the other topics")
    for (_, test), (own, inside) in zip(folds, results, strict=True):
        odds[test] = own
        # No model was trained on a topic without pairs: the last model is used.
        here = np.isin(other_topics, topics[test]) | ~np.isin(other_topics, topics)
        others[here] = inside[here]
    return odds / 2, others / 2


def _of_fold(
    fold: tuple[Ints, Ints], x: Reals, linked: Bools, inside: Reals
) -> tuple[Floats, Floats]:
    """Train on the first rows of a fold; return the log-odds of the others, and of ``inside``."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    train, test = fold
    if len(np.unique(linked[train])) < 2:
        raise _untrainable("the training pairs of a fold are all linked or all unlinked")
    # In single precision the result would depend on the processor from the sixth digit on.
    model = LogisticRegression(fit_intercept=False, max_iter=500, solver="newton-cholesky")
    model.fit(x[train].astype(np.float64), linked[train])
    own, other = (model.decision_function(r.astype(np.float64)) for r in (x[test], inside))
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
            reason = f"{classifier} links it to no member of its chain "
            reason += f"(probability of a link {expit(2 * margin):.0%})"
            yield Flag(MEMBERS, row, wrong, reason)

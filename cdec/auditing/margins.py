"""Two classifiers of mention pairs: the margin of a link for each pair, half its log-odds.

The anchored SVM of Goldberg & Elhadad (2007) is solved without its anchor columns. "SVM Model
Tampering and Anchored Learning: A Case Study in Hebrew NP Chunking", ACL 2007: each example gets
one additional feature, the anchor, which is 1 for this example only. So the data are separable. A
large anchor weight a_i means that the other features do not explain the label of example i, which
is then more likely to be wrong.

For weights w, labels y = ±1 and a cost C, the SVM of the extended data minimises
½‖w‖² + ½‖a‖² + C Σ max(0, 1 − y_i (w·x_i + a_i)). With ξ_i = max(0, 1 − y_i w·x_i) the best anchor
is y_i a_i = min(ξ_i, C). If C is above the largest ξ this is ½‖w‖² + ½‖ξ‖²: the squared-hinge SVM,
``LinearSVC`` of scikit-learn with C = ½. There are no class weights: they scale C, which has no
effect in a separable problem with a high C. A constant column replaces the intercept.

The held-out classifier is based on confident learning (Northcutt, Jiang & Chuang 2021, JAIR 70):
each pair is classified by a logistic regression that was not trained on its topic, so that it
cannot memorise the label.

Both are given the columns of the *candidate* pairs, on which they are trained, and of the pairs
*inside* chains.
"""

from __future__ import annotations

import numpy as np

from cdec.arrays import Bools, Floats, Ints, Reals, Singles
from cdec.files.jobs import mapped
from cdec.files.progress import Progress

_FOLDS = 5  # of topics
_WORTH = 50_000  # pairs from which several threads pay off


def svm_margins(
    candidates: Singles, inside: Singles, linked: Bools
) -> tuple[Floats, Floats]:
    """Return the margin of a link of each candidate pair and of each pair inside a chain."""
    from sklearn.svm import LinearSVC  # noqa: PLC0415

    model = LinearSVC(
        C=0.5, dual=False, fit_intercept=False, tol=1e-8, max_iter=100_000
    )
    weights = model.fit(candidates, linked).coef_[0]
    return candidates @ weights, inside @ weights


def anchors_of(margins: Floats, linked: Bools) -> Floats:
    """Return the SVM's anchor |a| of each candidate pair: 0 if it needs none."""
    labels = np.where(linked, 1, -1)
    return np.maximum(0, 1 - labels * margins)


def held_out_margins(
    candidates: Singles,
    inside: Singles,
    linked: Bools,
    *,
    candidate_topics: Ints,
    inside_topics: Ints,
    progress: Progress,
) -> tuple[Floats, Floats] | None:
    """Return half the log-odds of a link of candidate pairs and of pairs inside chains.

    Half, because they are then comparable to an SVM margin f, whose odds are exp(2 f). None if the
    training pairs of a fold are all linked or all unlinked.
    """
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415

    count = min(_FOLDS, len(np.unique(candidate_topics)))
    folds = list(GroupKFold(count).split(candidates, linked, candidate_topics))
    for training, _ in folds:
        if len(np.unique(linked[training])) < 2:
            return None
    results = mapped(
        _odds_of_fold,
        folds,
        (candidates, linked, inside),
        threads=True,
        worth=len(candidates) >= _WORTH,
    )
    odds = np.empty(len(candidates))
    inside_odds = np.empty(len(inside))
    shown = progress(results, count, "training on the other topics")
    for (_, test), (test_odds, odds_of_all_inside) in zip(folds, shown, strict=True):
        odds[test] = test_odds
        # No model was trained on a topic without candidate pairs: the last model is used.
        in_test_topic = np.isin(inside_topics, candidate_topics[test])
        in_new_topic = ~np.isin(inside_topics, candidate_topics)
        rows = in_test_topic | in_new_topic
        inside_odds[rows] = odds_of_all_inside[rows]
    return odds / 2, inside_odds / 2


def _odds_of_fold(
    fold: tuple[Ints, Ints], candidates: Reals, linked: Bools, inside: Reals
) -> tuple[Floats, Floats]:
    """Train on the first rows of a fold; return log-odds of its other rows, and of ``inside``."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    training, test = fold
    model = LogisticRegression(
        fit_intercept=False, max_iter=500, solver="newton-cholesky"
    )
    # In single precision the result would depend on the processor from the sixth digit on.
    model.fit(candidates[training].astype(np.float64), linked[training])
    test_odds = model.decision_function(candidates[test].astype(np.float64))
    inside_odds = model.decision_function(inside.astype(np.float64))
    return test_odds, inside_odds

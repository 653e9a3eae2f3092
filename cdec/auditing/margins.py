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

Both are given the *columns* of all pairs that are measured: first the candidate pairs, on which
they are trained and which are *linked* or not, then the pairs inside chains.
"""

from __future__ import annotations

import numpy as np

from cdec.arrays import Bools, Floats, Ints, Singles
from cdec.files.jobs import mapped
from cdec.files.progress import Progress

_FOLDS = 5  # of topics
_WORTH = 50_000  # pairs from which several threads pay off


def svm_margins(columns: Singles, linked: Bools) -> Floats:
    """Return the margin of each pair by the SVM."""
    from sklearn.svm import LinearSVC  # noqa: PLC0415

    model = LinearSVC(
        C=0.5, dual=False, fit_intercept=False, tol=1e-8, max_iter=100_000
    )
    weights: Floats = model.fit(columns[: len(linked)], linked).coef_[0]
    return columns @ weights


def held_out_margins(
    columns: Singles, linked: Bools, topics: Ints, progress: Progress
) -> Floats | None:
    """Return half the log-odds of a link of each pair, by a model without its topic.

    Half, because they are then comparable to an SVM margin f, whose odds are exp(2 f). None if the
    training pairs of a fold are all linked or all unlinked.
    """
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415

    trained_topics = topics[: len(linked)]
    count = min(_FOLDS, len(np.unique(trained_topics)))
    folds = list(GroupKFold(count).split(linked, groups=trained_topics))
    if any(len(np.unique(linked[training])) < 2 for training, _ in folds):
        return None
    is_large = len(linked) >= _WORTH
    of_folds = mapped(
        _odds_of_fold, folds, (columns, linked), threads=True, worth=is_large
    )
    odds = np.empty(len(columns))
    results = progress(of_folds, count, "training on the other topics")
    for (_, test), odds_of_all in zip(folds, results, strict=True):
        # No model was trained on a topic without candidate pairs: the last model is used.
        unseen = np.isin(topics, topics[test]) | ~np.isin(topics, trained_topics)
        odds[unseen] = odds_of_all[unseen]
    return odds / 2


def _odds_of_fold(fold: tuple[Ints, Ints], columns: Singles, linked: Bools) -> Floats:
    """Train on the first rows of a fold; return the log-odds of a link of all pairs."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    training, _ = fold
    # In single precision the result would depend on the processor from the sixth digit on.
    exact = columns.astype(np.float64)
    model = LogisticRegression(
        fit_intercept=False, max_iter=500, solver="newton-cholesky"
    )
    odds: Floats = model.fit(exact[training], linked[training]).decision_function(exact)
    return odds

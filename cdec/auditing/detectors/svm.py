"""The anchored SVM of Goldberg & Elhadad (2007), solved without its anchor columns.

"SVM Model Tampering and Anchored Learning: A Case Study in Hebrew NP Chunking", ACL 2007: each
example gets one additional feature, the anchor, which is 1 for this example only. So the data are
separable. A large anchor weight a_i means that the other features do not explain the label of
example i, which is then more likely to be wrong.

For weights w, labels y = ±1 and a cost C, the SVM of the extended data minimises
½‖w‖² + ½‖a‖² + C Σ max(0, 1 − y_i (w·x_i + a_i)). With ξ_i = max(0, 1 − y_i w·x_i) the best anchor
is y_i a_i = min(ξ_i, C). If C is above the largest ξ this is ½‖w‖² + ½‖ξ‖²: the squared-hinge SVM,
``LinearSVC`` of scikit-learn with C = ½. There are no class weights: they scale C, which has no
effect in a separable problem with a high C. A constant column replaces the intercept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from cdec.arrays import Bools, Floats, Reals
from cdec.auditing.suspect import LINKS, MEMBERS, Flag, detector

if TYPE_CHECKING:
    from cdec.auditing.key import Key

SVM = "svm"


def anchored(x: Reals, linked: Bools) -> tuple[Floats, Floats]:
    """Return the weights w, and the anchor |a| of each example: 0 if it needs none.

    ``x`` is examples × features and includes the constant column.
    """
    from sklearn.svm import LinearSVC  # noqa: PLC0415

    model = LinearSVC(C=0.5, dual=False, fit_intercept=False, tol=1e-8, max_iter=100_000)
    weights = model.fit(x, linked).coef_[0]
    return weights, np.maximum(0, 1 - np.where(linked, 1, -1) * (x @ weights))


@detector(SVM, "pairs with a large weight of their anchor in an SVM (Goldberg & Elhadad 2007)")
def svm(key: Key) -> Iterator[Flag]:
    """Flag a row if the anchor of its strongest pair exceeds δ."""
    of = ("anchor", SVM)
    for row, anchor, margin in key.links.loc[key.links["anchor"] > key.delta, of].itertuples():
        reason = f"their features suggest a link (SVM anchor {anchor:.2f})"
        yield Flag(LINKS, row, expit(2 * margin), reason)
    rows = key.memberships
    for row, anchor, margin in rows.loc[rows["anchor"] > key.delta, of].itertuples():
        reason = "its features suggest no link to any member of its chain "
        reason += f"(SVM anchor of the most similar one {anchor:.2f})"
        yield Flag(MEMBERS, row, expit(-2 * margin), reason)

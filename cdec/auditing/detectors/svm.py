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

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import expit

from cdec.arrays import Bools, Floats, Reals
from cdec.auditing.evidence import rounded
from cdec.auditing.suspect import Measured, PairDetector

if TYPE_CHECKING:
    from cdec.auditing.config import AuditConfig
    from cdec.auditing.key import Key

SLACK = "slack"  # the column with |a| of the strongest pair


def anchored(x: Reals, linked: Bools) -> tuple[Floats, Floats]:
    """Return the weights w, and the anchor |a| of each example: 0 if it needs none.

    ``x`` is examples × features and includes the constant column.
    """
    from sklearn.svm import LinearSVC  # noqa: PLC0415

    model = LinearSVC(C=0.5, dual=False, fit_intercept=False, tol=1e-8, max_iter=100_000)
    weights = model.fit(x, linked).coef_[0]
    return weights, np.maximum(0, 1 - np.where(linked, 1, -1) * (x @ weights))


def _measure(key: Key) -> Measured:
    weights, anchors = anchored(key.x, key.linked)
    pairs, inside = (rounded(x @ weights) for x in (key.x, key.inside_x))
    return Measured((pairs, inside), {SLACK: (rounded(anchors), 1 - inside)}, weights)


def _flags(rows: pd.DataFrame, config: AuditConfig, link: bool) -> Floats:
    """Flag a row if the anchor of its strongest pair exceeds δ."""
    score = expit((2 if link else -2) * rows[SVM.id].to_numpy(dtype=float))
    return np.where(rows[SLACK].to_numpy(dtype=float) > config.delta, score, np.nan)


def _reason(record: Mapping[Any, Any], link: bool) -> str:
    if link:
        return f"their features suggest a link (SVM anchor {record[SLACK]:.2f})"
    return (
        f"its features suggest no link to any member of its chain "
        f"(SVM anchor of the most similar one {record[SLACK]:.2f})"
    )


SVM = PairDetector(
    id="svm",
    words="pairs with a large weight of their anchor in an SVM (Goldberg & Elhadad 2007)",
    measure=_measure,
    flags=_flags,
    reason=_reason,
    ordered=(),
)

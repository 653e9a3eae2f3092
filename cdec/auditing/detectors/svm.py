"""The anchored SVM of Goldberg & Elhadad (2007), in two forms that give the same anchors.

"SVM Model Tampering and Anchored Learning: A Case Study in Hebrew NP Chunking", ACL 2007: each
example gets one additional feature, the anchor, which is 1 for this example only. So the data are
separable. A large anchor weight a_i means that the other features do not explain the label of
example i, which is then more likely to be wrong.

For weights w, labels y = ±1 and a cost C, the SVM of the extended data minimises
½‖w‖² + ½‖a‖² + C Σ max(0, 1 − y_i (w·x_i + a_i)). With ξ_i = max(0, 1 − y_i w·x_i) the best anchor
is y_i a_i = min(ξ_i, C). This leaves a problem in w alone, without the anchor columns:
½‖w‖² + Σ h(ξ_i) with h(ξ) = ½ξ² up to C and Cξ − ½C² beyond. If C is above the largest ξ, it is the
squared-hinge SVM (``LinearSVC`` of scikit-learn with C = ½, because its objective is
½‖w‖² + C‖ξ‖²) and equal to a hard margin.

There are no class weights: they scale C, which has no effect in a separable problem with a high C.
A constant column replaces the intercept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import expit

from cdec.arrays import Bools, Floats, Reals
from cdec.auditing.detector import Measured, PairDetector
from cdec.auditing.evidence import rounded

if TYPE_CHECKING:
    from cdec.auditing.config import AuditConfig
    from cdec.auditing.key import Key

SLACK = "slack"  # the column with |a| of the strongest pair

_STEPS = 100
_ROUNDING = 1e-12
_SHORTEST = 1e-8  # smallest step length
_TOLERANCE = 1e-10
_ROWS = 1 << 15  # rows in a block of double precision
_BIG = 1e4  # above any anchor


@dataclass(frozen=True, eq=False)
class Anchored:
    """Weights w and anchors |a| of the examples; 0 if the margin is met without an anchor."""

    weights: Floats
    anchors: Floats

    def decide(self, x: Reals) -> Floats:
        """Return w·x of each row: positive if the model predicts a link."""
        return np.asarray(x @ self.weights, dtype=np.float64)


def anchored(x: Reals, linked: Bools, cost: float = _BIG) -> Anchored:
    """Return the anchored SVM, by Newton's method on the problem in w alone.

    ``x`` is examples × features and includes the constant column. Raises ValueError if the cost is
    not above 0 or the method does not converge.
    """
    if not cost > 0:
        raise ValueError(f"cost is {cost}, expected a number above 0")
    problem = _Problem(x, np.where(linked, 1.0, -1.0), cost)
    point = problem.at(np.zeros(x.shape[1]))
    for _ in range(_STEPS):
        if np.abs(point.gradient).max(initial=0) <= _TOLERANCE * max(1, len(x)):
            return Anchored(point.weights, np.clip(problem.slack(point.weights), 0, cost))
        point = problem.better(point)
    raise ValueError("the anchored SVM does not converge: features must be finite and scaled")


@dataclass(frozen=True, eq=False)
class _Point:
    weights: Floats
    value: float
    gradient: Floats
    hessian: Floats


@dataclass(frozen=True, eq=False)
class _Problem:
    """½‖w‖² + Σ h(ξ_i), which is convex and piecewise quadratic."""

    x: Reals
    signs: Floats
    cost: float

    def slack(self, weights: Floats) -> Floats:
        """Return 1 − y w·x of each example."""
        return np.asarray(1 - self.signs * (self.x @ weights), dtype=np.float64)

    def at(self, weights: Floats) -> _Point:
        """Return value, gradient and Hessian, summed over blocks of rows."""
        value, gradient, hessian = weights @ weights / 2, weights.copy(), np.eye(len(weights))
        for start in range(0, len(self.x), _ROWS):
            rows = self.x[start : start + _ROWS].astype(np.float64)
            signs = self.signs[start : start + _ROWS]
            slack = np.maximum(0, 1 - signs * (rows @ weights))
            anchor = np.minimum(slack, self.cost)
            value += float((anchor * slack - anchor**2 / 2).sum())
            gradient -= (signs * anchor) @ rows
            curved = rows[(slack > 0) & (slack < self.cost)]
            hessian += curved.T @ curved
        return _Point(weights, float(value), gradient, hessian)

    def better(self, point: _Point) -> _Point:
        """Return the point after a Newton step, halved until the value decreases."""
        step = -np.linalg.solve(point.hessian, point.gradient)
        length = 1.0
        while True:
            new = self.at(point.weights + length * step)
            if new.value <= point.value + _ROUNDING * abs(point.value) or length < _SHORTEST:
                return new
            length /= 2


def _measure(key: Key) -> Measured:
    model = anchored(key.prepared.x, key.linked, key.config.cost)
    pairs, inside = (rounded(model.decide(x)) for x in (key.prepared.x, key.inside_x))
    return Measured((pairs, inside), {SLACK: (rounded(model.anchors), 1 - inside)}, model.weights)


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

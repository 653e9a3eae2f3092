"""The classifier of SAC as plain arrays: a stored model contains no code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from cdec.arrays import Bools, Floats, Singles


@dataclass(frozen=True, eq=False)
class Linear:
    """Weights and bias for unscaled features: both include the scaling of training."""

    weights: Floats
    bias: float

    @classmethod
    def fit(cls, features: Singles, linked: Bools, seed: int) -> Self:
        """Return scikit-learn's logistic regression (L2, C = 1) on features of unit variance."""
        mean = features.mean(axis=0, dtype=np.float64)
        scale = features.std(axis=0, dtype=np.float64)
        scale[scale == 0] = 1.0
        model = LogisticRegression(max_iter=1000, random_state=seed)
        model.fit((features - mean) / scale, linked)
        weights = model.coef_[0] / scale
        return cls(weights, float(model.intercept_[0] - mean @ weights))

    def logits(self, features: Singles) -> Floats:
        """Return the log-odds of each row."""
        return np.asarray(features @ self.weights + self.bias, dtype=np.float64)

    def fits(self, width: int) -> bool:
        """Return whether this is a valid classifier of ``width`` columns."""
        finite = np.isfinite(self.weights).all() and np.isfinite(self.bias)
        return self.weights.shape == (width,) and bool(finite)

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """Return the classifier as arrays, for a file."""
        return {"weights": self.weights, "bias": np.array([self.bias])}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[np.generic]]) -> Self:
        """Return the classifier stored as ``arrays``."""
        return cls(arrays["weights"].astype(float), float(arrays["bias"].astype(float)[0]))

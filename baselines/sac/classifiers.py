"""The classifiers of SAC as plain arrays: a stored model contains no code.

``Linear`` is logistic regression over scaled features, ``Forest`` gradient-boosted trees.
Scikit-learn grows the trees; predictions are computed here with bit vectors (QuickScorer: Lucchese
et al. 2015, "QuickScorer: a fast algorithm to rank documents with additive ensembles of regression
trees", SIGIR). Leaves are numbered from left to right. Each split that sends a row to the right
removes the leaves of its left branch; the first remaining leaf is the row's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from cdec.arrays import Bools, Floats, Ints, Singles

LEAVES = 15
_SPLITS = LEAVES - 1
_ALL = (1 << LEAVES) - 1
_GROWTH = {
    "max_iter": 200,
    "learning_rate": 0.06,
    "max_leaf_nodes": LEAVES,
    "min_samples_leaf": 100,
    "l2_regularization": 1.0,
    "early_stopping": False,
}
# Lowest set bit of a mask → its number.
_FIRST = np.array([(mask & -mask).bit_length() - 1 for mask in range(_ALL + 1)], dtype=np.int8)


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


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees × splits: column, threshold, and mask of the leaves that remain if a row goes right.

    ``values``: trees × leaves. A tree with fewer splits is padded with splits that have no effect.
    """

    column: Ints = field(repr=False)
    threshold: Floats = field(repr=False)
    mask: npt.NDArray[np.uint16] = field(repr=False)
    values: Floats = field(repr=False)
    bias: float

    @classmethod
    def fit(cls, features: Singles, linked: Bools, seed: int) -> Self:
        """Return scikit-learn's histogram gradient boosting (logistic loss), as arrays."""
        model = HistGradientBoostingClassifier(random_state=seed, **_GROWTH)
        model.fit(features, linked)
        trees = [_tree(stage[0].nodes) for stage in model._predictors]
        column, threshold, mask, values = (np.stack(part) for part in zip(*trees, strict=True))
        return cls(column, threshold, mask, values, float(np.ravel(model._baseline_prediction)[0]))

    def logits(self, features: Singles) -> Floats:
        """Return the log-odds of each row."""
        total = np.full(len(features), self.bias)
        columns = np.asfortranarray(features)
        for column, threshold, mask, values in zip(
            self.column, self.threshold, self.mask, self.values, strict=True
        ):
            left = np.full(len(features), _ALL, dtype=np.uint16)
            for c, t, m in zip(column, threshold, mask, strict=True):
                if m != _ALL:
                    left &= np.where(columns[:, c] > t, m, np.uint16(_ALL))
            total += values[_FIRST[left]]
        return total

    def fits(self, width: int) -> bool:
        """Return whether these are valid trees over ``width`` columns."""
        trees = len(self.values)
        shapes = [self.column.shape, self.threshold.shape, self.mask.shape]
        if shapes != [(trees, _SPLITS)] * 3 or self.values.shape != (trees, LEAVES):
            return False
        finite = np.isfinite(self.values).all() and np.isfinite(self.bias)
        inside = ((self.column >= 0) & (self.column < width)).all() and (self.mask <= _ALL).all()
        # A threshold may be infinite: a split on missing values.
        return bool(finite and inside and not np.isnan(self.threshold).any())

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """Return the classifier as arrays, for a file."""
        names = ("column", "threshold", "mask", "values")
        return {name: getattr(self, name) for name in names} | {"bias": np.array([self.bias])}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[np.generic]]) -> Self:
        """Return the classifier stored as ``arrays``."""
        return cls(
            arrays["column"].astype(np.int64),
            arrays["threshold"].astype(np.float64),
            arrays["mask"].astype(np.uint16),
            arrays["values"].astype(np.float64),
            float(arrays["bias"].astype(np.float64)[0]),
        )


MEMBERS: dict[str, type[Linear] | type[Forest]] = {"linear": Linear, "forest": Forest}


def _tree(nodes: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], ...]:
    """Return one tree's columns, thresholds, masks and leaf values from scikit-learn's nodes."""
    leaves = list(_leaves(nodes, 0))
    number = {leaf: rank for rank, leaf in enumerate(leaves)}
    column = np.zeros(_SPLITS, dtype=np.int64)
    threshold = np.zeros(_SPLITS)
    mask = np.full(_SPLITS, _ALL, dtype=np.uint16)
    splits = (place for place, node in enumerate(nodes) if not node["is_leaf"])
    for row, place in enumerate(splits):
        node = nodes[place]
        column[row], threshold[row] = node["feature_idx"], node["num_threshold"]
        removed = sum(1 << number[leaf] for leaf in _leaves(nodes, int(node["left"])))
        mask[row] = _ALL & ~removed
    values = np.zeros(LEAVES)
    values[: len(leaves)] = nodes["value"][leaves]
    return column, threshold, mask, values


def _leaves(nodes: npt.NDArray[Any], place: int) -> Iterator[int]:
    if nodes[place]["is_leaf"]:
        yield place
        return
    yield from _leaves(nodes, int(nodes[place]["left"]))
    yield from _leaves(nodes, int(nodes[place]["right"]))

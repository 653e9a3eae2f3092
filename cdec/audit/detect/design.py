"""From pairwise features to the columns that the audit's models learn from."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cdec.arrays import Floats, Singles
from cdec.audit.detect.pool import COLUMNS

# A feature means another thing where heads are the same word, and where documents are alike.
_CROSSED = tuple(COLUMNS.index(name) for name in ("same_lemma", "document_cosine"))
_ROWS = 1 << 15


@dataclass(frozen=True, eq=False)
class Design:
    """Features of mean 0 and variance 1, their products with two of them, scaled alike, and a 1.

    The scales are those of the pairs that it was ``fit`` on.
    """

    mean: Floats = field(repr=False)
    scale: Floats = field(repr=False)

    @classmethod
    def fit(cls, features: Singles) -> Design:
        """Return the design for the scales of ``features``, of which there is at least one row."""
        mean, scale = _moments(features)
        crossed_mean, crossed_scale = _moments(_crossed((features - mean) / scale))
        return cls(np.append(mean, crossed_mean), np.append(scale, crossed_scale))

    def apply(self, features: Singles) -> Singles:
        """Return pairs × columns in single precision: features, products, constant."""
        size = features.shape[1]
        made = np.ones((len(features), len(self.mean) + 1), dtype=np.float32)
        for at in range(0, len(features), _ROWS):
            part = slice(at, at + _ROWS)
            plain = (features[part] - self.mean[:size]) / self.scale[:size]
            made[part, :size] = plain
            made[part, size:-1] = (_crossed(plain) - self.mean[size:]) / self.scale[size:]
        return made

    def contributions(self, row: Singles, weights: Floats) -> Floats:
        """Return what each feature adds to w·x of one row of ``apply``, products included."""
        parts = (row * weights)[:-1].reshape(1 + len(_CROSSED), -1)
        return np.asarray(parts.sum(axis=0), dtype=np.float64)


def _moments(values: npt.NDArray[np.floating]) -> tuple[Floats, Floats]:
    scale = values.std(axis=0, dtype=np.float64)
    scale[scale < 1e-12] = 1.0
    return values.mean(axis=0, dtype=np.float64), scale


def _crossed(plain: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    return np.hstack([plain * plain[:, [place]] for place in _CROSSED])

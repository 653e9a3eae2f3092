"""A trained SAC model: classifier, calibration and threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit
from threadpoolctl import threadpool_limits

from cdec.arrays import Floats, Singles
from cdec.baselines.sac.classifiers import Linear
from cdec.baselines.sac.config import SacConfig


@dataclass(frozen=True)
class Calibration:
    """Platt (1999) scaling: maps log-odds of sampled pairs to log-odds of all pairs."""

    slope: float
    shift: float

    def probabilities(self, logits: Floats) -> Floats:
        """Return the probability of each pair."""
        return np.asarray(expit(self.slope * logits + self.shift), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Model:
    """A trained model. ``choices`` and ``nlp``: the parameters and pipeline of its features.

    ``trained_on``: the corpus part; ``seen``: fingerprints of its documents; ``key``: digest of the
    training data and parameters; ``curve``: threshold → out-of-fold score (see ``training``).
    """

    choices: SacConfig
    nlp: str
    trained_on: str
    key: str
    seen: tuple[str, ...] = field(repr=False)
    classifier: Linear = field(repr=False)
    calibration: Calibration
    threshold: float
    curve: Mapping[float, float] = field(repr=False)


def logits(classifier: Linear, features: Singles) -> Floats:
    """Return the log-odds of each row."""
    # As in training: with several threads the last digit depends on their number.
    with threadpool_limits(1):
        return classifier.logits(features)

"""Confidence intervals from resamples: percentile and BCa.

Efron and Tibshirani (1993), *An Introduction to the Bootstrap*, chapters 13 and 14. Two things are
done about the few topics that a corpus has:

* **Few units.** Resamples of n units vary by a factor √((n − 1)/n) too little, and normal
  quantiles stand in for Student's. Both are mended by taking wider percentiles (Hesterberg 2015,
  *What Teachers Should Know About the Bootstrap*, The American Statistician 69(4), section 4.1):
  α/2 becomes Φ(√(n/(n−1)) · t_{n−1}(α/2)).
* **Copies.** Where meta-documents span units, chains that join copies of one unit bias the
  resamples (see ``copies``): the interval of the percentiles need not contain the score. There
  the resamples are shifted so that their mean is the score, before percentiles are taken. The
  shift is on the scale of log-odds, so that no end leaves [0, 1]. Without such chains nothing is
  shifted.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm, t

from cdec.arrays import Floats, Ints

# Log-odds: a score of 1 − 10⁻¹⁷ is 1 in floating point. Halved so often, the shift is exact.
_LARGEST_SHIFT = 80.0
_BISECTIONS = 60


def percentile(replicates: Floats, units: int, level: float) -> Floats:
    """Return lower and upper end, shape (2, …), of replicates (resamples, …) of ``units`` units."""
    levels = norm.cdf(_normal_ends(units, level))
    ends: Floats = np.quantile(replicates, levels, axis=0)
    return ends


def bca(
    replicates: Floats, estimate: Floats, jackknife: Floats, units: int, level: float
) -> Floats:
    """Return the ends of the bias-corrected and accelerated interval, shape (2, …).

    ``estimate`` (…) is the score, ``jackknife`` (units, …) the scores with one unit left out.
    A replicate equal to the score counts half below it.
    """
    below = (replicates < estimate).mean(axis=0) + (replicates == estimate).mean(axis=0) / 2
    few = 1 / (2 * len(replicates))
    bias = norm.ppf(np.clip(below, few, 1 - few))
    shifted = bias + _normal_ends(units, level).reshape(2, *(1 for _ in estimate.shape))
    levels = norm.cdf(bias + shifted / (1 - _acceleration(jackknife) * shifted))
    return _quantiles(replicates, levels)


def centred(replicates: Floats, estimate: Floats) -> Floats:
    """Return the replicates shifted so that their mean is the score.

    ``replicates`` (resamples, …) and ``estimate`` (…) are in [0, 1], and so is the result: the
    shift is one constant on the scale of log-odds, found by bisection. A replicate of 0 or 1
    stays; if the replicates that move cannot bring the mean to the score, it is as near as can be.
    """
    low = np.full(estimate.shape, -_LARGEST_SHIFT)
    high = -low
    with np.errstate(divide="ignore"):
        odds = logit(replicates)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        below = expit(odds + middle).mean(axis=0) < estimate
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    shifted: Floats = expit(odds + (low + high) / 2)
    return shifted


def _normal_ends(units: int, level: float) -> Floats:
    """Return the two normal quantiles that stand for Student's, widened for few units."""
    tail = t.ppf((1 - level) / 2, units - 1) * np.sqrt(units / (units - 1))
    return np.array([tail, -tail], dtype=np.float64)


def _acceleration(jackknife: Floats) -> Floats:
    """Return a sixth of the skewness of the leave-one-out scores; 0 where they are all the same."""
    away = jackknife.mean(axis=0) - jackknife
    spread = 6 * (away**2).sum(axis=0) ** 1.5
    # Differences of the size of rounding errors have no shape.
    real = spread > np.finfo(np.float64).eps
    skewness: Floats = np.zeros_like(spread)
    np.divide((away**3).sum(axis=0), spread, out=skewness, where=real)
    return skewness


def _quantiles(replicates: Floats, levels: Floats) -> Floats:
    """Return, for levels (2, …), the quantiles of each column of replicates (resamples, …)."""
    order = np.sort(replicates, axis=0)
    at = np.nan_to_num(levels) * (len(order) - 1)
    lower = np.floor(at).astype(np.int64)
    upper = np.minimum(lower + 1, len(order) - 1)
    low, high = (_take(order, places) for places in (lower, upper))
    ends: Floats = low + (high - low) * (at - lower)
    return ends


def _take(order: Floats, places: Ints) -> Floats:
    return np.stack([np.take_along_axis(order, row[None], axis=0)[0] for row in places])

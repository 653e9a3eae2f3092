"""Bootstrap scores: every metric is recomputed on every resample; percentile intervals.

Efron and Tibshirani (1993), *An Introduction to the Bootstrap*, chapters 13 and 14. Two
corrections are made because a corpus has few topics:

* **Few units.** The standard deviation of resamples of n units is too small by a factor
  √((n − 1)/n), and normal quantiles are used in place of Student's t. Wider percentiles correct
  both (Hesterberg 2015, *What Teachers Should Know About the Bootstrap*, The American
  Statistician 69(4), section 4.1): α/2 becomes Φ(√(n/(n−1)) · t_{n−1}(α/2)).
* **Copies.** If meta-documents span units, chains that join copies of the same unit bias the
  resamples (see ``copies``), and the percentile interval may exclude the score. In this case the
  resamples are shifted first, so that their mean is the score. The shift is on the scale of
  log-odds, so that the ends stay in [0, 1]. Otherwise nothing is shifted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.special import expit, logit, ndtr, stdtrit

from cdec.arrays import Floats, Ints
from cdec.metrics import ordered, required
from cdec.statistics.copies import Copies, copies_of
from cdec.statistics.draws import Plan, Units, all_weights
from cdec.statistics.tallies import recounted, values, weighted

# In log-odds: beyond this, a score is 0 or 1 in floating point; so many halvings are exact.
_LARGEST_SHIFT = 80.0
_BISECTIONS = 60


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """The scores of one system under one setting, and of its resamples.

    Arrays of (precision, recall, F1) per metric: ``estimate`` (metrics, 3), ``replicates``
    (resamples, metrics, 3), ``jackknife`` (units, metrics, 3; each with one unit left out).
    ``joint``: a meta-document spans units. ``spread`` (metrics, 3) is the standard deviation over
    the runs of a system, None for a single run.
    """

    metrics: tuple[str, ...]
    estimate: Floats
    replicates: Floats
    jackknife: Floats
    joint: bool
    spread: Floats | None = None

    def interval(self, plan: Plan) -> Floats:
        """Return lower and upper end of each interval, shape (2, metrics, 3)."""
        return percentile(self.centred, len(self.jackknife), plan.level)

    @classmethod
    def from_rows(
        cls, metrics: tuple[str, ...], rows: Floats, units: int, *, joint: bool
    ) -> Bootstrap:
        """Return the bootstrap of the scores of ``all_weights``, in this order."""
        return cls(metrics, rows[0], rows[1 + units :], rows[1 : 1 + units], joint)

    @cached_property
    def centred(self) -> Floats:
        """The replicates, shifted to the score if a meta-document spans units."""
        return centred(self.replicates, self.estimate) if self.joint else self.replicates

    def minus(self, other: Bootstrap) -> Bootstrap:
        """Return the differences from another system's scores on the same resamples, in [−1, 1]."""
        return Bootstrap(
            self.metrics,
            self.estimate - other.estimate,
            self.centred - other.centred,
            self.jackknife - other.jackknife,
            joint=False,
        )


def bootstrap(
    meta_documents: pd.DataFrame,
    units: Units,
    plan: Plan,
    metrics: Sequence[str] | None = None,
    jobs: int | None = None,
) -> Bootstrap:
    """Score the meta-documents, the resamples of ``plan``, and the corpus without each unit.

    ``jobs`` as in ``cdec.files.jobs.mapped``; it does not affect the result. Raises
    UnknownNameError for an unknown metric.
    """
    counted, shown, size = required(metrics), ordered(metrics), len(units)
    copies = copies_of(meta_documents, units, counted)
    tallied = tallies(copies, all_weights(size, plan), counted, jobs)
    return Bootstrap.from_rows(shown, values(tallied, counted, shown), size, joint=copies.joint)


def from_tallies(
    each: Floats, counted: Sequence[str], metrics: tuple[str, ...], plan: Plan
) -> Bootstrap:
    """Bootstrap from the tallies of each unit (units, counted, 4), which must be additive."""
    tallied = weighted(all_weights(len(each), plan), each)
    return Bootstrap.from_rows(metrics, values(tallied, counted, metrics), len(each), joint=False)


def tallies(
    copies: Copies, weights: Ints, counted: Sequence[str], jobs: int | None = None
) -> Floats:
    """Return the tallies of resamples, shape (resamples, counted, 4).

    If no meta-document spans units, counts are additive and each unit is counted only once.
    """
    if copies.joint:
        return recounted(copies, weights, counted, jobs)
    return weighted(weights, each_unit(copies, weights.shape[1], counted))


def each_unit(copies: Copies, units: int, counted: Sequence[str]) -> Floats:
    """Return the tallies of each unit alone, shape (units, counted, 4)."""
    return np.stack([copies.tally(row, counted) for row in np.eye(units, dtype=np.int64)])


def percentile(replicates: Floats, units: int, level: float) -> Floats:
    """Return lower and upper end, (2, …), for replicates (resamples, …) of ``units`` units."""
    levels = ndtr(_normal_ends(units, level))
    ends: Floats = np.quantile(replicates, levels, axis=0)
    return ends


def centred(replicates: Floats, estimate: Floats) -> Floats:
    """Return the replicates shifted so that their mean is the score.

    ``replicates`` (resamples, …) and ``estimate`` (…) are in [0, 1], and so is the result. The
    shift is a constant on the scale of log-odds, found by bisection. Replicates of 0 and 1 do not
    move; if the others cannot bring the mean to the score, the mean is as near as possible.
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
    """Return the lower and upper normal quantile, widened for few units."""
    tail = stdtrit(units - 1, (1 - level) / 2) * np.sqrt(units / (units - 1))
    return np.array([tail, -tail], dtype=np.float64)

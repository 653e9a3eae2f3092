"""Resamples of systems with several runs: topics and runs are drawn together.

A run is one training of a system, such as with another seed. In each resample, the runs of a
system are drawn with replacement, like the topics, and scored on the topics of the resample. The
mean of n drawn runs varies too little by a factor √((n − 1)/n) (see ``intervals``); its deviation
from the mean of all runs is therefore multiplied by √(n/(n − 1)).

The test compares the mean scores of two systems. Its null hypothesis: both are equally good on
average over topics and runs. The resampled differences, shifted to a mean of 0, show how much a
difference varies by chance. p is the share of them that is at least as large as the observed one,
in either direction (Efron and Tibshirani 1993, *An Introduction to the Bootstrap*, chapter 16); the
observed one is counted, too. Interval and p come from the same resamples. Words are not resampled.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cdec.arrays import Floats
from cdec.statistics.bootstrap import Bootstrap
from cdec.statistics.draws import Plan
from cdec.statistics.exchange import ROUNDING, Randomisation
from cdec.statistics.intervals import widening

_STREAM = 1  # so that runs are drawn independently of topics with the same seed


def over_runs(runs: Sequence[Bootstrap], plan: Plan, system: int = 0) -> Bootstrap:
    """Return the bootstrap of the mean scores of the runs of a system.

    All runs have the same resamples of topics. ``system`` is the number of the system, for which
    runs are drawn independently. One run is returned unchanged.
    """
    if len(runs) == 1:
        return runs[0]
    number = len(runs)
    each = np.stack([run.centred for run in runs])  # runs × resamples × metrics × 3
    rng = np.random.default_rng([plan.seed, _STREAM, system])
    drawn = rng.multinomial(number, np.full(number, 1 / number), size=each.shape[1]) / number
    mean = each.mean(axis=0)
    away = np.einsum("br,rb...->b...", drawn, each) - mean
    replicates = mean + np.sqrt(number / (number - 1)) * away
    estimates = [run.estimate for run in runs]
    return Bootstrap(
        runs[0].metrics,
        np.mean(estimates, axis=0),
        np.clip(replicates, 0, 1),
        np.mean([run.jackknife for run in runs], axis=0),
        joint=False,
        spread=np.std(estimates, axis=0, ddof=1),
    )


def means_test(difference: Bootstrap, units: int) -> Randomisation:
    """Return the p-values of the difference of two mean scores, from its resamples.

    The resampled differences are widened for few units, as intervals are.
    """
    replicates: Floats = difference.replicates[..., 2]
    observed = np.abs(difference.estimate[:, 2])
    away = np.abs(replicates - replicates.mean(axis=0)) * widening(units)
    at_least = (away >= observed - ROUNDING).sum(axis=0) + 1
    p = np.where(observed <= ROUNDING, 1.0, at_least / (len(away) + 1))
    variance = np.mean(away**2, axis=0)
    return Randomisation(difference.metrics, p, len(away), False, observed, variance)

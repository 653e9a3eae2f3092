"""Systems with several runs: intervals and tests over topics and runs.

A run is one training of a system, such as with another seed. A mean score over n runs varies
because of the topics and because of the runs:

* topics: the variance V_t of the mean score over the resamples of topics;
* runs: the variance V_r = s² / n of the mean, for the standard deviation s of the n scores.

Both include the chance by which a run errs on a topic (the interaction, V_c). V_r is therefore
reduced by V_c, the mean variance of the runs' deviations from their mean over the resamples of
topics, divided by n − 1; the rest, at least 0, is what a run as a whole adds. This is the two-way
variance of Cameron, Gelbach and Miller (2011), as in ``two_way``.

The test compares two mean scores by Student's t: the difference divided by √(V_t + V_rA + V_rB),
where V_t is that of the difference on the same resamples. The degrees of freedom are those of
Satterthwaite (1946), *An approximate distribution of estimates of variance components*, Biometrics
Bulletin 2(6): a few runs know little about their variance. Words are not resampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
from scipy.special import stdtr

from cdec.arrays import Floats, Ints
from cdec.statistics.bootstrap import Bootstrap
from cdec.statistics.draws import Plan
from cdec.statistics.exchange import ROUNDING, Randomisation

_STREAM = 1  # so that runs are drawn independently of topics with the same seed


def run_variance(runs: Sequence[Bootstrap]) -> Floats:
    """Return what the runs as a whole add to the variance of their mean scores (metrics, 3).

    It is V_r − V_c, at least 0; 0 for a single run.
    """
    number = len(runs)
    estimates = np.stack([run.estimate for run in runs])
    if number == 1:
        return np.zeros_like(estimates[0])
    each = np.stack([run.centred for run in runs])
    interaction = (each - each.mean(axis=0)).var(axis=1).mean(axis=0) / (number - 1)
    observed = estimates.var(axis=0, ddof=1) / number
    return np.asarray(np.maximum(observed - interaction, 0))


def over_runs(runs: Sequence[Bootstrap], plan: Plan, system: int = 0) -> Bootstrap:
    """Return the bootstrap of the mean scores of the runs of a system.

    All runs have the same resamples of topics. To each resample, a normal deviate with the variance
    of the runs is added; ``system`` is the number of the system, for independent deviates. One run
    is returned unchanged.
    """
    if len(runs) == 1:
        return runs[0]
    mean = np.mean([run.centred for run in runs], axis=0)
    rng = np.random.default_rng([plan.seed, _STREAM, system])
    deviates = rng.standard_normal(len(mean))[:, None, None]
    estimates = [run.estimate for run in runs]
    return Bootstrap(
        runs[0].metrics,
        np.mean(estimates, axis=0),
        np.clip(mean + deviates * np.sqrt(run_variance(runs)), 0, 1),
        np.mean([run.jackknife for run in runs], axis=0),
        joint=False,
        spread=np.std(estimates, axis=0, ddof=1),
    )


def means_test(
    first: Sequence[Bootstrap], second: Sequence[Bootstrap], units: int
) -> Randomisation:
    """Return the p-values of the difference in mean F1 of the runs of two systems.

    All runs have the same resamples of ``units`` topics.
    """
    sides = (first, second)
    means = [np.mean([run.centred[..., 2] for run in runs], axis=0) for runs in sides]
    estimates = [np.mean([run.estimate[:, 2] for run in runs], axis=0) for runs in sides]
    observed = np.abs(estimates[0] - estimates[1])
    topics = (means[0] - means[1]).var(axis=0)
    of_runs = [(run_variance(runs)[:, 2], len(runs)) for runs in sides]
    test = MeansTest.of(observed, topics, units, *of_runs)
    return Randomisation(first[0].metrics, test.p, len(means[0]), False, observed, test.variance)


@dataclass(frozen=True, eq=False)
class MeansTest:
    """Student's t test of differences between means: p, their variance and degrees of freedom."""

    p: Floats
    variance: Floats
    freedom: Floats

    @classmethod
    def of(
        cls, observed: Floats, topics: Floats, units: int, *runs: tuple[Floats, Ints | int]
    ) -> MeansTest:
        """Test differences; arrays are broadcast.

        ``observed``: the absolute differences; ``topics``: their variances over resamples of
        ``units`` topics; ``runs``: of both sides, the variance that the runs add, and their number.
        """
        parts: list[tuple[Floats, Ints | int]] = [(topics * units / (units - 1), units - 1)]
        parts += [(variance, np.asarray(np.maximum(number - 1, 1))) for variance, number in runs]
        total = reduce(add, (variance for variance, _ in parts))
        weights = reduce(add, (variance**2 / freedom for variance, freedom in parts))
        safe = np.maximum(total, np.finfo(np.float64).tiny)
        freedom = np.divide(total**2, weights, out=np.full_like(total, np.inf), where=weights > 0)
        p = np.where(observed <= ROUNDING, 1.0, 2 * stdtr(freedom, -observed / np.sqrt(safe)))
        return cls(p, total, freedom)

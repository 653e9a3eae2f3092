"""Bootstrap scores: every metric is recomputed on every resample; percentile intervals.

Efron and Tibshirani (1993), *An Introduction to the Bootstrap*, chapters 13 and 14. Two
corrections are made because a corpus has few topics:

* **Few units.** The standard deviation of resamples of n units is too small by a factor
  √((n − 1)/n), and normal quantiles are used in place of Student's t. Wider percentiles correct
  both (Hesterberg 2015, *What Teachers Should Know About the Bootstrap*, The American
  Statistician 69(4), section 4.1): α/2 becomes Φ(√(n/(n−1)) · t_{n−1}(α/2)).
* **Copies.** If meta-documents span units, chains that join copies of the same unit bias the
  resamples (see ``resample``), and the percentile interval may exclude the score. In this case the
  resamples are shifted first, so that their mean is the score. The shift is on the scale of
  log-odds, so that the ends stay in [0, 1]. Otherwise nothing is shifted.

A system can have several runs; a run is one training, such as with another seed. A mean score over
n runs varies because of the topics and because of the runs:

* topics: the variance V_t of the mean score over the resamples of topics;
* runs: the variance V_r = s² / n of the mean, for the standard deviation s of the n scores.

Both include the chance by which a run errs on a topic (the interaction, V_c). V_r is therefore
reduced by V_c, the mean variance of the runs' deviations from their mean over the resamples of
topics, divided by n − 1; the rest, at least 0, is what a run as a whole adds. This is the two-way
variance of Cameron, Gelbach and Miller (2011), as in ``two_way``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import expit, logit, ndtr, stdtrit

from cdec.arrays import AnySeries, Floats
from cdec.corpus.model import LEVELS
from cdec.errors import UsageError, counted, spelled
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.results import DETAILS, ENDS, Results
from cdec.evaluation.view import CASE
from cdec.metrics.scores import ordered, required
from cdec.metrics.table import chain_numbers, tallies
from cdec.records import Fields
from cdec.settings import Setting
from cdec.signature import Signature
from cdec.statistics.draws import Plan, draw_units, units_of
from cdec.statistics.resample import Mentions, Sample, count_draws, sample, values

# In log-odds: beyond this, a score is 0 or 1 in floating point; so many halvings are exact.
_LARGEST_SHIFT = 80.0
_BISECTIONS = 60
_STREAM = 1  # so that runs are drawn independently of topics with the same seed


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """The scores of one system under one setting, and of its resamples.

    Arrays of (precision, recall, F1) per metric: ``estimate`` (metrics, 3) and ``replicates``
    (resamples, metrics, 3) of ``units`` units, shifted if a meta-document spans units. ``spread``
    (metrics) is the standard deviation of F1 over the runs of a system, None for a single run.
    """

    metrics: tuple[str, ...]
    estimate: Floats
    replicates: Floats
    units: int
    spread: Floats | None = None

    def interval(self, plan: Plan) -> Floats:
        """Return lower and upper end of each interval, shape (2, metrics, 3)."""
        n = self.units
        quantile = stdtrit(n - 1, (1 - plan.level) / 2)
        tail = quantile * np.sqrt(n / (n - 1))
        ends = ndtr(np.array([tail, -tail], np.float64))
        return np.asarray(np.quantile(self.replicates, ends, axis=0))

    def minus(self, other: Bootstrap) -> Bootstrap:
        """Return the differences from another system's scores on the same resamples, in [−1, 1]."""
        difference = self.replicates - other.replicates
        return Bootstrap(
            self.metrics, self.estimate - other.estimate, difference, self.units
        )


def shift_to_score(replicates: Floats, estimate: Floats) -> Floats:
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
        is_too_low = expit(odds + middle).mean(axis=0) < estimate
        low = np.where(is_too_low, middle, low)
        high = np.where(is_too_low, high, middle)
    shifted: Floats = expit(odds + (low + high) / 2)
    return shifted


def run_variance(runs: Sequence[Bootstrap]) -> Floats:
    """Return what the runs as a whole add to the variance of their mean scores (metrics, 3).

    It is V_r − V_c, at least 0; 0 for a single run.
    """
    number = len(runs)
    first = runs[0]
    if number == 1:
        return np.zeros_like(first.estimate)
    # Differences from the first run: of equal runs the variance is exactly 0.
    estimates = np.stack([run.estimate - first.estimate for run in runs])
    replicates = np.stack([run.replicates - first.replicates for run in runs])
    deviations = replicates - replicates.mean(axis=0)
    interaction = deviations.var(axis=1).mean(axis=0) / (number - 1)
    observed = estimates.var(axis=0, ddof=1) / number
    return np.asarray(np.maximum(observed - interaction, 0))


def over_runs(runs: Sequence[Bootstrap], plan: Plan, system: int) -> Bootstrap:
    """Return the bootstrap of the mean scores of the runs of a system.

    All runs have the same resamples of topics. To each resample, a normal deviate with the variance
    of the runs is added; ``system`` is the number of the system, for independent deviates. One run
    is returned unchanged.
    """
    first = runs[0]
    if len(runs) == 1:
        return first
    # Differences from the first run: equal runs have the interval of one run, to the last digit.
    differences = [run.replicates - first.replicates for run in runs]
    mean = first.replicates + np.mean(differences, axis=0)
    generator = np.random.default_rng([plan.seed, _STREAM, system])
    deviates = generator.standard_normal(len(mean))[:, None, None]
    noise = deviates * np.sqrt(run_variance(runs))
    estimates = [run.estimate for run in runs]
    return Bootstrap(
        metrics=first.metrics,
        estimate=np.mean(estimates, axis=0),
        replicates=np.clip(mean + noise, 0, 1),
        units=first.units,
        spread=np.std(estimates, axis=0, ddof=1)[:, 2],
    )


def of_runs(
    experiment: Experiment,
    setting: Setting,
    units: AnySeries,
    plan: Plan,
) -> dict[str, list[Bootstrap]]:
    """Return system → the bootstraps of its runs, on the same resamples."""
    base_metrics = required(experiment.call_metrics)
    metrics = ordered(experiment.call_metrics)
    number = units.nunique()
    # The first draw is the sample itself.
    whole = np.ones((1, number), np.int64)
    draws = np.concatenate([whole, draw_units(number, plan)])
    bootstraps: dict[str, list[Bootstrap]] = {name: [] for name in experiment.systems}
    for run in experiment.runs:
        data = _sample_of(setting.build(run.mentions), units)
        scores = values(
            count_draws(data, draws, base_metrics),
            base_metrics,
            metrics,
            experiment.rules,
        )
        estimate = scores[0]
        replicates = scores[1:]
        if data.spans.any():
            replicates = shift_to_score(replicates, estimate)
        bootstraps[run.system].append(Bootstrap(metrics, estimate, replicates, number))
    return bootstraps


def _sample_of(mentions: pd.DataFrame, units: AnySeries) -> Sample:
    meta = mentions["meta"]
    numbers = Mentions(
        meta=pd.factorize(meta)[0],
        key=chain_numbers(meta, mentions["key"]),
        responses=(chain_numbers(meta, mentions["response"]),),
        unit=np.asarray(units.loc[mentions.index], np.int64),
        words=[tallies(mentions)],
    )
    return sample(numbers, units.nunique())


def with_intervals(experiment: Experiment, plan: Plan) -> Results:
    """Return the results of the experiment with intervals, in the columns ENDS.

    Raises UsageError for a scorer other than cdec and for mentions without unit information,
    ScoringError for fewer than two units.
    """
    if experiment.scorer != "cdec":
        raise UsageError(
            "argument-invalid",
            f"the scorer '{experiment.scorer}' cannot score resamples",
            hint=f"drop {spelled('scorer', experiment.scorer)}: the scores are the same",
        )
    experiment = replace(experiment, unit=plan.unit)
    results = experiment.results()
    units = units_of(plan.unit, (run.mentions for run in experiment.runs))
    number = units.nunique()
    parts = []
    for setting in experiment.settings:
        bootstraps = of_runs(experiment, setting, units, plan)
        for position, (system, runs) in enumerate(bootstraps.items()):
            scores = over_runs(runs, plan, position)
            # Interval ends last, then a row for each metric.
            ends = np.moveaxis(scores.interval(plan), 0, -1).reshape(-1, len(ENDS))
            part = pd.DataFrame(ends, columns=list(ENDS))
            parts.append(
                part.assign(
                    setting=setting.name,
                    system=system,
                    metric=scores.metrics,
                    **dict.fromkeys(DETAILS, ""),
                )
            )
    intervals = pd.concat(parts).astype(object)
    return replace(
        signed_with(results, signature_fields(plan, number)),
        rows=results.rows.merge(intervals, "left", [*CASE, *DETAILS]),
        intervals=interval_words(plan, number, runs=not results.runs.empty),
    )


def signed_with(results: Results, fields: Fields) -> Results:
    """Return the results with these fields in each of their signatures."""
    signature_of = {
        case: Signature({**signature.fields, **fields}, signature.parts)
        for case, signature in results.signature_of.items()
    }
    return replace(results, signature_of=signature_of)


def interval_words(plan: Plan, units: int, *, runs: bool) -> str:
    """Return the method of the intervals in words."""
    resamples = f"{plan.resamples:,} resamples of {counted(units, LEVELS[plan.unit])}"
    if runs:
        resamples += " and of the runs"
    return (
        f"{100 * plan.level:g} % intervals: percentiles of {resamples}, every metric recomputed on "
        "each"
    )


def signature_fields(plan: Plan, units: int) -> dict[str, object]:
    """Return the fields of the signature on intervals."""
    return {
        "ci": f"percentile-{plan.level:g}",
        "unit": f"{plan.unit}-{units}",
        "resamples": plan.resamples,
        "seed": plan.seed,
    }

"""Pairwise comparison of systems: difference in F1, confidence interval, p-value.

One system, the reference, is compared with each other, or all pairs are compared.

Systems with several runs are compared by their mean scores, by Student's t: the difference divided
by √(V_t + V_rA + V_rB), where V_t is the variance of the difference over resamples of topics, and
V_r what the runs of a system add (see ``intervals``). The degrees of freedom are those of
Satterthwaite (1946), *An approximate distribution of estimates of variance components*, Biometrics
Bulletin 2(6): a few runs know little about their variance. Words are not resampled.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy.special import stdtr

from cdec.arrays import AnySeries, Floats
from cdec.corpus.model import LEVELS
from cdec.errors import Notice, Notices, UnknownNameError, UsageError, counted, warn_of
from cdec.evaluation.experiment import Experiment, plugins
from cdec.evaluation.view import ALPHA
from cdec.language.stems import stemmer_identity
from cdec.matching.alignment import Alignment
from cdec.metrics import ALL
from cdec.metrics.scores import ordered
from cdec.records import Fields, Row
from cdec.settings import Setting, signed
from cdec.signature import Signature, merged
from cdec.statistics.draws import FEWEST, Plan, units_of
from cdec.statistics.exchange import ROUNDING, Randomisation, holm
from cdec.statistics.intervals import (
    Bootstrap,
    of_runs,
    over_runs,
    run_variance,
    signature_fields,
)
from cdec.statistics.two_way import (
    TWO_WAY,
    columns_of,
    least_paired_p,
    paired_test,
    words_of,
)

Pairs: TypeAlias = Sequence[tuple[str, str]]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Pairs of systems under all settings, a row of ``table`` for each metric.

    F1 and differences are in [0, 1]; ``p_holm`` is corrected for all rows of the table. ``plan``
    has the parameters of intervals and test, ``signatures`` one for each system; ``notices`` are
    the irregularities of the responses and ``power``: how many tests can reach ALPHA.
    """

    table: pd.DataFrame = field(repr=False)
    plan: Plan
    signatures: tuple[Signature, ...]
    power: Notice
    notices: Notices = ()


def compare(
    experiment: Experiment,
    plan: Plan,
    against: str | None = None,
    *,
    all_pairs: bool = False,
) -> Comparison:
    """Compare a system of an experiment with each other, in order, under each setting.

    It is the system ``against``, by default the first; with ``all_pairs`` all are compared. Warns
    before the tests if some cannot reach ALPHA. Raises UsageError for fewer than two systems,
    UnknownNameError for a reference that is none; other errors as in ``with_intervals``.
    """
    systems = experiment.systems
    if len(systems) < FEWEST:
        raise UsageError(
            "argument-missing",
            f"a comparison needs at least two systems, got {len(systems)}",
            hint="name two or more",
        )
    if all_pairs:
        against = "all-pairs"
        pairs = [*combinations(systems, 2)]
    else:
        against = against or next(iter(systems))
        if against not in systems:
            raise UnknownNameError("system", against, systems)
        pairs = [(against, system) for system in systems if system != against]
    tables = [run.mentions for run in experiment.runs]
    units = units_of(plan.unit, tables)
    words = words_of(tables)
    power = _power(experiment, pairs, units, words, plan)
    warn_of([power])
    rows = []
    for setting in experiment.settings:
        rows += _compare_under(setting, experiment, pairs, units, words, plan=plan)
    table = pd.DataFrame(rows)
    table["p_holm"] = holm(table["p"].tolist())
    signatures = _signatures(
        experiment,
        plan,
        units.nunique(),
        table["test"],
        against if len(pairs) > 1 else None,
    )
    return Comparison(table, plan, signatures, power, (*experiment.notices, power))


def _power(
    experiment: Experiment,
    pairs: Pairs,
    units: AnySeries,
    words: AnySeries,
    plan: Plan,
) -> Notice:
    """Return the notice of how many tests can reach ALPHA after Holm's correction.

    A test of means over several runs has no smallest p.
    """
    smallest = []
    for setting in experiment.settings:
        for a, b in pairs:
            runs = (*experiment.systems[a], *experiment.systems[b])
            p = 0.0
            if len(runs) == 2:
                mentions = [setting.build(run.mentions) for run in runs]
                p = least_paired_p(mentions, units, words, plan)
            smallest += [p] * len(ordered(experiment.call_metrics))
    tests = len(smallest)
    reaching = sum(p <= ALPHA for p in holm(smallest))
    message = f"{reaching:,} of {counted(tests, 'test')} can reach p (Holm) ≤ {ALPHA:g}"
    is_limited = reaching < tests
    if is_limited:
        least = min(filter(None, smallest))
        message += (
            f": with {counted(units.nunique(), LEVELS[plan.unit])} and the words on which systems "
            f"differ no p is below {least:.2g}, times {tests} (Holm); name fewer systems, "
            "settings or metrics, or choose a larger part"
        )
    return Notice("result-limited", tests - reaching, message, warning=is_limited)


def _compare_under(
    setting: Setting,
    experiment: Experiment,
    pairs: Pairs,
    units: AnySeries,
    words: AnySeries,
    *,
    plan: Plan,
) -> list[dict[Hashable, Any]]:
    """Compare pairs of systems under a setting: a row for each pair and metric.

    ``units`` and ``words`` have the numbers of the unit and of the word of each mention.
    """
    bootstraps = of_runs(experiment, setting, units, plan)
    scores = {
        system: over_runs(runs, plan, position)
        for position, (system, runs) in enumerate(bootstraps.items())
    }
    rows = []
    for a, b in pairs:
        runs_of_pair = (*experiment.systems[a], *experiment.systems[b])
        if len(runs_of_pair) > 2:
            means = means_test(bootstraps[a], bootstraps[b])
            test = columns_of(means, plan.unit, units.nunique(), "runs")
        else:
            mentions = [setting.build(run.mentions) for run in runs_of_pair]
            test = paired_test(
                mentions,
                units,
                words,
                plan,
                experiment.call_metrics,
                rules=experiment.rules,
            )
        first = scores[a]
        second = scores[b]
        difference = first.minus(second)
        low, high = difference.interval(plan)
        columns = {
            "setting": setting.name,
            "a": a,
            "b": b,
            "metric": first.metrics,
            "f1_a": first.estimate[:, 2],
            "f1_b": second.estimate[:, 2],
            "difference": difference.estimate[:, 2],
            "low": low[:, 2],
            "high": high[:, 2],
            **test,
            "f1_a_sd": first.spread,
            "f1_b_sd": second.spread,
        }
        rows += pd.DataFrame(columns).to_dict("records")
    return rows


def _signatures(
    experiment: Experiment,
    plan: Plan,
    units: int,
    tests: Iterable[str],
    against: str | None,
) -> tuple[Signature, ...]:
    """Return the signature of each system; ``tests`` are the kinds of the tests of all rows.

    ``against`` says which pairs are compared; None if there is only one.
    """
    metrics = experiment.call_metrics
    kinds = list(dict.fromkeys(tests))
    after: Row = {
        "metrics": ",".join(metrics) if metrics else "all",
        "scorer": experiment.scorer,
        "plugins": plugins(experiment.runs, metrics or ALL, experiment.settings),
        **signature_fields(plan, units),
        "exchanges": plan.exchanges,
        "test": "+".join(kinds),
        "against": against,
    }
    if TWO_WAY in kinds:
        after["test_stemmer"] = stemmer_identity()
    return tuple(
        Signature.from_fields(
            **experiment.about,
            setting=tuple(map(signed, experiment.settings)),
            system=system,
            **_system_fields(runs),
            **after,
        )
        for system, runs in experiment.systems.items()
    )


def _system_fields(runs: tuple[Alignment, ...]) -> Fields:
    """Return the signature fields of a system; those of several runs have all their values."""
    if len(runs) == 1:
        return runs[0].about
    fields = merged([Signature(run.about) for run in runs]).fields
    return {**fields, "runs": len(runs)}


def means_test(
    first: Sequence[Bootstrap], second: Sequence[Bootstrap]
) -> Randomisation:
    """Return the p-values of the difference in mean F1 of the runs of two systems.

    All runs have the same resamples of topics.
    """
    units = first[0].units
    means = []
    replicates = []
    variances = []
    freedoms = [units - 1]
    for runs in (first, second):
        means.append(np.mean([run.estimate[:, 2] for run in runs], axis=0))
        replicates.append(np.mean([run.replicates[..., 2] for run in runs], axis=0))
        variances.append(run_variance(runs)[:, 2])
        freedoms.append(max(len(runs) - 1, 1))
    observed = np.abs(means[0] - means[1])
    differences = replicates[0] - replicates[1]
    # The variance of resamples of n units is too small by the factor (n − 1) / n.
    topic_variance = differences.var(axis=0) * units / (units - 1)
    variances.insert(0, topic_variance)
    total = np.sum(variances, axis=0)
    freedom = _satterthwaite(variances, freedoms)
    smallest = np.finfo(np.float64).tiny
    statistic = observed / np.sqrt(np.maximum(total, smallest))
    p = 2 * stdtr(freedom, -statistic)
    return Randomisation(
        p=np.where(observed <= ROUNDING, 1.0, p),
        exchanges=len(differences),
        exact=False,
        difference=observed,
        variance=total,
    )


def _satterthwaite(variances: Sequence[Floats], freedoms: Sequence[int]) -> Floats:
    """Return the degrees of freedom of the sum of variances: (ΣV)² / Σ(V² / f).

    They are infinite where all variances are 0.
    """
    total = np.sum(variances, axis=0)
    squares = [v**2 / f for v, f in zip(variances, freedoms, strict=True)]
    divisor = np.sum(squares, axis=0)
    infinite = np.full_like(total, np.inf)
    return np.asarray(np.divide(total**2, divisor, out=infinite, where=divisor > 0))

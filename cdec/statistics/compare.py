"""Pairwise comparison of systems: difference in F1, confidence interval, p-value.

Systems with several runs are compared by their mean scores, by Student's t: the difference divided
by √(V_t + V_rA + V_rB), where V_t is the variance of the difference over resamples of topics, and
V_r what the runs of a system add (see ``intervals``). The degrees of freedom are those of
Satterthwaite (1946), *An approximate distribution of estimates of variance components*, Biometrics
Bulletin 2(6): a few runs know little about their variance. Words are not resampled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtr

from cdec.errors import Notice, UsageError
from cdec.evaluation.experiment import Experiment, plugins
from cdec.language.stems import stemmer_identity
from cdec.matching.alignment import Alignment
from cdec.metrics import ALL
from cdec.settings import signed
from cdec.signature import Signature, merged
from cdec.statistics.draws import FEWEST, Plan, units_of
from cdec.statistics.exchange import ROUNDING, Randomisation, holm
from cdec.statistics.intervals import Bootstrap, described, of_runs, over_runs, run_variance
from cdec.statistics.two_way import TWO_WAY, columns_of, paired_test, words_of


@dataclass(frozen=True, eq=False)
class Comparison:
    """All pairs of systems under all settings, a row of ``table`` for each metric.

    F1 and differences are in [0, 1]; ``p_holm`` is corrected for all rows of the table. ``plan``
    has the parameters of intervals and test, ``signatures`` one for each system; ``notices`` are
    the irregularities of the responses.
    """

    table: pd.DataFrame = field(repr=False)
    plan: Plan
    signatures: tuple[Signature, ...]
    notices: tuple[Notice, ...] = ()


def compare(experiment: Experiment, plan: Plan) -> Comparison:
    """Compare all pairs of systems of an experiment, in order, under each setting.

    Raises UsageError for fewer than two systems; other errors as in ``with_intervals``.
    """
    systems, asked = experiment.systems, experiment.asked
    if len(systems) < FEWEST:
        message = f"a comparison needs at least two systems, got {len(systems)}"
        raise UsageError("argument-missing", message, hint="name two or more")
    tables = [run.mentions for run in experiment.runs]
    units, words = units_of(plan.unit, tables), words_of(tables)
    number, rows = units.nunique(), list[dict[Any, Any]]()
    for setting in experiment.settings:
        each = of_runs(experiment, setting, units, plan)
        scores = {name: over_runs(runs, plan, n) for n, (name, runs) in enumerate(each.items())}
        for a, b in combinations(scores, 2):
            runs = (*systems[a], *systems[b])
            if len(runs) > 2:
                test = columns_of(means_test(each[a], each[b]), plan.unit, number, "runs")
            else:
                pair = [setting.build(run.mentions) for run in runs]
                test = paired_test(pair, units, words, plan, asked, rules=experiment.rules)
            first, second = scores[a], scores[b]
            difference = first.minus(second)
            low, high = difference.interval(plan)
            columns = {
                **{"setting": setting.name, "a": a, "b": b, "metric": first.metrics},
                **{"f1_a": first.estimate[:, 2], "f1_b": second.estimate[:, 2]},
                **{"difference": difference.estimate[:, 2], "low": low[:, 2], "high": high[:, 2]},
                **test,
                **{"f1_a_sd": first.spread, "f1_b_sd": second.spread},
            }
            rows += pd.DataFrame(columns).to_dict("records")
    table = pd.DataFrame(rows)
    table["p_holm"] = holm(table["p"].tolist())
    before = {**experiment.about, "setting": tuple(map(signed, experiment.settings))}
    after: dict[str, Any] = {
        "metrics": ",".join(asked) if asked else "all",
        "scorer": experiment.scorer,
        "plugins": plugins(experiment.runs, asked or ALL, experiment.settings),
        **described(plan, number),
        "exchanges": plan.exchanges,
        "test": "+".join(dict.fromkeys(table["test"])),
    }
    if TWO_WAY in {*table["test"]}:
        after["test_stemmer"] = stemmer_identity()
    signatures = tuple(
        Signature.from_fields(**before, system=name, **_signed(runs), **after)
        for name, runs in systems.items()
    )
    return Comparison(table, plan, signatures, experiment.notices)


def _signed(runs: tuple[Alignment, ...]) -> Mapping[str, Any]:
    """Return the signature fields of a system; those of several runs have all their values."""
    if len(runs) == 1:
        return runs[0].about
    return {**merged([Signature(run.about) for run in runs]).fields, "runs": len(runs)}


def means_test(first: Sequence[Bootstrap], second: Sequence[Bootstrap]) -> Randomisation:
    """Return the p-values of the difference in mean F1 of the runs of two systems.

    All runs have the same resamples of topics.
    """
    sides, units = (first, second), first[0].units
    means = [np.mean([run.replicates[..., 2] for run in runs], axis=0) for runs in sides]
    estimates = [np.mean([run.estimate[:, 2] for run in runs], axis=0) for runs in sides]
    observed = np.abs(estimates[0] - estimates[1])
    variances = [(means[0] - means[1]).var(axis=0) * units / (units - 1)]
    variances += [run_variance(runs)[:, 2] for runs in sides]
    freedoms = [units - 1, *(max(len(runs) - 1, 1) for runs in sides)]
    total = np.sum(variances, axis=0)
    weights = np.sum([v**2 / n for v, n in zip(variances, freedoms, strict=True)], axis=0)
    freedom = np.divide(total**2, weights, out=np.full_like(total, np.inf), where=weights > 0)
    statistic = observed / np.sqrt(np.maximum(total, np.finfo(np.float64).tiny))
    p = np.where(observed <= ROUNDING, 1.0, 2 * stdtr(freedom, -statistic))
    return Randomisation(p, len(means[0]), False, observed, total)

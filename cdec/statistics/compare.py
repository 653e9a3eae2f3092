"""Pairwise comparison of systems: difference in F1, confidence interval, p-value.

Systems with several runs are compared by their mean scores, by Student's t: the difference divided
by √(V_t + V_rA + V_rB), where V_t is the variance of the difference over resamples of topics, and
V_r what the runs of a system add (see ``intervals``). The degrees of freedom are those of
Satterthwaite (1946), *An approximate distribution of estimates of variance components*, Biometrics
Bulletin 2(6): a few runs know little about their variance. Words are not resampled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy.special import stdtr

from cdec.errors import Notice, UsageError
from cdec.evaluation.experiment import Experiment, plugins
from cdec.matching.alignment import Alignment
from cdec.metrics import ALL
from cdec.settings import Setting, signed
from cdec.signature import Signature, merged
from cdec.statistics.draws import FEWEST, Plan, Units
from cdec.statistics.exchange import ROUNDING, Randomisation, holm
from cdec.statistics.intervals import (
    Bootstrap,
    described,
    of_runs,
    over_runs,
    own_scorer,
    run_variance,
)
from cdec.statistics.two_way import columns_of, paired_test, words_of

Test: TypeAlias = Callable[[str, str], dict[str, Any]]
Group: TypeAlias = tuple[str, Mapping[str, Sequence[Bootstrap]], Test]
"""Of a setting: name, bootstraps of the runs of each system, test of two (its columns)."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """All pairs of systems under all settings, a row of ``table`` for each metric.

    F1 and differences are in [0, 1]; ``p_holm`` is corrected for all rows of the table. ``plan``
    has the parameters of intervals and test, ``signatures`` one for each system. ``notices`` report
    limits of the test.
    """

    table: pd.DataFrame = field(repr=False)
    plan: Plan
    signatures: tuple[Signature, ...]
    notices: tuple[Notice, ...] = ()


def compare(experiment: Experiment, plan: Plan) -> Comparison:
    """Compare all pairs of systems of an experiment, in order, under each setting.

    Raises UsageError for fewer than two systems or a duplicate name; other errors as in
    ``with_intervals``.
    """
    own_scorer(experiment)
    check_systems(list(experiment.systems))
    mentions, systems = [run.mentions for run in experiment.runs], experiment.systems
    units, words = Units.of_mentions(plan.unit, mentions), words_of(mentions)

    def group(setting: Setting) -> Group:
        each = of_runs(experiment, setting, units, plan)

        def test(a: str, b: str) -> dict[str, Any]:
            runs = (*systems[a], *systems[b])
            if len(runs) > 2:
                tested = means_test(each[a], each[b])
                return columns_of(tested, plan.unit, len(units), "runs")
            first, second = (setting.build(run.mentions) for run in runs)
            return paired_test((first, second), (units, words), plan, experiment.asked)

        return setting.name, each, test

    about = {
        **experiment.about,
        "setting": tuple(signed(setting) for setting in experiment.settings),
        "metrics": ",".join(experiment.asked) if experiment.asked else "all",
        "scorer": experiment.scorer,
        "plugins": plugins(experiment.runs, experiment.asked or ALL, experiment.settings),
    }
    fields = {name: _signed(runs) for name, runs in systems.items()}
    return comparison_of(map(group, experiment.settings), plan, len(units), about, fields)


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


def comparison_of(
    groups: Iterable[Group],
    plan: Plan,
    units: int,
    about: Mapping[str, Any],
    systems: Mapping[str, Mapping[str, Any]],
) -> Comparison:
    """Test each pair of systems under each setting; p-values are corrected for all tests.

    ``about`` has the signature fields that all systems share; ``systems`` maps each to its others.
    """
    rows: list[dict[Any, Any]] = []
    for setting, each, test in groups:
        scores = {name: over_runs(runs, plan, n) for n, (name, runs) in enumerate(each.items())}
        for a, b in combinations(scores, 2):
            columns = {
                **{"setting": setting, "a": a, "b": b},
                **_scores(scores[a], scores[b], plan),
                **test(a, b),
                **{"f1_a_sd": scores[a].spread, "f1_b_sd": scores[b].spread},
            }
            rows += pd.DataFrame(columns).to_dict("records")
    table = pd.DataFrame(rows)
    table["p_holm"] = holm(table["p"].tolist())
    kinds = "+".join(dict.fromkeys(table["test"]))
    at = list(about).index("setting") + 1  # the system follows, as in the signature of a result
    before, after = dict([*about.items()][:at]), dict([*about.items()][at:])
    after |= {**described(plan, units), "exchanges": plan.exchanges, "test": kinds}
    signatures = tuple(
        Signature.from_fields(**before, system=name, **own, **after)
        for name, own in systems.items()
    )
    return Comparison(table, plan, signatures, tuple(_notices(table, plan)))


def _scores(first: Bootstrap, second: Bootstrap, plan: Plan) -> dict[str, Any]:
    """Return F1 of two systems by each metric, and their difference with its interval."""
    difference = first.minus(second)
    low, high = difference.interval(plan)
    f1 = {"f1_a": first.estimate, "f1_b": second.estimate, "difference": difference.estimate}
    values = {name: value[:, 2] for name, value in {**f1, "low": low, "high": high}.items()}
    return {"metric": first.metrics, **values}


def _notices(table: pd.DataFrame, plan: Plan) -> Iterator[Notice]:
    """Yield a notice if the test by unit alone was run: its p may be too small."""
    pairs = table[table["test"] == "topic"].drop_duplicates(["setting", "a", "b"])
    if len(pairs):
        message = (
            f"saved results contain no mentions: tested by {plan.unit} only, which assumes that "
            f"{plan.unit}s are independent; the two-way test needs the response files"
        )
        yield Notice("result-limited", len(pairs), message)


def check_systems(names: Sequence[str]) -> None:
    """Raise UsageError for fewer than two systems or a duplicate name."""
    if len(names) < FEWEST:
        message = f"a comparison needs at least two systems, got {len(names)}"
        raise UsageError("argument-missing", message, hint="name two or more")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise UsageError(
            "name-duplicate",
            f"two systems have the name '{repeated[0]}'",
            hint="give a response file another name, as in 'mine=out.conll'",
        )

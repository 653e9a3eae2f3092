"""Pairwise comparison of systems: difference in F1, confidence interval, p-value.

Systems with several runs are compared by their mean scores, by Student's t: the difference divided
by √(V_t + V_rA + V_rB), where V_t is the variance of the difference over resamples of topics, and
V_r what the runs of a system add (see ``intervals``). The degrees of freedom are those of
Satterthwaite (1946), *An approximate distribution of estimates of variance components*, Biometrics
Bulletin 2(6): a few runs know little about their variance. Words are not resampled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy.special import stdtr

from cdec.errors import Notice, UsageError, notice
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
from cdec.statistics.two_way import PairedTest, paired_test, words_of

COLUMNS = (
    *("setting", "a", "b", "metric", "f1_a", "f1_b", "difference", "low", "high"),
    *("p", "p_holm", "exchanges", "exact", "unit", "units"),
    *("test", "p_unit", "p_word", "words", "shared", "least_p", "f1_a_sd", "f1_b_sd"),
)
MOSTLY = 0.5
"""The test by unit alone warns if the share of differing mentions with a shared word is this."""


Test: TypeAlias = tuple[str, str, str, Bootstrap, Bootstrap, PairedTest]


@dataclass(frozen=True, eq=False)
class Comparison:
    """All pairs of systems under all settings: ``table`` has the columns COLUMNS.

    F1 and differences are in [0, 1]; ``p_holm`` is corrected for all rows of the table. ``plan``
    has the parameters of intervals and test. ``about`` has the signature fields that all systems
    share; ``systems`` maps each system to its other fields. ``notices`` report limits of the test.
    ``standing`` has the scores of other decisions on the candidates of a system (see ``Results``),
    which are not compared.
    """

    table: pd.DataFrame = field(repr=False)
    plan: Plan
    about: Mapping[str, Any]
    systems: Mapping[str, Mapping[str, Any]]
    notices: tuple[Notice, ...] = ()
    standing: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """The signature of the comparison, one per system."""
        names = list(self.about)
        at = names.index("setting") + 1  # as in the signature of a single result
        before, after = ({name: self.about[name] for name in ns} for ns in (names[:at], names[at:]))
        return tuple(
            Signature.from_fields(**before, system=name, **own, **after)
            for name, own in self.systems.items()
        )

    @property
    def least_p(self) -> float:
        """The smallest p-value that is possible in any row of the table."""
        return float(self.table["least_p"].min())


def compare(experiment: Experiment, plan: Plan, jobs: int | None = None) -> Comparison:
    """Compare all pairs of systems of an experiment, in order, under each setting.

    Raises UsageError for fewer than two systems or a duplicate name; other errors as in
    ``with_intervals``.
    """
    own_scorer(experiment)
    check_systems(list(experiment.systems))
    mentions, systems = [run.mentions for run in experiment.runs], experiment.systems
    units, words = Units.of_mentions(plan.unit, mentions), words_of(mentions)
    tests: list[Test] = []
    for setting in experiment.settings:
        each = of_runs(experiment, setting, units, plan, jobs)

        def test(a: str, b: str, setting: Setting = setting, each: Any = each) -> PairedTest:
            runs = (*systems[a], *systems[b])
            if len(runs) > 2:
                return PairedTest(means_test(each[a], each[b]), runs=True)
            first, second = (experiment.scored(run, setting) for run in runs)
            return paired_test((first, second), (units, words), plan, experiment.asked, jobs=jobs)

        tests += tests_of_pairs(setting.name, each, plan, test)
    about = {
        **experiment.about,
        "setting": tuple(signed(setting) for setting in experiment.settings),
        "metrics": ",".join(experiment.asked) if experiment.asked else "all",
        "scorer": experiment.scorer,
        "plugins": plugins(experiment.runs, experiment.asked or ALL, experiment.settings),
    }
    fields = {name: _signed(runs) for name, runs in systems.items()}
    comparison = comparison_of(tests, plan, len(units), about, fields)
    return replace(comparison, standing=experiment.standing)


def _signed(runs: tuple[Alignment, ...]) -> Mapping[str, Any]:
    """Return the signature fields of a system; those of several runs have all their values."""
    if len(runs) == 1:
        return runs[0].signed
    return {**merged([Signature(run.signed) for run in runs]).fields, "runs": len(runs)}


def tests_of_pairs(
    setting: str,
    systems: Mapping[str, Sequence[Bootstrap]],
    plan: Plan,
    test: Callable[[str, str], PairedTest],
) -> Iterator[Test]:
    """Yield the test of each pair of systems; ``systems`` has the bootstraps of their runs."""
    scores = {name: over_runs(runs, plan, n) for n, (name, runs) in enumerate(systems.items())}
    for a, b in combinations(scores, 2):
        yield setting, a, b, scores[a], scores[b], test(a, b)


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
    tests: Iterable[Test],
    plan: Plan,
    units: int,
    about: Mapping[str, Any],
    systems: Mapping[str, Mapping[str, Any]],
) -> Comparison:
    """Return the table of all tests as a Comparison, with p-values corrected for their number."""
    rows = [row for test in tests for row in _rows(test, plan, units)]
    table = pd.DataFrame(rows, columns=[name for name in COLUMNS if name != "p_holm"])
    table = table.assign(p_holm=holm(table["p"].tolist()))[list(COLUMNS)]
    tests_made = dict.fromkeys(table["test"])
    how = {**described(plan, units), "exchanges": plan.exchanges, "test": "+".join(tests_made)}
    return Comparison(table, plan, {**about, **how}, systems, tuple(_notices(table, plan)))


def _notices(table: pd.DataFrame, plan: Plan) -> Iterator[Notice]:
    """Yield a notice if the test by unit alone was run and its p may be too small."""
    pairs = table[table["test"] == "topic"].drop_duplicates(["setting", "a", "b"])
    if len(pairs):
        message = (
            f"saved results contain no mentions: tested by {plan.unit} only, which assumes that "
            f"{plan.unit}s are independent; the two-way test needs the response files"
        )
        yield Notice("result-limited", len(pairs), message)
    shared = pairs[pairs["shared"].fillna(0) >= MOSTLY]
    if len(shared):
        cases = [f"{r['setting']}: {r['a']} and {r['b']}" for r in shared.to_dict("records")]
        message = (
            f"two systems differ on the same words in several {plan.unit}s (up to "
            f"{100 * shared['shared'].max():.0f} % of the differing mentions): if the systems "
            "decide by word, p is too small; use test=two-way"
        )
        yield notice("result-limited", message, cases)


def _rows(test: Test, plan: Plan, units: int) -> Iterator[dict[str, object]]:
    setting, a, b, first, second, result = test
    difference, by_unit = first.minus(second), result.by_unit
    by_word = None if result.by_word is None else result.by_word.p
    low, high = difference.interval(plan)
    f1 = {
        **{"f1_a": first.estimate, "f1_b": second.estimate, "difference": difference.estimate},
        **{"low": low, "high": high, "f1_a_sd": first.spread, "f1_b_sd": second.spread},
    }
    p = {"p": result.p, "p_unit": by_unit.p, "p_word": by_word}
    about = {
        **{"setting": setting, "a": a, "b": b, "unit": plan.unit, "units": units},
        **{"exchanges": by_unit.exchanges, "exact": by_unit.exact, "test": result.kind},
        **{"words": result.words, "shared": result.shared, "least_p": result.least_p},
    }
    for number, metric in enumerate(first.metrics):
        scores = {name: None if v is None else float(v[number, 2]) for name, v in f1.items()}
        tests = {name: None if v is None else float(v[number]) for name, v in p.items()}
        yield {"metric": metric, **about, **scores, **tests}


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

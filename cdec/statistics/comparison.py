"""Pairwise comparison of systems: difference in F1, confidence interval, p-value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

import pandas as pd

from cdec.errors import UsageError
from cdec.evaluation.experiment import Experiment, plugins
from cdec.metrics import ALL
from cdec.settings import Setting, signed
from cdec.signature import Signature
from cdec.statistics.bootstrap import Bootstrap, bootstrap
from cdec.statistics.confidence import described, own_scorer
from cdec.statistics.draws import Plan
from cdec.statistics.exchange import Randomisation, holm, randomisation
from cdec.statistics.units import FEWEST, Units

COLUMNS = (
    *("setting", "a", "b", "metric", "f1_a", "f1_b", "difference", "low", "high"),
    *("p", "p_holm", "exchanges", "exact", "unit", "units"),
)
Test: TypeAlias = tuple[str, str, str, Bootstrap, Bootstrap, Randomisation]


@dataclass(frozen=True, eq=False)
class Comparison:
    """All pairs of systems under all settings: ``table`` has the columns COLUMNS.

    F1 and differences are in [0, 1]; ``p_holm`` is corrected for all rows of the table. ``plan``
    has the parameters of the intervals, ``about`` the fields of the signature that the systems
    share, ``systems`` maps each system → its own fields.
    """

    table: pd.DataFrame = field(repr=False)
    plan: Plan
    about: Mapping[str, Any]
    systems: Mapping[str, Mapping[str, Any]]

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
        """The smallest p-value that this number of units allows."""
        return float(2.0 ** (1 - int(self.table["units"].min())))


def compare(experiment: Experiment, plan: Plan, jobs: int | None = None) -> Comparison:
    """Compare all pairs of systems of an experiment, in order, under each setting.

    Raises UsageError for fewer than two systems or a duplicate name, and as ``confidence`` does.
    """
    own_scorer(experiment)
    check_systems([run.system for run in experiment.runs])
    units = Units.of_mentions(plan.unit, (run.mentions for run in experiment.runs))
    task = experiment.task
    tests = [
        test
        for setting in experiment.settings
        for test in _tests_under(setting, experiment, units, plan, jobs)
    ]
    about = {
        **task.about,
        "setting": tuple(signed(setting) for setting in experiment.settings),
        "metrics": ",".join(task.metrics) if task.metrics else "all",
        "scorer": task.scorer,
        "plugins": plugins(experiment.runs, task.metrics or ALL, experiment.settings),
    }
    systems = {run.system: run.about for run in experiment.runs}
    return comparison_of(tests, plan, len(units), about, systems)


def _tests_under(
    setting: Setting,
    experiment: Experiment,
    units: Units,
    plan: Plan,
    jobs: int | None,
) -> Iterator[Test]:
    metrics = experiment.task.metrics
    metas = {run.system: run.meta_documents(setting) for run in experiment.runs}
    scores = {name: bootstrap(m, units, plan, metrics, jobs) for name, m in metas.items()}
    for a, b in combinations(metas, 2):
        result = randomisation(metas[a], metas[b], units, plan, metrics, jobs=jobs)
        yield setting.name, a, b, scores[a], scores[b], result


def comparison_of(
    tests: Iterable[Test],
    plan: Plan,
    units: int,
    about: Mapping[str, Any],
    systems: Mapping[str, Mapping[str, Any]],
) -> Comparison:
    """Return the comparison with the table of all tests, p-values corrected for their number."""
    rows = [row for test in tests for row in _rows(test, plan, units)]
    table = pd.DataFrame(rows, columns=[name for name in COLUMNS if name != "p_holm"])
    table = table.assign(p_holm=holm(table["p"].tolist()))[list(COLUMNS)]
    shared = {**about, **described(plan, units), "exchanges": plan.exchanges}
    return Comparison(table, plan, shared, systems)


def _rows(test: Test, plan: Plan, units: int) -> Iterator[dict[str, object]]:
    setting, a, b, first, second, result = test
    difference = first.minus(second)
    low, high = difference.interval(plan)
    for number, metric in enumerate(first.metrics):
        yield {
            "setting": setting,
            "a": a,
            "b": b,
            "metric": metric,
            "f1_a": float(first.estimate[number, 2]),
            "f1_b": float(second.estimate[number, 2]),
            "difference": float(difference.estimate[number, 2]),
            "low": float(low[number, 2]),
            "high": float(high[number, 2]),
            "p": float(result.p[number]),
            "exchanges": result.exchanges,
            "exact": result.exact,
            "unit": plan.unit,
            "units": units,
        }


def check_systems(names: Sequence[str]) -> None:
    """Raise UsageError for fewer than two systems or a duplicate name."""
    if len(names) < FEWEST:
        message = f"a comparison needs at least two systems, got {len(names)}"
        raise UsageError("systems-too-few", message, hint="name two or more")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise UsageError(
            "system-duplicate",
            f"two systems have the name '{repeated[0]}'",
            hint="give a response file another name, as in NAME=FILE",
        )

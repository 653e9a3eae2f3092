"""Systems compared two by two: difference, interval, p, and what the data can tell."""

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
    """Every pair of systems under every setting: ``table`` has the columns COLUMNS.

    F1 and differences are in [0, 1]. ``p_holm`` is corrected for all rows of the table.
    ``about`` is what the signature says; ``plan`` how the intervals were made.
    """

    table: pd.DataFrame = field(repr=False)
    plan: Plan
    about: Mapping[str, Any]

    @property
    def least_p(self) -> float:
        """The smallest p that so many units allow: that of the largest of all exchanges."""
        return float(2.0 ** (1 - int(self.table["units"].min())))


def compare(experiment: Experiment, plan: Plan, jobs: int | None = None) -> Comparison:
    """Compare the answers of an experiment, two by two in their order, under each setting.

    Raises UsageError for fewer than two answers or two of one name, and as ``confidence`` does.
    """
    own_scorer(experiment)
    check_systems([answer.system for answer in experiment.runs])
    units = Units.of_mentions(plan.unit, (answer.mentions for answer in experiment.runs))
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
        "system": {run.system: dict(run.about) for run in experiment.runs},
        "plugins": plugins(experiment.runs, task.metrics or ALL, experiment.settings),
    }
    return comparison_of(tests, plan, len(units), about)


def _tests_under(
    setting: Setting,
    experiment: Experiment,
    units: Units,
    plan: Plan,
    jobs: int | None,
) -> Iterator[Test]:
    metrics = experiment.task.metrics
    built = {answer.system: answer.meta_documents(setting) for answer in experiment.runs}
    scores = {name: bootstrap(made, units, plan, metrics, jobs) for name, made in built.items()}
    for a, b in combinations(built, 2):
        result = randomisation(built[a], built[b], units, plan, metrics, jobs=jobs)
        yield setting.name, a, b, scores[a], scores[b], result


def comparison_of(
    tests: Iterable[Test], plan: Plan, units: int, about: Mapping[str, Any]
) -> Comparison:
    """Return the table of all tests, p corrected for their number."""
    rows = [row for test in tests for row in _rows(test, plan, units)]
    table = pd.DataFrame(rows, columns=[name for name in COLUMNS if name != "p_holm"])
    table = table.assign(p_holm=holm(table["p"].tolist()))[list(COLUMNS)]
    return Comparison(table, plan, {**about, **described(plan, units), "exchanges": plan.exchanges})


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
    """Raise UsageError unless there are two systems or more, each with a name of its own."""
    if len(names) < FEWEST:
        raise UsageError(f"{len(names)} system: there is nothing to compare", hint="name two")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(
            f"two systems are called '{twice[0]}'", hint="name them: `NAME=FILE` for a response"
        )

"""The tables of a study in the form that the sections of its page need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats
from cdec.leaderboards.study.orders import Orders, compare_orders, pairs
from cdec.leaderboards.study.tables import Study
from cdec.settings import find_setting
from cdec.settings.catalog import STRICT_TO_LENIENT


@dataclass(frozen=True, eq=False)
class TaskView:
    """The scores of one task: ``f1`` is indexed by system, its columns are (setting, metric)."""

    name: str
    study: Study
    f1: pd.DataFrame
    left_out: tuple[str, ...] = ()

    @classmethod
    def of(cls, study: Study, name: str) -> TaskView:
        """Return the view of a task; systems come by their CoNLL under PURE-CDEC, best first."""
        rows = study.scores[study.scores["task"] == name]
        table = rows.pivot(index="system", columns=["setting", "metric"], values="f1")
        order = table["pure", "conll"].sort_values(ascending=False, kind="stable").index
        return cls(name, study, table.loc[order])

    def without(self, prefixes: Sequence[str]) -> TaskView:
        """Return the view without systems whose name begins in one of these ways."""
        kept = [name for name in self.f1.index if not str(name).startswith(tuple(prefixes))]
        return TaskView(self.name, self.study, self.f1.loc[kept], tuple(prefixes))

    @cached_property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return [str(name) for name in self.f1.index]

    @cached_property
    def settings(self) -> list[str]:
        """The settings of the literature that the key allows, strict to lenient."""
        known = set(map(str, self.f1.columns.get_level_values(0)))
        return [
            setting.name
            for setting in STRICT_TO_LENIENT
            if setting.name in known and self.f1[setting.name, "conll"].notna().all()
        ]

    @cached_property
    def families(self) -> list[str]:
        """The family of each system."""
        of = self.study.systems.set_index("name")["family"]
        return [str(of[name]) for name in self.systems]

    @cached_property
    def ranked(self) -> Bools:
        """Which systems are ranked: they are not people and had no gold links of the task."""
        return self.study.systems.set_index("name")["ranked"].loc[self.systems].to_numpy(bool)

    def scores(self, setting: str, metric: str = "conll") -> Floats:
        """Return the F1 of all systems."""
        return self._values[setting, metric]

    @cached_property
    def _values(self) -> dict[tuple[str, str], Floats]:
        """The F1 of all systems by (setting, metric)."""
        columns = self.f1.to_numpy(np.float64).T
        names: list[tuple[str, str]] = self.f1.columns.to_list()  # type: ignore[assignment]
        return dict(zip(names, columns, strict=True))

    def p(self, setting: str) -> Floats | None:
        """Return the p-values of all pairs (systems, systems), if the task was resampled."""
        return self._of_pairs.get(setting)

    def half_width(self, setting: str) -> Floats | None:
        """Return half the width of the intervals of all differences, as ``p``."""
        return self._of_pairs.get(f"{setting}_half")

    @cached_property
    def _of_pairs(self) -> dict[str, Floats]:
        """The columns of ``tests`` as symmetric tables (systems, systems), by name."""
        tests, names = self.study.tests, self.systems
        if tests.empty or self.name not in set(tests["task"]):
            return {}
        rows = tests[tests["task"] == self.name].set_index(["a", "b"]).select_dtypes("number")
        tables = {}
        for column in rows:
            table = rows[column].unstack().reindex(index=names, columns=names).to_numpy(np.float64)
            tables[str(column)] = np.asarray(np.where(np.isnan(table), table.T, table))
        return tables

    def orders(self, first: str, second: str, metric: str = "conll") -> Orders:
        """Compare the orders under two settings."""
        p = self.p(first), self.p(second)
        both = (p[0], p[1]) if metric == "conll" and p[0] is not None and p[1] is not None else None
        scores = self.scores(first, metric), self.scores(second, metric)
        return compare_orders(*scores, self.families, both)

    def interval(
        self, system: str, setting: str, metric: str = "conll"
    ) -> tuple[float, float] | None:
        """Return the interval of a score, if the task was resampled."""
        return self._intervals.get((system, setting, metric))

    @cached_property
    def _intervals(self) -> dict[tuple[str, str, str], tuple[float, float]]:
        return self._cells(self.study.intervals, "low", "high")

    def mean(self, system: str, setting: str, metric: str) -> tuple[float, float]:
        """Return the mean F1 of the runs and its standard deviation (NaN for one run)."""
        return self._means[system, setting, metric]

    @cached_property
    def _means(self) -> dict[tuple[str, str, str], tuple[float, float]]:
        return self._cells(self.study.scores, "f1", "f1_sd")

    def _cells(
        self, table: pd.DataFrame, *values: str
    ) -> dict[tuple[str, str, str], tuple[float, float]]:
        """Return two values of each row of the task, by system, setting and metric."""
        if table.empty:
            return {}
        rows = table[table["task"] == self.name]
        keys = zip(rows["system"], rows["setting"], rows["metric"], strict=True)
        first, second = (rows[name].astype(float).tolist() for name in values)
        return dict(zip(keys, zip(first, second, strict=True), strict=True))

    def table(self, metric: str = "conll") -> pd.DataFrame:
        """Return the F1 of a metric: a row per system, best first, a column per setting."""
        return pd.DataFrame({s: self.scores(s, metric) for s in self.settings}, self.f1.index)


def factorial(view: TaskView) -> pd.DataFrame:
    """Return how often one choice alone, with the two others fixed, reorders systems.

    A row per choice and step (as ``singletons no → key``): the number of combinations of the other
    choices, and the mean, least and greatest share of reversed pairs.
    """
    names = [str(name) for name in dict.fromkeys(view.f1.columns.get_level_values(0))]
    known = [name for name in names if view.f1[name, "conll"].notna().all()]
    rows: dict[tuple[str, str], list[float]] = {}
    for first, second in combinations(known, 2):
        step = _single_step(first, second)
        if step:
            rows.setdefault(step, []).append(view.orders(first, second).share)
    return pd.DataFrame(
        [
            {"choice": choice, "step": step, "n": len(shares), "mean": float(np.mean(shares))}
            | {"least": min(shares), "most": max(shares)}
            for (choice, step), shares in sorted(rows.items())
        ]
    )


def _single_step(first: str, second: str) -> tuple[str, str] | None:
    """Return (choice, values) if two settings differ in one choice only."""
    one, other = find_setting(first), find_setting(second)
    choices = {
        "scope": (one.scope, other.scope),
        "singletons": (str(one.ignore_singletons), str(other.ignore_singletons)),
        "reduction": tuple("yes" if s.reduce_within_document else "no" for s in (one, other)),
    }
    changed = [(name, pair) for name, pair in choices.items() if pair[0] != pair[1]]
    if len(changed) != 1:
        return None
    ((name, pair),) = changed
    return name, " ↔ ".join(sorted(pair))


def significant_reversals(
    view: TaskView, first: str, second: str, level: float = 0.05
) -> Iterator[dict[str, object]]:
    """Yield the pairs that two settings order differently, each with p below ``level``."""
    p = view.p(first), view.p(second)
    if p[0] is None or p[1] is None:
        return
    one, other = view.scores(first), view.scores(second)
    for a, b in zip(*pairs(len(one)), strict=True):
        gaps = one[a] - one[b], other[a] - other[b]
        if gaps[0] * gaps[1] < 0 and max(p[0][a, b], p[1][a, b]) < level:
            best, worse = (a, b) if gaps[0] > 0 else (b, a)
            yield {
                "better": view.systems[best],
                "worse": view.systems[worse],
                "first": abs(gaps[0]),
                "second": -abs(gaps[1]),
                "p_first": p[0][a, b],
                "p_second": p[1][a, b],
            }

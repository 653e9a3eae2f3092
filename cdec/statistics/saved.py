"""Comparison of saved results, from the counts of their units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Floats
from cdec.errors import ScoringError
from cdec.evaluation.results import TASK, Results, check_same_task
from cdec.metrics import COUNT_COLUMNS, ordered, required
from cdec.statistics.compare import (
    Comparison,
    Test,
    check_systems,
    comparison_of,
    tests_of_pairs,
)
from cdec.statistics.draws import FEWEST, Plan, all_draws
from cdec.statistics.exchange import additive
from cdec.statistics.intervals import of_tallies
from cdec.statistics.resample import weighted
from cdec.statistics.two_way import PairedTest


def compare_saved(saved: Iterable[Results], plan: Plan) -> Comparison:
    """Compare all pairs of saved results, in order, from the counts of their units.

    Raises ScoringError for results of different tasks or counts that are not additive (the
    setting merges units), UsageError as ``compare`` does.
    """
    results = list(saved)
    by_setting: dict[str, list[Results]] = {}
    for result in results:
        by_setting.setdefault(result.setting, []).append(result)
    _check_settings(results)
    _check_units(results, plan.unit)
    tests = [test for group in by_setting.values() for test in _saved_tests(group, plan)]
    units = results[0].parts["unit"].nunique()
    about = {k: v for k, v in results[0].signature.fields.items() if k in TASK}
    about["setting"] = tuple(by_setting)
    systems = {result.system: _own(result.signature.fields) for result in results}
    return comparison_of(tests, plan, units, about, systems)


def _own(signature: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a saved signature that describe the system."""
    return {k: v for k, v in signature.items() if k not in {*TASK, "system", "cdec"}}


def _saved_tests(group: Sequence[Results], plan: Plan) -> Iterator[Test]:
    check_systems([result.system for result in group])
    check_same_task((result.system, result.signature.fields) for result in group)
    names = str(group[0].signature.fields.get("metrics", "all"))
    shown = ordered(None if names == "all" else names.split(","))
    counted = required(shown)
    each = {result.system: _unit_tallies(result, plan.unit, counted, group[0]) for result in group}
    scores = {}
    for name, own in each.items():
        tallied = weighted(all_draws(len(own), plan), own)
        scores[name] = [of_tallies(tallied, counted, shown, len(own), joint=False)]

    def test(a: str, b: str) -> PairedTest:
        return PairedTest(additive(each[a], each[b], counted, shown, plan))

    yield from tests_of_pairs(group[0].setting, scores, plan, test)


def _unit_tallies(result: Results, unit: str, counted: Sequence[str], first: Results) -> Floats:
    """Return the tallies (units, counted, 4) of a result, with units in the order of ``first``."""
    hint = f"save the results by {unit} as JSON, or compare the response files"
    missing = partial(ScoringError, "argument-missing", place=result.place, hint=hint)
    if result.by != unit:
        raise missing(f"the file has no counts by {unit}")
    order = list(dict.fromkeys(first.parts["unit"]))
    if set(order) != set(result.parts["unit"]):
        message, same = f"its {unit}s differ from those of '{first.place}'", "score the same part"
        raise ScoringError("input-mismatch", message, place=result.place, hint=same)
    if absent := set(counted) - set(result.frame["metric"]):
        raise missing(f"the file has no counts of {', '.join(sorted(absent))}")
    columns, index = list(COUNT_COLUMNS), pd.MultiIndex.from_product([order, counted])
    counts = result.parts.set_index(["unit", "metric"]).reindex(columns=columns)
    if not index.isin(counts.index).all() or counts.loc[index].isna().any(axis=None):
        raise missing(f"a {unit} has no counts of a metric")
    tallies: Floats = counts.loc[index].to_numpy(np.float64).reshape(-1, len(counted), 4)
    whole = result.frame.set_index("metric").reindex(columns=columns).loc[list(counted)]
    if not np.allclose(tallies.sum(axis=0), whole.to_numpy(dtype=np.float64)):
        raise missing(
            f"its counts by {unit} do not add up: the setting '{result.setting}' merges {unit}s",
            hint="compare the response files instead: `cdec compare A.conll B.conll`",
        )
    return tallies


def _check_units(results: Sequence[Results], unit: str) -> None:
    """Raise ScoringError if a result has fewer than two units."""
    # _unit_tallies refuses results that have no counts by this unit.
    for result in (one for one in results if one.by == unit):
        count = result.parts["unit"].nunique()
        if count < FEWEST:
            message = f"resampling needs at least two {unit}s, got {count}"
            hint = "score a larger split, or resample by subtopic (unit=subtopic)"
            raise ScoringError("part-too-small", message, place=result.place, hint=hint)


def _check_settings(results: Sequence[Results]) -> None:
    """Raise ScoringError if two files have different settings."""
    by_file: dict[str, dict[str, None]] = {}
    for result in results:
        by_file.setdefault(result.place, {})[result.setting] = None
    (first, settings), *others = by_file.items()
    for place, other in others:
        if set(other) != set(settings):
            check_same_task(
                (name, {"setting": ", ".join(sorted(names))})
                for name, names in ((first, settings), (place, other))
            )

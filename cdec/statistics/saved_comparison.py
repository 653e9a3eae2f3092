"""Saved results compared, by the counts of their units; nothing else is known of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from cdec.arrays import Floats
from cdec.errors import ScoringError
from cdec.evaluation.saved import TASK, SavedResult, check_same_task
from cdec.metrics import ordered, required
from cdec.metrics.scores import COUNT_COLUMNS
from cdec.statistics.bootstrap import from_tallies
from cdec.statistics.comparison import Comparison, Test, Tested, check_systems, comparison_of
from cdec.statistics.draws import Plan
from cdec.statistics.exchange import additive
from cdec.statistics.units import FEWEST


def compare_saved(results: Sequence[SavedResult], plan: Plan) -> Comparison:
    """Compare saved results, two by two in their order, by the counts of their units.

    Raises ScoringError where results were not made on the same task, or their counts of units do
    not add up (the setting merges units), UsageError as ``compare`` does.
    """
    by_setting: dict[str, list[SavedResult]] = {}
    for result in results:
        by_setting.setdefault(result.setting, []).append(result)
    _check_settings(results)
    _check_units(results, plan.unit)
    tests = [test for group in by_setting.values() for test in _saved_tests(group, plan)]
    units = results[0].parts["unit"].nunique()
    about = {k: v for k, v in results[0].signature.items() if k in TASK}
    about |= {
        "setting": tuple(by_setting),
        "system": tuple(dict.fromkeys(r.system for r in results)),
    }
    return comparison_of(tests, plan, units, about)


def _saved_tests(group: Sequence[SavedResult], plan: Plan) -> Iterator[Test]:
    check_systems([result.system for result in group])
    check_same_task((result.system, result.signature) for result in group)
    named = str(group[0].signature.get("metrics", "all"))
    shown = ordered(None if named == "all" else named.split(","))
    counted = required(shown)
    each = {result.system: _unit_tallies(result, plan.unit, counted, group[0]) for result in group}
    scores = {name: from_tallies(made, counted, shown, plan) for name, made in each.items()}
    for a, b in combinations(each, 2):
        result = additive(each[a], each[b], counted, shown, plan)
        yield group[0].setting, a, b, scores[a], scores[b], Tested(result.p, result)


def _unit_tallies(
    result: SavedResult, unit: str, counted: Sequence[str], first: SavedResult
) -> Floats:
    """Return the tallies (units, counted, 4) of a result, its units in the order of the first."""
    hint = f"write it with `cdec eval --by {unit} --format json`, or compare the response files"
    if result.by != unit:
        raise ScoringError(f"no counts by {unit} in it", place=result.place, hint=hint)
    order = list(dict.fromkeys(first.parts["unit"]))
    if set(order) != set(result.parts["unit"]):
        message = f"its {unit}s are not those of '{first.place}'"
        raise ScoringError(message, place=result.place, hint="score both on the same part")
    lost = set(counted) - set(result.scores["metric"])
    if lost:
        message = f"no counts of {', '.join(sorted(lost))} in it"
        raise ScoringError(message, place=result.place, hint=hint)
    counts = result.parts.set_index(["unit", "metric"]).reindex(columns=list(COUNT_COLUMNS))
    index = pd.MultiIndex.from_product([order, counted])
    if not index.isin(counts.index).all() or counts.loc[index].isna().any(axis=None):
        raise ScoringError(f"a {unit} lacks counts of a metric", place=result.place, hint=hint)
    tallies: Floats = counts.loc[index].to_numpy(np.float64).reshape(-1, len(counted), 4)
    whole = result.scores.set_index("metric").reindex(columns=list(COUNT_COLUMNS))
    whole = whole.loc[list(counted)]
    if not np.allclose(tallies.sum(axis=0), whole.to_numpy(dtype=np.float64)):
        raise ScoringError(
            f"its counts by {unit} do not add up: the setting '{result.setting}' merges {unit}s",
            place=result.place,
            hint="compare the response files themselves, `cdec compare A.conll B.conll`",
        )
    return tallies


def _check_units(results: Sequence[SavedResult], unit: str) -> None:
    """Raise ScoringError where a result has one unit only."""
    # Results without units are told of where their tallies are wanted.
    for result in (one for one in results if one.by == unit):
        count = result.parts["unit"].nunique()
        if count < FEWEST:
            message = f"counts of {count} {unit}: there is nothing to resample"
            hint = "score a larger split, or `cdec eval --by subtopic` and compare --unit subtopic"
            raise ScoringError(message, place=result.place, hint=hint)


def _check_settings(results: Sequence[SavedResult]) -> None:
    """Raise ScoringError where two files hold other settings."""
    held: dict[Path, dict[str, None]] = {}
    for result in results:
        held.setdefault(result.place, {})[result.setting] = None
    (first, settings), *others = held.items()
    for place, other in others:
        if set(other) != set(settings):
            check_same_task(
                (str(name), {"setting": ", ".join(sorted(kept))})
                for name, kept in ((first, settings), (place, other))
            )

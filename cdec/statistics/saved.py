"""Comparison of saved results, from the counts of their units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Floats
from cdec.errors import ScoringError
from cdec.evaluation.results import TASK, Results, check_same_task
from cdec.metrics import COUNT_COLUMNS
from cdec.metrics.scores import ordered, required
from cdec.statistics.compare import Comparison, Group, check_systems, comparison_of
from cdec.statistics.draws import FEWEST, Plan, all_draws
from cdec.statistics.exchange import additive
from cdec.statistics.intervals import of_tallies
from cdec.statistics.resample import weighted
from cdec.statistics.two_way import columns_of


def compare_saved(saved: Iterable[Results], plan: Plan) -> Comparison:
    """Compare all pairs of saved results, in order, from the counts of their units.

    Raises ScoringError for results of different tasks or counts that are not additive (the
    setting merges units), UsageError as ``compare`` does.
    """
    results = list(saved)
    by_setting: dict[str, list[Results]] = {}
    settings: dict[str, set[str]] = {}
    for result in results:
        by_setting.setdefault(result.setting, []).append(result)
        settings.setdefault(result.place, set()).add(result.setting)
    check_same_task((file, {"setting": ", ".join(sorted(s))}) for file, s in settings.items())
    about = {k: v for k, v in results[0].signature.fields.items() if k in TASK}
    about["setting"] = tuple(by_setting)
    apart = {*TASK, "system", "cdec"}  # the fields that do not describe the system
    systems = {
        result.system: {k: v for k, v in result.signature.fields.items() if k not in apart}
        for result in results
    }
    groups = [_group(results, plan) for results in by_setting.values()]
    units = results[0].parts["unit"].nunique()
    return comparison_of(groups, plan, units, about, systems)


def _group(results: Sequence[Results], plan: Plan) -> Group:
    check_systems([result.system for result in results])
    check_same_task((result.system, result.signature.fields) for result in results)
    names = str(results[0].signature.fields.get("metrics", "all"))
    shown = ordered(None if names == "all" else names.split(","))
    counted = required(shown)
    each = {
        result.system: _unit_tallies(result, plan.unit, counted, results[0]) for result in results
    }
    scores = {}
    for name, own in each.items():
        tallied = weighted(all_draws(len(own), plan), own)
        scores[name] = [of_tallies(tallied, counted, shown, len(own), joint=False)]

    def test(a: str, b: str) -> dict[str, Any]:
        tested = additive(each[a], each[b], counted, shown, plan)
        return columns_of(tested, plan.unit, len(each[a]))

    return results[0].setting, scores, test


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
    if len(order) < FEWEST:
        message = f"resampling needs at least two {unit}s, got {len(order)}"
        hint = "score a larger split, or resample by subtopic (unit=subtopic)"
        raise ScoringError("part-too-small", message, place=result.place, hint=hint)
    columns, index = list(COUNT_COLUMNS), pd.MultiIndex.from_product([order, counted])
    counts = result.parts.set_index(["unit", "metric"]).reindex(index=index, columns=columns)
    for where, metric in index[counts.isna().any(axis=1)]:
        raise missing(f"the file has no counts of {metric} for {unit} {where}")
    tallies: Floats = counts.to_numpy(np.float64).reshape(-1, len(counted), 4)
    whole = result.frame.set_index("metric").reindex(index=list(counted), columns=columns)
    if not np.allclose(tallies.sum(axis=0), whole.to_numpy(dtype=np.float64)):
        raise missing(
            f"its counts by {unit} do not add up: the setting '{result.setting}' merges {unit}s",
            hint="compare the response files instead: `cdec compare A.conll B.conll`",
        )
    return tallies

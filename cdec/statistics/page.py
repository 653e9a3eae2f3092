"""The page of a comparison, with notes in words."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from cdec.arrays import StrSeries
from cdec.corpus.model import LEVELS
from cdec.errors import counted
from cdec.evaluation.view import ALPHA, headline, metric_legend
from cdec.metrics import REGISTRY
from cdec.render.charts import draw_chart, draw_points
from cdec.render.page import Chart, Page, Table, bracket, points, spread
from cdec.settings import label_of
from cdec.signature import in_json
from cdec.statistics.compare import Comparison
from cdec.statistics.draws import Plan
from cdec.statistics.intervals import interval_words

# Positions of the columns of _COMPARED: those that identify a row and say the result, the others.
_ALWAYS = range(6)
_NARROW = range(6, 8)
_EQUAL = "same"
_UNCLEAR = "cannot tell"
_ABOVE = f", p > {ALPHA:g}"


def probability(p: float) -> str:
    """Return p with three decimals, or its order of magnitude if it is below 0.0005."""
    if p < 0.0005:
        return f"{p:.0e}"
    return f"{p:.3f}"


_COMPARED = Table(
    "{title}",
    {
        "better": "Better",
        "difference": ("A − B", points),
        "a": "A",
        "b": "B",
        "setting": "Setting",
        "metric": ("Metric", lambda metric: REGISTRY[metric].label),
        "interval": "{level} % interval",
        "p_holm": ("p (Holm)", probability),
        "p": ("p", probability),
        "f1_a": "F A",
        "f1_b": "F B",
    },
    heads=0,
)


def comparison_page(comparison: Comparison) -> Page:
    """Return the comparison as a page: the verdict on each pair, the table, a legend."""
    table = comparison.table
    about = in_json(*comparison.signatures)
    about["notices"] = [notice.record for notice in comparison.notices]
    ends = zip(table["low"], table["high"], strict=True)
    cells = table.assign(
        setting=table["setting"].map(label_of),
        f1_a=list(map(spread, table["f1_a"], table["f1_a_sd"])),
        f1_b=list(map(spread, table["f1_b"], table["f1_b_sd"])),
        interval=[bracket(low, high, points) for low, high in ends],
        better=_better_systems(table),
    )
    notes = [*legend_of(comparison), about["signature"]]
    level = f"{100 * comparison.plan.level:g}"
    grid = _COMPARED.grid(cells, *notes, title=_answer(table), level=level)
    grid = replace(grid, always=_ALWAYS, narrow=_NARROW)
    return Page.of(grid, table, about, _forest(cells, level))


def _forest(cells: pd.DataFrame, level: str) -> Chart:
    """Return the chart of the differences, with a line for each pair of systems."""
    rows = 100 * cells[["difference", "low", "high"]]
    is_unclear = cells["better"].isin([_UNCLEAR, _EQUAL])
    metrics = cells["metric"].map(lambda name: REGISTRY[name].label)
    rows = rows.assign(
        value=rows["difference"],
        line=cells["a"]
        + " − "
        + cells["b"]
        + is_unclear.map({True: _ABOVE, False: ""}),
        condition=cells["setting"] + ", " + metrics,
    )
    title = "Differences in F1"
    draw = partial(draw_points, rows=rows, unit="Difference in F1 (points)")
    return Chart(
        partial(draw_chart, draw, title, "the numbers are in the table"),
        f"{title} with their {level} % intervals.",
        "forest",
    )


def _better_systems(table: pd.DataFrame) -> StrSeries:
    better = table["a"].where(table["difference"] > 0, table["b"])
    better = better.mask(table["p_holm"] > ALPHA, _UNCLEAR)
    return better.mask(table["difference"] == 0, _EQUAL)


def _answer(table: pd.DataFrame) -> str:
    """Return the verdicts on all pairs by one metric and setting, as their rows read."""
    metric, setting = headline(table)
    rows = table[(table["metric"] == metric) & (table["setting"] == setting)]
    verdicts = "; ".join(map(_verdict, rows.to_dict("records")))
    answer = f"{REGISTRY[metric].label} F1 under {label_of(setting)}: {verdicts}"
    if len(rows) == len(table):
        return answer
    differing = (table["p_holm"] <= ALPHA).sum()
    return f"{answer}. By {differing} of all {len(table)} tests a system is better"


def _verdict(row: Mapping[Hashable, Any]) -> str:
    """Return which system of a row is better, and by how much."""
    a = row["a"]
    b = row["b"]
    if row["difference"] == 0:
        return f"{a} and {b} are the same"
    if row["p_holm"] > ALPHA:
        verdict = f"{a} and {b} cannot be told apart"
    elif row["difference"] > 0:
        verdict = f"{a} is better than {b}"
    else:
        verdict = f"{a} is worse than {b}"
    return (
        f"{verdict}, {points(row['difference'])} points "
        f"{bracket(row['low'], row['high'], points)}, "
        f"p (Holm) = {probability(row['p_holm'])}"
    )


def legend_of(comparison: Comparison) -> Iterator[str]:
    """Yield the legend: columns, intervals, p-values, and the number of units."""
    table = comparison.table
    plan = comparison.plan
    units = int(table["units"].min())
    tests = counted(len(table), "test")
    yield "; ".join(
        [
            "F A, F B: F1 in percent; A − B: difference in points; Better: the system with the "
            f"higher F1 if p (Holm) ≤ {ALPHA:g}, '{_UNCLEAR}' if p is larger, '{_EQUAL}' if A − B "
            "is 0",
            *metric_legend(table["metric"]),
        ]
    )
    has_runs = bool((table["test"] == "runs").any())
    yield f"{interval_words(plan, units, runs=has_runs)}; A and B on the same resamples"
    methods = test_methods(table, plan)
    yield f"p: {'; for several runs '.join(methods)}; p (Holm): corrected for {tests}"
    excludes_zero = (table["low"] > 0) | (table["high"] < 0)
    is_significant = table["p_holm"] <= ALPHA
    disagrees = (excludes_zero != is_significant) & (table["difference"] != 0)
    if disagrees.any():
        yield (
            f"an interval and p (Holm) disagree: only p (Holm) is corrected for {tests}. It says "
            "which system is better, the interval how large the difference is"
        )
    if comparison.power.warning:
        yield comparison.power.message


def test_methods(table: pd.DataFrame, plan: Plan) -> list[str]:
    """Return the methods of the tests in words: for single runs, for several."""
    methods = []
    of_runs = table["test"] == "runs"
    if not of_runs.all():
        single = table.loc[~of_runs]
        number = f"{single['exchanges'].max():,} random"
        if single["exact"].all():
            number = f"all {single['exchanges'].max():,}"
        methods.append(
            f"the larger p of two randomisation tests, {number} exchanges of the responses of A "
            f"and B on whole {LEVELS[plan.unit]}s and on whole words, corrected for systems "
            "that decide by both"
        )
    if of_runs.any():
        methods.append(
            f"t test of the means, with the variance over {plan.resamples:,} resamples of topics "
            "and over runs"
        )
    return methods

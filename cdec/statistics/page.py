"""The page of a comparison, with notes in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas as pd

from cdec.errors import counted
from cdec.evaluation.view import headline, metric_legend
from cdec.metrics import REGISTRY
from cdec.render.page import Page, Table, bracket, percent, points, spread
from cdec.settings import label_of
from cdec.signature import in_json
from cdec.statistics.compare import Comparison
from cdec.statistics.intervals import UNIT_NAMES, interval_words

ALPHA = 0.05
_NARROW = (0, 1, 2, 3, 6, 7, 9)  # of the columns of _COMPARED
_NARROWED = "Without F A, F B, p and Better: a wider terminal, a pipe or --format shows them."
_RUNS_TEST = "t test of the means, with the variance over {} resamples of topics and over runs"
_EQUAL, _UNCLEAR = "same", "cannot tell"


def probability(p: float) -> str:
    """Return p with three decimals, or its order of magnitude if it is below 0.0005."""
    return f"{p:.3f}" if p >= 0.0005 else f"{p:.0e}"


_COMPARED = Table(
    "{title}",
    {
        **{"setting": "Setting", "a": "A", "b": "B"},
        "metric": ("Metric", lambda metric: REGISTRY[metric].label),
        **{"f1_a": "F A", "f1_b": "F B", "difference": ("A − B", points)},
        "interval": "{level} % interval",
        **{"p": ("p", probability), "p_holm": ("p (Holm)", probability), "better": "Better"},
    },
    heads=0,
)


def comparison_page(comparison: Comparison) -> Page:
    """Return the comparison as a page; its notes are the verdicts and a legend."""
    about = in_json(*comparison.signatures)
    about["notices"] = [notice.record for notice in comparison.notices]
    grid = _COMPARED.grid(
        _compared(comparison),
        *verdicts(comparison),
        *explained(comparison),
        about["signature"],
        title=_answer(comparison.table),
        level=f"{100 * comparison.plan.level:g}",
    )
    grid = replace(grid, narrow=_NARROW, narrowed=_NARROWED)
    return Page.of(grid, comparison.table, about)


def _answer(table: pd.DataFrame) -> str:
    """Return the verdict on the first pair."""
    metric, setting = headline(table)
    rows = table[(table["metric"] == metric) & (table["setting"] == setting)]
    first: Any = rows.iloc[0]
    where = f"{REGISTRY[metric].label} F1 under {label_of(setting)}"
    if first["difference"] == 0:
        return f"{first['a']} and {first['b']} have the same {where}"
    ends, sign = (first["low"], first["high"]), 1
    better, other = first["a"], first["b"]
    if first["difference"] < 0:
        ends, sign, better, other = (-first["high"], -first["low"]), -1, other, better
    size = f"{percent(sign * first['difference'])} points of {where} {bracket(*ends, points)}"
    p = f"p (Holm) = {probability(first['p_holm'])}"
    if first["p_holm"] <= ALPHA:
        return f"{better} is better than {other} by {size}, {p}"
    return f"{better} and {other} cannot be told apart: {size}, {p}"


def _compared(comparison: Comparison) -> pd.DataFrame:
    """Return the table with the labels of settings and the columns ``interval`` and ``better``."""
    table = comparison.table
    ends = zip(table["low"], table["high"], strict=True)
    return table.assign(
        setting=table["setting"].map(label_of),
        f1_a=list(map(spread, table["f1_a"], table["f1_a_sd"])),
        f1_b=list(map(spread, table["f1_b"], table["f1_b_sd"])),
        interval=[bracket(low, high, points) for low, high in ends],
        better=[_better(row) for row in table.to_dict("records")],
    )


def verdicts(comparison: Comparison) -> Iterator[str]:
    """Yield a sentence for each setting and pair: which system is better by which metrics."""
    for (setting, a, b), rows in _compared(comparison).groupby(["setting", "a", "b"], sort=False):
        better: dict[str, list[str]] = {}
        for name, metric in zip(rows["better"], rows["metric"], strict=True):
            better.setdefault(name, []).append(REGISTRY[metric].label)
        parts = [
            f"{name} is better by {', '.join(m)}" for name, m in better.items() if name in (a, b)
        ]
        unclear = [*better.get(_UNCLEAR, []), *better.get(_EQUAL, [])]
        parts += [f"no significant difference by {', '.join(unclear)}"] if unclear else []
        yield f"{setting}, {a} and {b}: {'; '.join(parts)}"


def explained(comparison: Comparison) -> Iterator[str]:
    """Yield the legend: columns, intervals, p-values, and the number of units."""
    table, plan = comparison.table, comparison.plan
    units = int(table["units"].min())
    legend = (
        "F A, F B: F1 in percent; A − B: difference in points; Better: the system with the higher "
        f"F1 if p (Holm) ≤ {ALPHA:g}, '{_UNCLEAR}' if p is larger, '{_EQUAL}' if A − B is 0"
    )
    yield "; ".join([legend, *metric_legend(table["metric"])])
    runs = bool((table["test"] == "runs").any())
    yield f"{interval_words(plan, units, runs=runs)}; A and B on the same resamples"
    tests = counted(len(table), "test")
    yield f"p: {_test(comparison)}; p (Holm): corrected for {tests}"
    apart = ((table["low"] > 0) | (table["high"] < 0)) != (table["p_holm"] <= ALPHA)
    if (apart & (table["difference"] != 0)).any():
        yield (
            f"an interval and p (Holm) disagree: only p (Holm) is corrected for {tests} and for "
            "decisions by word, and an interval also says how much the difference varies between "
            f"{UNIT_NAMES[plan.unit]}s. Report p (Holm) for the question which system is better, "
            "and the interval for the size of the difference"
        )
    if (possible := table["least_p"].min()) * len(table) > ALPHA:
        least = f"{probability(possible)} with {counted(units, UNIT_NAMES[plan.unit])}"
        yield f"the smallest possible p is {least}: with {tests} no difference can be significant"
    yield from (f"{'warning' if n.warning else 'note'}: {n}" for n in comparison.notices)


def _test(comparison: Comparison) -> str:
    """Return the definition of p in words."""
    table, plan = comparison.table, comparison.plan
    of_runs = table["test"] == "runs"
    words = [_RUNS_TEST.format(f"{plan.resamples:,}")] if of_runs.any() else []
    if exchanged := table[~of_runs].to_dict("records"):
        number = max(row["exchanges"] for row in exchanged)
        how = f"all {number:,}" if all(row["exact"] for row in exchanged) else f"{number:,} random"
        test = f"{how} exchanges of the responses of A and B on whole {UNIT_NAMES[plan.unit]}s"
        if table["p_word"].notna().any():
            both = "on whole words, corrected for systems that decide by both"
            words.insert(0, f"the larger p of two randomisation tests, {test} and {both}")
        else:
            words.insert(0, f"randomisation test, {test}")
    return "; for several runs ".join(words)


def _better(row: dict[Any, Any]) -> str:
    if row["difference"] == 0:
        return _EQUAL
    if row["p_holm"] > ALPHA:
        return _UNCLEAR
    return str(row["a"] if row["difference"] > 0 else row["b"])

"""The page of a comparison, with notes in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas as pd

from cdec.errors import counted
from cdec.evaluation.view import headline, metric_legend
from cdec.metrics import REGISTRY
from cdec.render.page import Page, Table, bracket, points, spread
from cdec.settings import label_of
from cdec.signature import in_json
from cdec.statistics.compare import Comparison
from cdec.statistics.intervals import UNIT_NAMES, interval_words

ALPHA = 0.05
_NARROW = (0, 1, 2, 3, 6, 7, 9)  # of the columns of _COMPARED
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
    """Return the comparison as a page: the verdict on the first pair, the table, a legend."""
    about, table = in_json(*comparison.signatures), comparison.table
    about["notices"] = [notice.record for notice in comparison.notices]
    equal, better = table["difference"] == 0, table["difference"] > 0
    shown = table.assign(
        setting=table["setting"].map(label_of),
        f1_a=list(map(spread, table["f1_a"], table["f1_a_sd"])),
        f1_b=list(map(spread, table["f1_b"], table["f1_b_sd"])),
        interval=[bracket(*ends, points) for ends in zip(table["low"], table["high"], strict=True)],
        better=table["a"].where(better, table["b"]).mask(table["p_holm"] > ALPHA, _UNCLEAR),
    )
    shown["better"] = shown["better"].mask(equal, _EQUAL)
    level = f"{100 * comparison.plan.level:g}"
    notes = *explained(comparison), about["signature"]
    grid = _COMPARED.grid(shown, *notes, title=_answer(table), level=level)
    return Page.of(replace(grid, narrow=_NARROW), table, about)


def _answer(table: pd.DataFrame) -> str:
    """Return the verdict on the first pair, as its row reads: A beside B."""
    metric, setting = headline(table)
    rows = table[(table["metric"] == metric) & (table["setting"] == setting)]
    first: Any = rows.iloc[0]
    a, b, difference = first["a"], first["b"], first["difference"]
    where = f"{REGISTRY[metric].label} F1 under {label_of(setting)}"
    if difference == 0:
        return f"{a} and {b} have the same {where}"
    verdict = f"{a} is {'better' if difference > 0 else 'worse'} than {b}"
    if first["p_holm"] > ALPHA:
        verdict = f"{a} and {b} cannot be told apart"
    size = f"{points(difference)} points {bracket(first['low'], first['high'], points)}"
    return f"{verdict} by {where}: {size}, p (Holm) = {probability(first['p_holm'])}"


def explained(comparison: Comparison) -> Iterator[str]:
    """Yield the legend: columns, intervals, p-values, and the number of units."""
    table, plan = comparison.table, comparison.plan
    unit, units = UNIT_NAMES[plan.unit], int(table["units"].min())
    legend = (
        "F A, F B: F1 in percent; A − B: difference in points; Better: the system with the higher "
        f"F1 if p (Holm) ≤ {ALPHA:g}, '{_UNCLEAR}' if p is larger, '{_EQUAL}' if A − B is 0"
    )
    yield "; ".join([legend, *metric_legend(table["metric"])])
    of_runs = table["test"] == "runs"
    yield f"{interval_words(plan, units, runs=bool(of_runs.any()))}; A and B on the same resamples"
    words = []
    if not of_runs.all():
        number = table.loc[~of_runs, "exchanges"].max()
        how = f"all {number:,}" if table.loc[~of_runs, "exact"].all() else f"{number:,} random"
        words.append(
            f"the larger p of two randomisation tests, {how} exchanges of the responses of A and B "
            f"on whole {unit}s and on whole words, corrected for systems that decide by both"
        )
    if of_runs.any():
        words.append(_RUNS_TEST.format(f"{plan.resamples:,}"))
    tests = counted(len(table), "test")
    yield f"p: {'; for several runs '.join(words)}; p (Holm): corrected for {tests}"
    apart = ((table["low"] > 0) | (table["high"] < 0)) != (table["p_holm"] <= ALPHA)
    if (apart & (table["difference"] != 0)).any():
        yield (
            f"an interval and p (Holm) disagree: only p (Holm) is corrected for {tests}. It says "
            "which system is better, the interval how large the difference is"
        )
    if (possible := table["least_p"].min()) * len(table) > ALPHA:
        least = f"{probability(possible)} with {counted(units, unit)}"
        yield f"the smallest possible p is {least}: with {tests} no difference can be significant"

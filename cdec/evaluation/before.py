"""Results beside those with another key: F1 before and after a patch, and the difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from cdec.evaluation.view import RECOMMENDED, metric_legend, several_words
from cdec.metrics import REGISTRY
from cdec.metrics.scores import IN_TABLES
from cdec.records import Fields
from cdec.render.page import Grid, Page, bracket, points, spread
from cdec.settings import label_of

BEFORE = "f1_before"
_CASE = ["setting", "system", "metric"]
_LEGEND = (
    "before, after: F1 in percent with the key as it is and as the patch corrects it; "
    "difference: in points, not tested"
)


def with_before(after: pd.DataFrame, before: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of scores with the column BEFORE: F1 of the same case with the other key."""
    column = before[[*_CASE, "f1"]].rename(columns={"f1": BEFORE})
    table = after.merge(column, on=_CASE, how="left")
    return table.assign(difference=table["f1"] - table[BEFORE])


def before_page(table: pd.DataFrame, notes: Sequence[str], about: Fields) -> Page:
    """Return the page of a frame of ``with_before``: before, after and difference by metric."""
    metrics = [*table["metric"].unique()]
    metrics = [name for name in (*IN_TABLES, *metrics) if name in metrics]
    metrics = list(dict.fromkeys(metrics))
    columns = [("", "Setting"), ("", "System")]
    for metric in metrics:
        label = REGISTRY[metric].label
        columns += [(label, name) for name in ("before", "after", "difference")]
    records = {}
    for row in table.to_dict("records"):
        records[row["setting"], row["system"], row["metric"]] = row
    cases = list(dict.fromkeys((setting, system) for setting, system, _ in records))
    settings = list(dict.fromkeys([*RECOMMENDED, *table["setting"]]))
    cases.sort(key=lambda case: settings.index(case[0]))
    rows = []
    for setting, system in cases:
        cells = [label_of(setting), system]
        for metric in metrics:
            row = records[setting, system, metric]
            after = spread(row["f1"], row.get("f1_sd"))
            if not pd.isna(row.get("f1_low")):
                after += f" {bracket(row['f1_low'], row['f1_high'])}"
            cells += [spread(row[BEFORE], None), after, points(row["difference"])]
        rows.append(tuple(cells))
    legend = [_LEGEND, *metric_legend(metrics), *several_words(table)]
    grid = Grid("", tuple(columns), tuple(rows), 2, (*legend, *notes))
    narrow = []
    if "conll" in metrics:
        first = 2 + 3 * metrics.index("conll")
        narrow = [*range(first, first + 3)]
    return Page.of(replace(grid, narrow=narrow), table, about)

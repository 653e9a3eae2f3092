"""Results as pages: one row per setting and system, as in Table 3 of the paper."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from cdec.metrics import REGISTRY
from cdec.metrics.scores import IN_TABLES
from cdec.records import Fields
from cdec.render.charts import draw_chart, draw_points
from cdec.render.page import Page, bracket, percent, points, spread
from cdec.settings import label_of

# The averages of a breakdown, in the column ``unit``.
MACRO = "macro"
MICRO = "micro"
AVERAGES = (MACRO, MICRO)
CASE = ["setting", "system", "metric"]
HEADS = {"setting": "Setting", "system": "System"}
DIFFERENCE = "difference"  # of scores with two keys
RECOMMENDED = ("pure", "simple")  # settings, which are the first in a table
ALPHA = 0.05
"""The largest p (Holm) with which a system is called better."""
_BREAKDOWN = (
    "{0} rows: links inside the {0} only; macro: the mean of these; micro: the score of the "
    "setting, over all mentions; –: undefined (0/0), not in the mean"
)
_BY_CHAIN = (
    "key rows: what a chain of the key adds to recall, numerator by denominator; response rows: "
    "what a chain of the response adds to precision; micro: the score of the setting, over all "
    "mentions; –: a value of the other side, or undefined (0/0)"
)


def metric_legend(metrics: Iterable[str]) -> list[str]:
    """Return an explanation of each label that is not a standard name of a metric.

    >>> metric_legend(["muc", "blanc_coref"])
    ['BLANC PW: coreference links']
    """
    legends = [REGISTRY[metric].legend for metric in dict.fromkeys(metrics)]
    return [legend for legend in legends if legend]


def several_words(frame: pd.DataFrame) -> list[str]:
    """Return the explanation of ± if scores are means over runs."""
    if "runs" not in frame or frame["runs"].isna().all():
        return []
    systems = frame.dropna(subset="runs").drop_duplicates("system")
    names = [
        f"{row['system']} {int(row['runs'])}" for row in systems.to_dict("records")
    ]
    return [f"±: mean and standard deviation over runs ({', '.join(names)})"]


def wide(frame: pd.DataFrame, heads: Mapping[str, str]) -> pd.DataFrame:
    """Return a table of text with the columns ``heads`` (column → title) and those of metrics.

    ``frame`` is tidy: one row per combination of heads and metric. Only its metrics get columns, in
    the order of tables, others as they come; with intervals, only their F1.
    """
    metrics = [*frame["metric"].unique()]
    columns = []
    for metric in dict.fromkeys((*IN_TABLES, *metrics)):
        if metric in metrics:
            columns += [(metric, column) for column in REGISTRY[metric].columns]
    if "f1_low" in frame:
        columns = [pair for pair in columns if pair[1].field == "f1"]
    scores_by_head: dict[tuple[str, ...], dict[str, dict[Hashable, Any]]] = {}
    for record in frame.to_dict("records"):
        head = tuple(record[name] for name in heads)
        scores_by_head.setdefault(head, {})[record["metric"]] = record
    rows = []
    for head, scores in scores_by_head.items():
        row = []
        for level, name in zip(heads, head, strict=True):
            row.append(label_of(name) if level == "setting" else str(name))
        for metric, column in columns:
            field = column.field
            record = scores.get(metric, {})
            text = percent(record.get(field))
            if "runs" in record:
                text = spread(record.get(field), record.get(f"{field}_sd"))
            if record.get("key") == DIFFERENCE:
                text = points(record.get(field))
            elif not pd.isna(record.get("f1_low")):
                text += f" {bracket(record['f1_low'], record['f1_high'])}"
            row.append(text)
        rows.append(row)
    titles = [(title, "") for title in heads.values()]
    titles += [(column.group, column.name) for _, column in columns]
    return pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples(titles))


def beside(after: pd.DataFrame, before: pd.DataFrame) -> pd.DataFrame:
    """Return rows of scores with two keys and their differences, told apart by the column key."""
    old = before.set_index(CASE)
    new = after.set_index(CASE)
    values = ["precision", "recall", "f1"]
    parts = {"before": old, "after": new, DIFFERENCE: new[values] - old[values]}
    frame = pd.concat(parts, names=["key"]).reset_index()
    order = pd.factorize(pd.MultiIndex.from_frame(frame[CASE[:2]]))[0]
    return frame.iloc[np.argsort(order, kind="stable")]


def scores_page(
    frame: pd.DataFrame,
    heads: Mapping[str, str],
    data: pd.DataFrame,
    *,
    title: str = "",
    notes: Sequence[str],
    about: Fields,
) -> Page:
    """Return ``wide(frame, heads)`` as a page; a terminal narrower than it shows F only.

    ``data`` has its raw values; the others as in ``Page.from_table``.
    """
    view = wide(frame, heads)
    of_f1 = [
        position for position, column in enumerate(view.columns) if column[1] == "F"
    ]
    narrow = of_f1
    if "f1_low" in frame:  # intervals are wide
        conll = REGISTRY["conll"].label
        narrow = [
            position for position in of_f1 if view.columns[position][0] == conll
        ] or of_f1
    return Page.from_table(
        view,
        data,
        title=title,
        notes=notes,
        about=about,
        narrow=[*range(len(heads)), *narrow],
    )


def results_page(
    data: pd.DataFrame,
    by: str,
    intervals: str,
    about: Fields,
) -> Page:
    """Return results as a page, or a breakdown ``by`` a unit."""
    notes = []
    if intervals:
        notes.append(intervals)
    if "runs" in data:
        notes += several_words(data)
    notes.append(about["signature"])
    if by:
        explanation = _BY_CHAIN if by == "chain" else _BREAKDOWN.format(by)
        notes.insert(0, "; ".join([explanation, *metric_legend(data["metric"])]))
        heads = {"unit": by.capitalize(), **HEADS}
        return scores_page(data, heads, data, notes=notes, about=about)
    title = ""
    if len(data["system"].unique()) > 1:
        title = best_systems(data)
    return scores_page(data, HEADS, data, title=title, notes=notes, about=about)


def headline(frame: pd.DataFrame) -> tuple[str, str]:
    """Return the metric and the setting of a first sentence: CoNLL, and a recommended setting.

    If the frame lacks them, they are its first ones.
    """
    metrics = list(frame["metric"].unique())
    settings = list(frame["setting"].unique())
    metric = "conll" if "conll" in metrics else metrics[0]
    recommended = [name for name in RECOMMENDED if name in settings]
    return metric, [*recommended, *settings][0]


def best_systems(frame: pd.DataFrame) -> str:
    """Return which of several systems has the highest F1."""
    metric, setting = headline(frame)
    scores = frame[(frame["metric"] == metric) & (frame["setting"] == setting)]
    if len(scores) < 2 or scores["system"].duplicated().any():
        return ""
    best = scores["f1"].max()
    systems = " and ".join(scores.loc[scores["f1"] == best, "system"])
    label = f"{REGISTRY[metric].label} F1 under {label_of(setting)}"
    return f"{systems}: the highest {label}, {percent(best)}"


def draw_scores(frame: pd.DataFrame, **form: Any) -> Any:
    """Return the figure of results: F1 under each setting; under a single one, by each metric.

    ``form``: as in ``draw_chart``.
    """
    metric, setting = headline(frame)
    joined = len({*frame["setting"]}) > 1
    title = f"F1 under {label_of(setting)}"
    conditions = frame["metric"].map(lambda name: REGISTRY[name].label)
    if joined:
        frame = frame[frame["metric"] == metric]
        title = f"{REGISTRY[metric].label} F1"
        conditions = frame["setting"].map(label_of)
    rows = 100 * frame.reindex(columns=["f1", "f1_low", "f1_high"])
    rows = rows.set_axis(["value", "low", "high"], axis=1)
    rows = rows.assign(line=frame["system"], condition=conditions)
    draw = partial(draw_points, rows=rows, unit=f"{title} (%)", joined=joined)
    return draw_chart(draw, title, "the numbers are in the table", **form)

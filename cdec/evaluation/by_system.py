"""A row for each system, a column for each setting, one metric: the second table of a paper."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from cdec.errors import UnknownNameError, UsageError, counted, one_of, spelled
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.view import (
    ALPHA,
    RECOMMENDED,
    best_systems,
    headline,
    metric_legend,
    several_words,
)
from cdec.metrics import ALL, REGISTRY
from cdec.metrics.metric import Column
from cdec.records import Fields
from cdec.render.page import Grid, Page, bracket, percent, spread
from cdec.settings import label_of

LAYOUTS = ("systems", "metrics")
SYSTEMS = LAYOUTS[0]
_FEW = 2  # settings, of which P and R are shown as well


def layout_of(
    experiment: Experiment,
    layout: str | None,
    against: str | None,
    by: str | None,
    *,
    is_default: bool,
) -> str:
    """Return the layout of results as the call asks for it, else the one that fits them.

    ``is_default``: the call names no metric. Raises UsageError for a layout that cannot show what
    the call asks for, UnknownNameError for a layout or a reference that does not exist.
    """
    systems = [*experiment.systems]
    has_one_metric = is_default or len(experiment.call_metrics or ALL) == 1
    if layout is None:
        has_both = len(systems) > 1 and len(experiment.settings) > 1
        fits = has_both and has_one_metric and by is None
        layout = SYSTEMS if fits or against else LAYOUTS[1]
    one_of("layout", layout, LAYOUTS)
    if layout == SYSTEMS and by:
        _refuse("by", by)
    if layout == SYSTEMS and not has_one_metric:
        metrics = counted(len(experiment.call_metrics or ALL), "metric")
        raise UsageError(
            "option-conflict",
            f"a table with a row for each system has one metric, not {metrics}",
            hint=f"name one, or choose {spelled('layout', LAYOUTS[1])}",
        )
    if layout != SYSTEMS and against:
        _refuse("against", against)
    if against and against not in systems:
        raise UnknownNameError("system", against, systems)
    return layout


def _refuse(name: str, value: str) -> None:
    raise UsageError(
        "option-conflict",
        f"{spelled(name, value)} has no effect in this layout",
        hint=f"drop it, or choose another {spelled('layout', '…')}",
    )


def systems_page(
    data: pd.DataFrame,
    tests: Sequence[str],
    notes: Sequence[str],
    about: Fields,
) -> Page:
    """Return results as a page of one table; its data have all metrics.

    ``tests`` are the legend of bold and dagger, and how they were tested; none without a test.
    """
    metric, _ = headline(data)
    frame = data[data["metric"] == metric]
    settings = [name for name in RECOMMENDED if name in set(frame["setting"])]
    settings = list(dict.fromkeys([*settings, *frame["setting"]]))
    columns = list(REGISTRY[metric].columns)
    if len(settings) > _FEW or "f1_low" in frame:
        columns = [column for column in columns if column.field == "f1"]
    records = {}
    for row in frame.to_dict("records"):
        records[row["system"], row["setting"]] = row
    names = list(dict.fromkeys(frame["system"]))
    rows = []
    bold = set()
    for number, name in enumerate(names):
        cells = [name]
        for setting in settings:
            record = records[name, setting]
            for column in columns:
                cells.append(_cell(record, column))
                if column.field == "f1" and _reaches(record.get("p_others")):
                    bold.add((number, len(cells) - 1))
        rows.append(tuple(cells))
    titles = []
    for setting in settings:
        label = label_of(setting)
        if len(columns) == 1:
            titles.append(("", label))
        else:
            titles += [(label, column.name) for column in columns]
    head = frame.iloc[0]
    place = f"{head['corpus']} ({head['split']})" if head["split"] else head["corpus"]
    caption = f"{REGISTRY[metric].label} F1 in percent on {place}"
    answer = tests[0] if tests else best_systems(frame)
    legend = [
        *tests[1:],
        *metric_legend([metric]),
        *several_words(frame),
        *_more(data, tests),
    ]
    grid = Grid(
        f"{caption}. {answer}" if answer else caption,
        (("", "System"), *titles),
        tuple(rows),
        heads=1,
        below=(*legend, *notes),
        bold=bold,
        label=f"tab:{metric}",
    )
    return Page.of(grid, data, about)


def _reaches(p: float | None) -> bool:
    return p is not None and p <= ALPHA


def _cell(record: Mapping[Hashable, Any], column: Column) -> str:
    """Return a value in percent; F1 with the dagger of a difference, and its interval."""
    field = column.field
    text = percent(record[field])
    if "runs" in record:
        text = spread(record[field], record.get(f"{field}_sd"))
    if field != "f1":
        return text
    if _reaches(record.get("p_against")):
        text += "†"
    if not pd.isna(record.get("f1_low")):
        text += f" {bracket(record['f1_low'], record['f1_high'])}"
    return text


def _more(data: pd.DataFrame, tests: Sequence[str]) -> list[str]:
    """Return where to find what the table leaves out."""
    more = []
    if not tests:
        more.append(
            f"no difference is tested here: {spelled('ci')} or {spelled('against', 'NAME')} does"
        )
    if len(set(data["metric"])) > 1:
        more.append(f"the other metrics: {spelled('layout', LAYOUTS[1])}")
    return ["; ".join(more)] if more else []

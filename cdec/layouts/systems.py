"""A row for each system, a column for each setting, one metric: the second table of a paper."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from cdec.errors import UsageError, one_of, spelled
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.view import ALPHA, best_systems, headline, several_words
from cdec.metrics import REGISTRY
from cdec.records import Fields
from cdec.render.page import Grid, Page, bracket, spread
from cdec.settings import label_of

SYSTEMS = "systems"
METRICS = "metrics"
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
    systems = experiment.systems
    fits = by is None and (is_default or len(experiment.call_metrics or "all") == 1)
    if layout is None:
        has_both = len(systems) > 1 and len(experiment.settings) > 1
        layout = SYSTEMS if against or (fits and has_both) else METRICS
    is_table = one_of("layout", layout, (SYSTEMS, METRICS)) == SYSTEMS
    if (is_table and not fits) or (against and not is_table):
        raise UsageError(
            "option-conflict",
            f"{spelled('layout', layout)} cannot show what the call asks for",
            hint="systems shows one metric, and no units; only systems marks differences from a "
            "reference (against)",
        )
    if against:
        one_of("system", against, systems)
    return layout


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
    names = [*frame["system"].unique()]
    settings = [*frame["setting"].unique()]
    columns = REGISTRY[metric].columns
    if len(settings) > _FEW or "f1_low" in frame:
        columns = tuple(column for column in columns if column.field == "f1")
    cells: dict[tuple[str, str], list[str]] = {("", "System"): names}
    bold = set()
    for setting in settings:
        rows = frame[frame["setting"] == setting].to_dict("records")
        label = label_of(setting)
        for column in columns:
            title = (label, column.name) if len(columns) > 1 else ("", label)
            if column.field == "f1":
                place = len(cells)
                bold |= {
                    (line, place)
                    for line, row in enumerate(rows)
                    if _reaches(row, "p_others")
                }
            cells[title] = [_marked(row, column.field) for row in rows]
    corpus, split = frame[["corpus", "split"]].iloc[0]
    caption = f"{REGISTRY[metric].label} F1 in percent on {corpus} ({split})"
    answer = tests[0] if tests else best_systems(frame)
    legend = [*tests[1:], *several_words(frame)]
    if len(set(data["metric"])) > 1:
        legend.append(f"the other metrics: {spelled('layout', METRICS)}")
    grid = Grid(
        f"{caption}. {answer}",
        tuple(cells),
        tuple(zip(*cells.values(), strict=True)),
        heads=1,
        below=(*legend, *notes),
        bold=bold,
        label=f"tab:{metric}",
    )
    return Page.of(grid, data, about)


def _reaches(row: Mapping[Hashable, Any], name: str) -> bool:
    p = row.get(name)
    return p is not None and p <= ALPHA


def _marked(row: Mapping[Hashable, Any], field: str) -> str:
    """Return a value in percent; with deviation, dagger and interval."""
    text = spread(row[field], row.get(f"{field}_sd"))
    if field == "f1" and _reaches(row, "p_against"):
        text += "†"
    if "f1_low" in row:
        text += f" {bracket(row['f1_low'], row['f1_high'])}"
    return text

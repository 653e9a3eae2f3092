"""Scores as a table: one row per setting and system, the columns of Table 3 of the paper."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from cdec.metrics import ALL, REGISTRY
from cdec.render.best import with_best
from cdec.render.numbers import percent, spread
from cdec.render.page import Page
from cdec.settings import label_of

HEADS = {"setting": "Setting", "system": "System"}
Placed = tuple[str, str, str, str]  # group, column, metric, field
# Columns of Table 3 of Upadhyay et al. (2016), then later metrics; others follow as requested.
_FIRST = (
    *("muc", "b3", "ceafe", "blanc_coref", "blanc_noncoref", "blanc"),
    *("conll", "avg4", "lea", "ceafm"),
)
_LEGEND = {
    "blanc_coref": "BLANC PW: coreference links",
    "blanc_noncoref": "BLANC PWN: non-coreference links",
    "avg4": "Avg-4: mean F of MUC, B³, CEAF_e and BLANC",
}
_NARROWED = "F1 only: a wider terminal, a pipe or --format also shows precision and recall"


def layout(metrics: Iterable[str]) -> tuple[Placed, ...]:
    """Return the columns of these metrics, in table order."""
    shown = dict.fromkeys(metrics)
    names = [*(n for n in _FIRST if n in shown), *(n for n in shown if n not in _FIRST)]
    return tuple((c.group, c.name, n, c.field) for n in names for c in REGISTRY[n].columns)


LAYOUT = layout(ALL)


def metric_order(metrics: Iterable[str]) -> list[str]:
    """Return the distinct metrics in table order.

    >>> metric_order(["conll", "muc", "conll"])
    ['muc', 'conll']
    """
    return list(dict.fromkeys(column[2] for column in layout(metrics)))


def metric_legend(metrics: Iterable[str]) -> Iterator[str]:
    """Yield an explanation of each label that is not a standard name of a metric.

    >>> list(metric_legend(["muc", "blanc_coref"]))
    ['BLANC PW: coreference links']
    """
    yield from (_LEGEND[metric] for metric in dict.fromkeys(metrics) if metric in _LEGEND)


def several_words(frame: pd.DataFrame) -> Iterator[str]:
    """Yield the explanation of ± if scores are means over runs."""
    if "runs" in frame and frame["runs"].notna().any():
        runs = frame.dropna(subset="runs").drop_duplicates("system")
        names = (f"{row['system']} {int(row['runs'])}" for row in runs.to_dict("records"))
        yield f"±: mean and standard deviation over runs ({', '.join(names)})"


def with_labels(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the labels of settings instead of their ids."""
    return frame.assign(setting=[label_of(name) for name in frame["setting"]])


def scores_page(
    frame: pd.DataFrame,
    heads: Mapping[str, str],
    data: pd.DataFrame,
    *,
    title: str = "",
    notes: Sequence[str],
    about: Mapping[str, Any],
) -> Page:
    """Return ``wide(frame, heads)`` as a page; a terminal of 80 characters shows F only."""
    view = wide(frame, heads)
    names = view.columns.get_level_values(1)
    narrow = [number for number, name in enumerate(names) if name in ("", "F")]
    page = Page.from_table(
        view, data, title=title, notes=notes, about=about, narrow=narrow, narrowed=_NARROWED
    )
    within = [number for number, column in enumerate(heads) if column not in ("system", "declared")]
    return with_best(page, [n for n, name in enumerate(names) if name == "F"], within)


def _cell(values: pd.DataFrame, metric: str, field: str) -> str:
    """Return a value in percent, with its standard deviation if it is a mean over runs."""
    if metric not in values.index:
        return percent(None)
    row: dict[Hashable, Any] = values.loc[metric].to_dict()
    return spread(row.get(field), row.get(f"{field}_sd"))


def wide(frame: pd.DataFrame, heads: Mapping[str, str]) -> pd.DataFrame:
    """Return a table of text with the columns ``heads`` (column → title) and those of ``layout``.

    ``frame`` is tidy: one row per combination of heads and metric. Only its metrics get columns.
    """
    placed = layout(frame["metric"])
    groups = frame.groupby(list(heads), sort=False, dropna=False)
    rows = []
    for names, part in groups:
        values = part.set_index("metric")
        rows.append([*names, *(_cell(values, metric, field) for _, _, metric, field in placed)])
    titles = [(title, "") for title in heads.values()]
    columns = [*titles, *((group, name) for group, name, *_ in placed)]
    return pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples(columns))

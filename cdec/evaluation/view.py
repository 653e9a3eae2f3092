"""Results as pages: one row per setting and system, as in Table 3 of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from cdec.metrics import ALL, REGISTRY
from cdec.metrics.scores import IN_TABLES
from cdec.render.page import Page, bracket, percent, spread
from cdec.settings import label_of

MACRO, MICRO = AVERAGES = "macro", "micro"  # in the column unit
HEADS = {"setting": "Setting", "system": "System"}
RECOMMENDED = ("pure", "simple")  # settings, which are the first in a table
Placed = tuple[str, str, str, str]  # group, column, metric, field
_BREAKDOWN = (
    "{0} rows: links inside the {0} only; macro: the mean of these; micro: the score of the "
    "setting, over all mentions; –: undefined (0/0), not in the mean"
)
_BY_CHAIN = (
    "key rows: what a chain of the key adds to recall, numerator by denominator; response rows: "
    "what a chain of the response adds to precision; micro: the score of the setting, over all "
    "mentions; –: a value of the other side, or undefined (0/0)"
)


def layout(metrics: Iterable[str]) -> tuple[Placed, ...]:
    """Return the columns of these metrics, in table order; other metrics follow as requested."""
    shown = dict.fromkeys(metrics)
    names = [*(n for n in IN_TABLES if n in shown), *(n for n in shown if n not in IN_TABLES)]
    return tuple((c.group, c.name, n, c.field) for n in names for c in REGISTRY[n].columns)


LAYOUT = layout(ALL)


def metric_legend(metrics: Iterable[str]) -> Iterator[str]:
    """Yield an explanation of each label that is not a standard name of a metric.

    >>> list(metric_legend(["muc", "blanc_coref"]))
    ['BLANC PW: coreference links']
    """
    yield from filter(None, (REGISTRY[metric].legend for metric in dict.fromkeys(metrics)))


def several_words(frame: pd.DataFrame) -> Iterator[str]:
    """Yield the explanation of ± if scores are means over runs."""
    if "runs" in frame and frame["runs"].notna().any():
        runs = frame.dropna(subset="runs").drop_duplicates("system")
        names = (f"{row['system']} {int(row['runs'])}" for row in runs.to_dict("records"))
        yield f"±: mean and standard deviation over runs ({', '.join(names)})"


def wide(frame: pd.DataFrame, heads: Mapping[str, str]) -> pd.DataFrame:
    """Return a table of text with the columns ``heads`` (column → title) and those of ``layout``.

    ``frame`` is tidy: one row per combination of heads and metric. Only its metrics get columns;
    with intervals, only their F1.
    """
    cells = {(*(r[n] for n in heads), r["metric"]): r for r in frame.to_dict("records")}
    shown = [c for c in layout(frame["metric"]) if c[3] == "f1" or "f1_low" not in frame]
    rows = []
    for names in dict.fromkeys(key[:-1] for key in cells):
        row = [label_of(n) if h == "setting" else str(n) for h, n in zip(heads, names, strict=True)]
        for _, _, metric, field in shown:
            own = cells.get((*names, metric), {})
            value = own.get(field)
            deviation = own.get(f"{field}_sd")
            text = percent(value) if deviation is None else spread(value, deviation)
            ends = () if pd.isna(own.get("f1_low")) else (own["f1_low"], own["f1_high"])
            row.append(f"{text} {bracket(*ends)}" if ends else text)
        rows.append(row)
    titles = [*((title, "") for title in heads.values()), *(column[:2] for column in shown)]
    return pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples(titles))


def scores_page(
    frame: pd.DataFrame, heads: Mapping[str, str], data: pd.DataFrame, **shown: Any
) -> Page:
    """Return ``wide(frame, heads)`` as a page; a terminal narrower than it shows F only.

    ``data`` has its raw values; ``shown`` as in ``Page.from_table``.
    """
    view = wide(frame, heads)
    best = [at for at, column in enumerate(view.columns) if column[1] == "F"]
    fits = best
    if "f1_low" in frame:  # intervals are wide
        fits = [at for at in best if view.columns[at][0] == REGISTRY["conll"].label] or best
    shown["narrow"] = [*range(len(heads)), *fits]
    within = [at for at, column in enumerate(heads) if column != "system"]
    return Page.from_table(view, data, best=best, within=within, **shown)


def results_page(data: pd.DataFrame, by: str, intervals: str, about: Mapping[str, Any]) -> Page:
    """Return results as a page, or a breakdown ``by`` a unit, recommended settings first."""
    notes = [intervals] if intervals else []
    notes += several_words(data) if "runs" in data else []
    notes.append(about["signature"])
    if by:
        explained = _BY_CHAIN if by == "chain" else _BREAKDOWN.format(by)
        notes.insert(0, "; ".join([explained, *metric_legend(data["metric"])]))
        heads = {"unit": by.capitalize(), **HEADS}
        return scores_page(data, heads, data, notes=notes, about=about)
    order = dict.fromkeys((*RECOMMENDED, *data["setting"]))
    rank = data["setting"].map({name: number for number, name in enumerate(order)})
    frame = data.iloc[np.lexsort((rank, pd.factorize(data["corpus"])[0]))]
    title = _answer(frame) if len(frame["system"].unique()) > 1 else ""
    return scores_page(frame, HEADS, data, title=title, notes=notes, about=about)


def headline(frame: pd.DataFrame) -> tuple[str, str]:
    """Return the metric and the setting of a first sentence: CoNLL, and a recommended setting.

    If the frame lacks them, they are its first ones.
    """
    found = []
    for column, first in (("metric", ("conll",)), ("setting", RECOMMENDED)):
        known = [*dict.fromkeys(frame[column])]
        found.append(next((name for name in first if name in known), known[0]))
    return found[0], found[1]


def _answer(frame: pd.DataFrame) -> str:
    """Return which of several systems has the highest F1."""
    metric, setting = headline(frame)
    own = frame[(frame["metric"] == metric) & (frame["setting"] == setting)]
    if own["system"].nunique() < 2 or own["system"].duplicated().any():
        return ""
    names = " and ".join(own.loc[own["f1"] == own["f1"].max(), "system"])
    label = f"{REGISTRY[metric].label} F1 under {label_of(setting)}"
    return f"{names}: the highest {label}, {percent(own['f1'].max())}"

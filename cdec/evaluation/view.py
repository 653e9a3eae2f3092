"""Results as pages: one row per setting and system, as in Table 3 of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cdec.metrics import ALL, IN_TABLES, REGISTRY
from cdec.render.numbers import percent, spread
from cdec.render.page import Page
from cdec.settings import label_of

if TYPE_CHECKING:
    from cdec.evaluation.results import Results

STANDING = "standing"  # the column of the decision that a row is of, if it is of no system
MACRO, MICRO = AVERAGES = "macro", "micro"  # in the column unit
HEADS = {"setting": "Setting", "system": "System"}
RECOMMENDED = ("pure", "simple")  # settings, which are the first in a table
Placed = tuple[str, str, str, str]  # group, column, metric, field
_NARROWED = "F1 only: a wider terminal, a pipe or --format also shows precision and recall"


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


def with_labels(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the labels of settings instead of their ids."""
    return frame.assign(setting=[label_of(name) for name in frame["setting"]])


def wide(frame: pd.DataFrame, heads: Mapping[str, str]) -> pd.DataFrame:
    """Return a table of text with the columns ``heads`` (column → title) and those of ``layout``.

    ``frame`` is tidy: one row per combination of heads and metric. Only its metrics get columns.
    """
    placed = layout(frame["metric"])
    names = frame[list(heads)].drop_duplicates()
    row = frame.groupby(list(heads), sort=False, dropna=False).ngroup()
    titles = [(title, "") for title in heads.values()]
    columns = [names[name].tolist() for name in heads]
    for group, column, metric, field in placed:
        own = frame["metric"] == metric
        deviations = frame.get(f"{field}_sd", pd.Series(index=frame.index))[own]
        texts = map(spread, frame[field][own], deviations)
        known = dict(zip(row[own], texts, strict=True))
        titles.append((group, column))
        columns.append([known.get(number, percent(None)) for number in range(len(names))])
    return pd.DataFrame(zip(*columns, strict=True), columns=pd.MultiIndex.from_tuples(titles))


def scores_page(
    frame: pd.DataFrame,
    heads: Mapping[str, str],
    data: pd.DataFrame,
    *,
    title: str = "",
    notes: Sequence[str],
    about: Mapping[str, Any],
    unranked: Sequence[int] = (),
) -> Page:
    """Return ``wide(frame, heads)`` as a page; a terminal narrower than it shows F only."""
    view = wide(frame, heads)
    names = view.columns.get_level_values(1)
    narrow = [number for number, name in enumerate(names) if name in ("", "F")]
    within = [number for number, column in enumerate(heads) if column != "system"]
    best = [number for number, name in enumerate(names) if name == "F"]
    ranks: dict[str, Any] = {"best": best, "within": within, "unranked": unranked}
    fitted: dict[str, Any] = {"narrow": narrow, "narrowed": _NARROWED}
    return Page.from_table(view, data, title=title, notes=notes, about=about, **ranks, **fitted)


def results_page(results: Results, about: Mapping[str, Any]) -> Page:
    """Return results as a page: F1 with intervals, a breakdown, or the columns of ``layout``."""
    if results.by:
        return _breakdown_page(results, about)
    data = results.shown
    order = dict.fromkeys((*RECOMMENDED, *data["setting"]))
    rank = data["setting"].map({name: number for number, name in enumerate(order)})
    frame = data.iloc[np.lexsort((rank, pd.factorize(data["corpus"])[0]))]
    notes = [*several_words(frame), about["signature"]]
    unranked: list[int] = []
    if STANDING in frame:
        names = ", ".join(dict.fromkeys(frame[STANDING].dropna()))
        words = f"{names}: on the pairs of the system above; no systems, not ranked or tested"
        notes.insert(-1, words)
        rows = frame.drop_duplicates(["corpus", "setting", "system"]).reset_index(drop=True)
        unranked = rows.index[rows[STANDING].notna()].tolist()
    shown: dict[str, Any] = {"title": _answer(frame), "about": about, "unranked": unranked}
    if not results.intervals:
        return scores_page(with_labels(frame), HEADS, data, notes=notes, **shown)
    view = _interval_view(frame)
    fitted = (*HEADS.values(), "CoNLL") if "CoNLL" in view.columns else ()
    narrow = [number for number, name in enumerate(view.columns) if name in fitted]
    ranks: dict[str, Any] = {
        "best": range(len(HEADS), len(view.columns)),
        "within": [0],
        "narrow": narrow,
    }
    return Page.from_table(view, data, notes=[results.intervals, *notes], **shown, **ranks)


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
    rows = frame[frame[STANDING].isna()] if STANDING in frame else frame
    metric, setting = headline(rows)
    own = rows[(rows["metric"] == metric) & (rows["setting"] == setting)]
    if own["system"].nunique() < 2 or own["system"].duplicated().any():
        return ""
    names = " and ".join(own.loc[own["f1"] == own["f1"].max(), "system"])
    label = f"{REGISTRY[metric].label} F1 under {label_of(setting)}"
    return f"{names}: the highest {label}, {percent(own['f1'].max())}"


def _interval_view(frame: pd.DataFrame) -> pd.DataFrame:
    """Return F1 of each metric with its interval in percent: one row per setting and system."""
    metrics = list(dict.fromkeys(column[2] for column in layout(frame["metric"])))
    columns = ["f1", "f1_sd", "f1_low", "f1_high"]
    rows = []
    for (setting, system), part in frame.groupby(["setting", "system"], sort=False):
        values = part.set_index("metric").reindex(metrics, columns=columns)
        cells = [
            spread(f1, sd) + ("" if pd.isna(low) else f" [{percent(low)}, {percent(high)}]")
            for f1, sd, low, high in values.itertuples(index=False)
        ]
        rows.append([label_of(str(setting)), system, *cells])
    return pd.DataFrame(rows, columns=[*HEADS.values(), *(REGISTRY[m].label for m in metrics)])


def _breakdown_page(results: Results, about: Mapping[str, Any]) -> Page:
    """Return the scores of each unit, of their averages, and what the averages leave out."""
    frame, unit = results.units, results.by
    legend = (
        f"{unit} rows: links inside the {unit} only; macro: the mean of these; "
        "micro: the score of the setting, over all mentions; –: undefined (0/0), not in the mean"
    )
    legend = "; ".join([legend, *metric_legend(frame["metric"])])
    notes = (legend, *several_words(frame), about["signature"])
    heads = {"unit": unit.capitalize(), **HEADS}
    return scores_page(with_labels(frame), heads, frame, notes=notes, about=about)

"""Results as pages (one row per setting and system, as in Table 3 of the paper) and as charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cdec.errors import counted, one_of
from cdec.metrics import ALL, IN_TABLES, REGISTRY, DerivedMetric
from cdec.plugins import spelled
from cdec.render.numbers import percent, spread
from cdec.render.page import Page
from cdec.settings import label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdec.evaluation.results import Results

STANDING = "standing"  # the column of the decision that a row is of, if it is of no system
MACRO, MICRO = AVERAGES = "macro", "micro"  # in the column unit
HEADS = {"setting": "Setting", "system": "System"}
Placed = tuple[str, str, str, str]  # group, column, metric, field
_BARS = 0.8  # of the width of a group of bars
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
) -> Page:
    """Return ``wide(frame, heads)`` as a page; a terminal narrower than it shows F only."""
    view = wide(frame, heads)
    names = view.columns.get_level_values(1)
    narrow = [number for number, name in enumerate(names) if name in ("", "F")]
    within = [number for number, column in enumerate(heads) if column not in ("system", "declared")]
    best = [number for number, name in enumerate(names) if name == "F"]
    page = Page.from_table(view, data, title=title, notes=notes, about=about)
    return page.with_table(narrow=narrow, narrowed=_NARROWED, best=best, within=within)


def results_page(results: Results, about: Mapping[str, Any]) -> Page:
    """Return results as a page: F1 with intervals, a breakdown, or the columns of ``layout``."""
    if results.by:
        return _breakdown_page(results, about)
    frame = results.shown
    notes = [*several_words(frame), about["signature"]]
    unranked: list[int] = []
    if STANDING in frame:
        names = ", ".join(dict.fromkeys(frame[STANDING].dropna()))
        words = f"{names}: on the pairs of the system above; no systems, not ranked or tested"
        notes.insert(-1, words)
        rows = frame.drop_duplicates(["corpus", "setting", "system"]).reset_index(drop=True)
        unranked = rows.index[rows[STANDING].notna()].tolist()
    if results.intervals:
        view = _interval_view(frame)
        page = Page.from_table(view, frame, notes=(results.intervals, *notes), about=about)
        best = range(len(HEADS), len(view.columns))
        return page.with_table(best=best, within=[0], unranked=unranked)
    shown, heads = with_labels(frame), HEADS
    if declared := _declared(results):
        shown = shown.assign(declared=[declared.get(name, "") for name in shown["system"]])
        heads = {**HEADS, "declared": "Declared"}
    page = scores_page(shown, heads, frame, notes=notes, about=about)
    return page.with_table(unranked=unranked)


def _declared(results: Results) -> dict[str, str]:
    """Return what the response of each system declares, but for what the run took."""
    cases = zip(results.names, results.signatures, strict=True)
    given = {name: s.fields["declared"] for (_, name), s in cases if "declared" in s.fields}
    if not given:
        return {}
    # Imported here: the schemas of files take a tenth of a second.
    from cdec.formats.declaration import RunDeclaration  # noqa: PLC0415

    texts = {}
    for system, declared in given.items():
        several = declared if isinstance(declared, tuple) else (declared,)
        names = dict.fromkeys(name for each in several for name in each)
        values = {
            name: dict.fromkeys(str(each[name]) for each in several if name in each)
            for name in names
            if name not in RunDeclaration.model_fields
        }
        if values:
            texts[system] = ", ".join(f"{name}={'+'.join(own)}" for name, own in values.items())
    return texts


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
        "micro: the score of the setting, over all mentions; –: undefined (0/0)"
    )
    legend = "; ".join([legend, *metric_legend(frame["metric"])])
    notes = (legend, *several_words(frame), *_left_out_of_macro(frame, unit), about["signature"])
    heads = {"unit": unit.capitalize(), **HEADS}
    return scores_page(with_labels(frame), heads, frame, notes=notes, about=about)


def _left_out_of_macro(frame: pd.DataFrame, unit: str) -> Iterator[str]:
    """Yield, for a breakdown, how many units have an undefined value of each metric.

    Results with the same numbers share a line; the line names them if there are others.
    """
    units = frame[~frame["unit"].isin(AVERAGES)]
    names: dict[str, list[str]] = {}
    for (setting, system), part in units.groupby(["setting", "system"], sort=False):
        names.setdefault(_left_out(part, unit), []).append(f"{label_of(str(setting))}, {system}")
    for line, results in names.items():
        if line:
            yield line if len(names) == 1 else f"{line} ({'; '.join(results)})"


def _left_out(part: pd.DataFrame, unit: str) -> str:
    """Return the line of one result: metrics with the same numbers together, '' for none."""
    labels: dict[str, list[str]] = {}
    for metric, rows in part.groupby("metric", sort=False):
        entry = REGISTRY[str(metric)]
        undefined = {c.name: int(rows[c.field].isna().sum()) for c in entry.columns}
        if not any(undefined.values()):
            continue
        columns = ", ".join(f"{column} {number}" for column, number in undefined.items())
        numbers = {*undefined.values()}
        shown = columns if len(numbers) > 1 else numbers.pop()
        from_parts = isinstance(entry, DerivedMetric)
        how = "computed from the macro values of its parts" if from_parts else "left out"
        text = f"{shown} of {counted(len(rows), unit)} undefined, {how}"
        labels.setdefault(text, []).append(entry.label)
    return "; ".join(f"macro {', '.join(names)}: {text}" for text, names in labels.items())


def bars(frame: pd.DataFrame, metric: str, axes: Axes | None = None) -> Axes:
    """Draw F1 of ``metric`` in percent, a group of bars per setting; return the axes.

    ``frame`` is that of results, with or without intervals. Raises UnknownNameError for a metric
    that is not in it.
    """
    from matplotlib import pyplot as plt  # noqa: PLC0415  # slow to import

    known = list(dict.fromkeys(frame["metric"]))
    metric = one_of("metric", spelled(metric, known) or metric, known)
    rows = frame[frame["metric"] == metric]
    settings, systems = (list(dict.fromkeys(rows[name])) for name in ("setting", "system"))
    axes = plt.subplots()[1] if axes is None else axes
    width = _BARS / len(systems)
    for number, system in enumerate(systems):
        own = rows[rows["system"] == system].set_index("setting").reindex(settings)
        places = np.arange(len(settings)) + (number - (len(systems) - 1) / 2) * width
        errors = None
        if "f1_low" in own and own["f1_low"].notna().any():
            ends = [own["f1"] - own["f1_low"], own["f1_high"] - own["f1"]]
            errors = 100 * np.clip(np.stack(ends).astype(np.float64), 0, None)
        axes.bar(places, 100 * own["f1"], width, yerr=errors, label=system, capsize=2)
    axes.set_xticks(np.arange(len(settings)), [label_of(str(name)) for name in settings])
    axes.set_ylabel(f"{REGISTRY[metric].label} F1")
    axes.legend()
    return axes

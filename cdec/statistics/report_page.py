"""The page of `cdec report`: scores, topics, comparison, diagnosis and signatures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from cdec.evaluation.declared import cost_charts, declared_grid, declared_runs
from cdec.evaluation.results import STANDING, Results, frame_of
from cdec.evaluation.same_task import distinct
from cdec.evaluation.tables import (
    HEADS,
    interval_view,
    metric_order,
    standing_words,
    wide,
    with_labels,
)
from cdec.metrics import REGISTRY
from cdec.render.charts import Dot, DotRow, dot_chart
from cdec.render.numbers import percent
from cdec.render.page import Block, Chart, Grid, Listing, Page, Section, anchor
from cdec.render.table import grid_of_lines
from cdec.settings import SETTINGS, label_of
from cdec.signature import Signature, in_json, merged
from cdec.statistics.comparison import Comparison
from cdec.statistics.page import comparison_section

_FIRST_CHOICE = "conll"
_ORDER = list(SETTINGS)


def summary_page(
    saved: Iterable[Results],
    comparison: Comparison | None = None,
    further: Sequence[Section] = (),
    title: str | None = None,
) -> Page:
    """Return the page of the saved results, a comparison, if any, and further sections.

    Different results with the same system name get different names (see ``distinct``).
    """
    results = distinct(saved)
    frame = scores_frame(results)
    sections = [
        Section("scores", "Scores", tuple(_score_blocks(frame)), frame),
        *_declared(results, frame),
        *_topics(results),
        *([comparison_section(comparison)] if comparison else []),
        *further,
        _signatures(results, comparison),
    ]
    first = results[0].signature.fields
    intro = (
        f"{_task_of(first)}: F1 in percent. "
        "The signatures at the end identify how each number was computed.",
    )
    title = title or "Results"
    return Page(title, tuple(sections), intro, in_json(*(s for r in results for s in r.signatures)))


def scores_frame(results: Sequence[Results]) -> pd.DataFrame:
    """Return the scores of all results as a tidy table; of duplicates, the one with intervals."""
    frame = frame_of(row for result in results for row in result.shown.to_dict("records"))
    if "f1_low" in frame:
        frame = frame.iloc[frame["f1_low"].isna().argsort(kind="stable")]
    frame = frame.drop_duplicates(["setting", "system", "metric"])
    rank = {name: number for number, name in enumerate([*_ORDER, *frame["setting"]])}
    return frame.sort_values("setting", key=lambda s: s.map(rank), kind="stable").reset_index(
        drop=True
    )


def _score_blocks(frame: pd.DataFrame) -> Iterator[Block]:
    ranked = frame[frame[STANDING].isna()] if STANDING in frame else frame
    for metric, rows in _by_metric(ranked):
        yield score_chart(rows, metric)
    below = list(standing_words(frame))
    yield Grid.from_frame("Scores in percent", wide(with_labels(frame), HEADS), 2, below)
    if "f1_low" in frame and frame["f1_low"].notna().any():
        within = frame[frame["f1_low"].notna()]
        yield _interval_grid(within)


def _interval_grid(frame: pd.DataFrame) -> Grid:
    """Return F1 with its interval on a line below, so that the table fits a page."""
    view = interval_view(frame, metric_order(frame["metric"]))
    rows = (
        (row[:2], [("", cells) for cells in _two_lines(row[2:])])
        for row in view.astype(str).itertuples(index=False, name=None)
    )
    return grid_of_lines("F1 with confidence intervals", view.columns[:2], view.columns[2:], rows)


def _two_lines(cells: Sequence[str]) -> tuple[list[str], list[str]]:
    parts = [cell.partition(" [") for cell in cells]
    return [f1 for f1, _, _ in parts], [f"[{ends}" if ends else "" for _, _, ends in parts]


def score_chart(frame: pd.DataFrame, metric: str) -> Chart:
    """Return the chart of one score of each system, by setting, with its interval."""
    rows = with_labels(frame).to_dict("records")
    label = REGISTRY[metric].label
    lines = [DotRow(str(row["system"]), (_dot(row),), str(row["setting"])) for row in rows]
    description = "; ".join(f"{r['setting']}, {r['system']}: {_described(r)}" for r in rows)
    caption = f"{label} F of each system, setting by setting, in percent."
    if any(pd.notna(row.get("f1_low")) for row in rows):
        caption += " Lines are confidence intervals."
    return Chart(dot_chart(f"{label} F by setting", description, lines), caption)


def _by_metric(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each metric to draw with its rows: CoNLL, else the first, of those that have it.

    The systems without it follow with the first metric that they have.
    """
    while len(frame):
        names = [str(name) for name in frame["metric"]]
        metric = _FIRST_CHOICE if _FIRST_CHOICE in names else names[0]
        rows = frame[frame["metric"] == metric]
        yield metric, rows
        systems = [(row["setting"], row["system"]) for row in rows.to_dict("records")]
        frame = frame[~pd.MultiIndex.from_frame(frame[["setting", "system"]]).isin(systems)]


def _dot(row: dict[Any, Any]) -> Dot:
    ends = [row.get(f"f1_{end}") for end in ("low", "high")]
    low, high = (None if pd.isna(end) else float(end) for end in ends)
    return Dot(str(row["system"]), float(row["f1"]), low, high)


def _described(row: dict[Any, Any]) -> str:
    dot = _dot(row)
    between = f", {percent(dot.low)} to {percent(dot.high)}" if dot.low is not None else ""
    return f"{percent(dot.value)}{between}"


def _declared(results: Sequence[Results], frame: pd.DataFrame) -> Iterator[Section]:
    """Yield a section on what the runs took, if a response declares it."""
    if known := declared_runs(results):
        scores = ((REGISTRY[metric].label, rows) for metric, rows in _by_metric(frame))
        charts = [chart for label, rows in scores for chart in cost_charts(rows, known, label)]
        data = pd.DataFrame.from_dict(known, orient="index").rename_axis("system").reset_index()
        yield Section("declared", "What the runs took", (declared_grid(known), *charts), data)


def _topics(results: Sequence[Results]) -> Iterator[Section]:
    """Yield a section for each setting and unit with scores by topic or another unit."""
    by_unit = [result for result in results if len(result.parts)]
    for setting, by in dict.fromkeys((result.setting, result.by) for result in by_unit):
        parts = [r.parts for r in by_unit if (r.setting, r.by) == (setting, by)]
        frame = pd.concat(parts, ignore_index=True)
        frame = frame.drop_duplicates(["setting", "system", "metric", "unit"])
        blocks = [block for each in _by_metric(frame) for block in _topic_blocks(*each, by)]
        yield Section(anchor(by, setting), f"By {by} ({label_of(setting)})", tuple(blocks), frame)


def _topic_blocks(metric: str, rows: pd.DataFrame, by: str) -> tuple[Block, Block]:
    """Return chart and table of one metric, by unit."""
    table = rows.pivot(index="unit", columns="system", values="f1")
    table = table.loc[list(dict.fromkeys(rows["unit"])), list(dict.fromkeys(rows["system"]))]
    title = f"{REGISTRY[metric].label} F by {by} ({label_of(rows['setting'].iloc[0])})"
    return _topic_chart(table, title, by), _topic_grid(table, title, by)


def _topic_chart(table: pd.DataFrame, title: str, by: str) -> Chart:
    rows = [
        DotRow(f"{by} {unit}", tuple(Dot(str(s), float(f1)) for s, f1 in values.items()))
        for unit, values in ((unit, values.dropna()) for unit, values in table.iterrows())
        if len(values)
    ]
    description = "; ".join(
        f"{row.label}: " + ", ".join(f"{dot.series} {percent(dot.value)}" for dot in row.dots)
        for row in rows
    )
    return Chart(dot_chart(title, description, rows), f"{title}, only links within one {by}.")


def _topic_grid(table: pd.DataFrame, title: str, by: str) -> Grid:
    text = table.map(percent).rename_axis(columns=None).reset_index()
    below = ["–: undefined (0/0)"] if table.isna().any(axis=None) else []
    return Grid.from_frame(title, text.rename(columns={"unit": by.capitalize()}), below=below)


def _signatures(results: Sequence[Results], comparison: Comparison | None) -> Section:
    by_system: dict[str, list[Signature]] = {}
    for result in results:
        by_system.setdefault(result.system, []).extend(result.signatures)
    lines = [str(merged(signatures)) for signatures in by_system.values()]
    if comparison:
        lines.append(str(merged(comparison.signatures)))
    return Section(
        "signatures",
        "Signatures",
        (Listing("Signatures of the scores", tuple(dict.fromkeys(lines))),),
    )


def _task_of(signature: Mapping[str, object]) -> str:
    """Return corpus and split, or the key file of results that were made without a corpus."""
    if "corpus" not in signature:
        return f"Key {signature.get('key', '–')}"
    return f"Corpus {signature['corpus']}, split {signature.get('split', '–')}"

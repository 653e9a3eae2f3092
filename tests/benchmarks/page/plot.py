"""The plot of the page: processor time and peak memory over the number of mentions."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.figure import Figure

from cdec.render.charts.canvas import COLOURS, INK, RULE, default_style
from tests.benchmarks.page.rows import Row

STYLE: Any = {"svg.hashsalt": "cdec", "svg.fonttype": "none", "font.family": "sans-serif",
              "font.sans-serif": ["DejaVu Sans"], "font.size": 10}  # fmt: skip
MARKERS = ("s", "^", "D", "v", "P", "X", "o")
LABELS = {"cpu": "processor time (s)", "peak": "peak memory (MiB)"}


def draw(rows: list[Row]) -> bytes:
    """Return the SVG, the same for the same rows."""
    series: dict[str, list[Row]] = {}
    for row in _points(rows):
        series.setdefault(row.tool, []).append(row)
    buffer = io.BytesIO()
    with default_style(STYLE):
        figure = _figure(series)
        metadata = {"Date": None, "Creator": None, "Description": described(rows)}
        figure.savefig(buffer, format="svg", metadata=metadata)
    return buffer.getvalue()


def described(rows: list[Row]) -> str:
    """The points of the plot in words, which are in the metadata of the SVG."""
    points = _points(rows)
    return "\n".join(f"{r.tool}: {r.mentions} mentions, {r.cpu} s, {r.peak} MiB" for r in points)


def _points(rows: list[Row]) -> list[Row]:
    """The made-up files: the peers, and cdec on CoNLL files."""
    made = [r for r in rows if r.table == "files" and r.case.startswith("made up") and r.values]
    return [r for r in made if not r.tool.startswith("cdec") or r.tool == "cdec, conll"]


def _figure(series: dict[str, list[Row]]) -> Figure:
    figure = Figure(figsize=(8.4, 4.0), layout="constrained", facecolor="white")
    panels = figure.subplots(1, 2)
    for axes, (quantity, label) in zip(panels, LABELS.items(), strict=True):
        for number, (tool, rows) in enumerate(series.items()):
            axes.plot(
                [int(row.mentions) for row in rows],
                [float(getattr(row, quantity)) for row in rows],
                label=tool, marker=MARKERS[number % len(MARKERS)], markersize=6,
                color=INK if tool.startswith("cdec") else COLOURS[number % len(COLOURS)],
                linewidth=2.6 if tool.startswith("cdec") else 1.5,
            )  # fmt: skip
        axes.set(xscale="log", yscale="log", xlabel="mentions", ylabel=label)
        axes.grid(color=RULE, linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
    return figure

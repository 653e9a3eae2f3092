"""Chart: CoNLL F of each system by setting, from strict to lenient."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from cdec.evaluation.results import Results
from cdec.io.output import save_bytes
from cdec.render.charts.canvas import COLOURS, default_style
from cdec.reproduction.material import conll_by_setting
from cdec.reproduction.page.cells import LABELS
from cdec.settings import SETTINGS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Lines differ in marker and dashes too, not only in colour.
_COLOURS = (*COLOURS[:6], "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)))
_STYLE: Any = {
    "svg.hashsalt": "cdec",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
}
FORMATS = ("svg", "png")


def draw(table: pd.DataFrame, format: str = "svg") -> bytes:
    """Return the chart of ``conll_by_setting`` as the bytes of a file, the same on every run.

    ``format`` is one of FORMATS. The description in the file's metadata is the table.
    """
    # By default SVG files have a date and PNG files the version of the library.
    removed = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}[format]
    metadata = {**removed, "Description": table.to_csv(lineterminator="\n")}
    buffer = io.BytesIO()
    with default_style(_STYLE):
        _figure(table).savefig(buffer, format=format, dpi=200, metadata=metadata)
    return buffer.getvalue()


def save_chart(results: Results, path: Path) -> None:
    """Write the chart to its file, whose ending is one of FORMATS: completely or not at all."""
    save_bytes(draw(conll_by_setting(results), path.suffix.removeprefix(".")), path)


def _figure(table: pd.DataFrame) -> Figure:
    """Return the figure; pyplot is not used because it needs a display and keeps state."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(7.2, 4.4), layout="constrained")
    axes = figure.add_subplot()
    places = range(table.shape[1])
    for number, (system, values) in enumerate(table.iterrows()):
        axes.plot(
            places,
            100 * values.to_numpy(),
            color=_COLOURS[number % len(_COLOURS)],
            marker=_MARKERS[number % len(_MARKERS)],
            linestyle=_DASHES[number % len(_DASHES)],
            linewidth=1.8,
            markersize=7,
            label=LABELS.get(str(system), str(system)),
        )
    axes.set_xticks(places, [SETTINGS[str(name)].label for name in table.columns])
    axes.set_ylim(0, 10 * math.ceil(10 * table.to_numpy().max()))
    axes.set_ylabel("CoNLL F (%)")
    axes.set_xlabel("strict  →  lenient")
    axes.grid(axis="y", color="#d0d7de", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=4, frameon=False, handlelength=4
    )
    return figure

"""Values of systems under several conditions, as lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cdec.render.charts.canvas import COLOURS, INK, MARKERS, RULE, axes_svg, shortened

_LETTERS = 27
_STYLES = ("-", "--", ":", "-.")
_HEIGHT = 4.8  # inches
_LABEL = 0.035  # of the height: the least distance of two labels


@dataclass(frozen=True)
class Slope:
    """The values of a system, one per condition; ``shown``: with a label."""

    label: str
    values: tuple[float, ...]
    shown: bool = False


def slope_chart(title: str, description: str, heads: Sequence[str], slopes: Sequence[Slope]) -> str:
    """Return the chart as SVG: a column per condition, from the lowest to the highest value.

    Systems without a label are thin grey lines. The others differ in colour, dash and marker.
    """
    shown = sorted((slope for slope in slopes if slope.shown), key=lambda one: one.values[-1])
    every = [value for slope in slopes for value in slope.values]
    step = _LABEL * ((max(every) - min(every)) or 1)
    heights: list[float] = []
    for slope in shown:  # labels do not overlap
        least = heights[-1] + step if heights else slope.values[-1]
        heights.append(max(slope.values[-1], least))
    over = max(0.0, heights[-1] - max(every)) if heights else 0.0
    for n in range(len(heights) - 1, -1, -1):
        limit = heights[n + 1] - step if n + 1 < len(heights) else heights[n] - over
        heights[n] = min(heights[n], limit)

    def draw(axes: Any) -> None:
        last = len(heads) - 1
        for slope in slopes:
            if not slope.shown:
                axes.plot(slope.values, color="#b8c0c8", linewidth=0.7)
        for number, (slope, height) in enumerate(zip(shown, heights, strict=True)):
            style = MARKERS[number % 6] + _STYLES[number % 4]
            axes.plot(slope.values, style, color=COLOURS[number % 36], markeredgecolor="white")
            axes.plot([last + 0.08, last + 0.25], [slope.values[-1], height], color=INK, lw=0.6)
            axes.text(last + 0.3, height, shortened(slope.label, _LETTERS), va="center", fontsize=8)
        axes.set_xticks(range(len(heads)), heads, fontsize="small")
        axes.set_xlim(-0.2, last + 0.2)
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        axes.grid(color=RULE)
        axes.spines[:].set_visible(False)

    return axes_svg(draw, height=_HEIGHT, about=(title, description))

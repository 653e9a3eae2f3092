"""Ranks of systems under several conditions, as lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cdec.render.charts.canvas import (
    COLOURS,
    DASHES,
    INK,
    LINE,
    RULE,
    SOFT,
    WIDTH,
    Canvas,
    marker,
    shortened,
)

LEFT, RIGHT = 34.0, WIDTH - 168.0
_LETTERS = 27
_STEP = 6.5


@dataclass(frozen=True)
class Slope:
    """The ranks of a system, from 1, one per condition; ``shown``: with a label."""

    label: str
    ranks: tuple[float, ...]
    shown: bool = False


def slope_chart(title: str, description: str, heads: Sequence[str], slopes: Sequence[Slope]) -> str:
    """Return the chart as SVG: a column per condition, the best rank at the top.

    Systems without a label are thin grey lines. The others differ in colour, dash and marker.
    """
    canvas = Canvas(title, description)
    places = [LEFT + (RIGHT - LEFT) * n / (len(heads) - 1) for n in range(len(heads))]
    for number, (x, head) in enumerate(zip(places, heads, strict=True)):
        canvas.y = LINE * (number % 2)  # on two lines: neighbours would overlap
        canvas.text(x, head, text_anchor="middle", font_size=10, fill=SOFT)
    top = 2 * LINE + 6.0
    most = max(rank for slope in slopes for rank in slope.ranks)
    bottom = top + _STEP * (most - 1)
    for x in places:
        canvas.add("line", x1=x, x2=x, y1=top, y2=bottom, stroke=RULE)
    for rank in (1.0, most):
        y = top + _STEP * (rank - 1) + 4
        canvas.add("text", f"{rank:g}", x=2, y=y, fill=SOFT, font_size=10)
    for slope in sorted(slopes, key=lambda slope: slope.shown):
        if not slope.shown:
            _line(canvas, places, top, slope, {"stroke": "#b8c0c8", "stroke_width": 0.7})
    ends = _labels([slope for slope in slopes if slope.shown], top, bottom)
    for number, (slope, y) in enumerate(ends):
        colour = COLOURS[number % len(COLOURS)]
        dash = DASHES[number % len(DASHES)]
        style = {"stroke": colour, "stroke_width": 2, "stroke_dasharray": dash}
        _line(canvas, places, top, slope, style)
        for x, rank in zip(places, slope.ranks, strict=True):
            marker(canvas, x, top + _STEP * (rank - 1), number)
        last = top + _STEP * (slope.ranks[-1] - 1)
        canvas.add("line", x1=RIGHT + 5, x2=RIGHT + 14, y1=last, y2=y, stroke=INK, stroke_width=0.6)
        label = shortened(slope.label, _LETTERS)
        canvas.add("text", label, x=RIGHT + 17, y=y + 3.5, font_size=10)
    canvas.y = max([bottom, *(y for _, y in ends)]) + 8
    return canvas.svg()


def _line(
    canvas: Canvas, places: Sequence[float], top: float, slope: Slope, style: dict[str, object]
) -> None:
    at = zip(places, slope.ranks, strict=True)
    points = " ".join(f"{x:.1f},{top + _STEP * (rank - 1):.1f}" for x, rank in at)
    canvas.add("polyline", points=points, fill="none", **style)


def _labels(slopes: Sequence[Slope], top: float, bottom: float) -> list[tuple[Slope, float]]:
    """Return the labelled lines by last rank, with the heights of labels that do not overlap."""
    ordered = sorted(slopes, key=lambda slope: (slope.ranks[-1], slope.label))
    heights: list[float] = []
    for slope in ordered:
        wanted = top + _STEP * (slope.ranks[-1] - 1)
        heights.append(max(wanted, heights[-1] + 13 if heights else wanted))
    over = max(0.0, heights[-1] - bottom - 8) if heights else 0.0
    room = [height - over for height in heights]
    for n in range(1, len(room)):
        room[n] = max(room[n], room[n - 1] + 13)
    return list(zip(ordered, room, strict=True))

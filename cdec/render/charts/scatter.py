"""Points with intervals in two directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cdec.render.charts.canvas import (
    COLOURS,
    LINE,
    RULE,
    SOFT,
    WIDTH,
    Canvas,
    legend,
    marker,
)

LEFT, RIGHT, _SIZE = 40.0, WIDTH - 12.0, 380.0
_LETTERS = 30


@dataclass(frozen=True)
class Point:
    """A point of a series in [0, 1]²; ``across`` and ``up`` are its intervals, if known."""

    series: str
    x: float
    y: float
    across: tuple[float, float] | None = None
    up: tuple[float, float] | None = None


def scatter_chart(
    title: str, description: str, axes: tuple[str, str], points: Sequence[Point]
) -> str:
    """Return the chart as SVG, in percent, with the diagonal; both axes have the same scale."""
    series = list(dict.fromkeys(point.series for point in points))
    canvas = Canvas(title, description)
    legend(canvas, series, _LETTERS)
    top, scale = canvas.y + 6, _scale(points)
    _axes(canvas, axes, top, scale)
    for point in points:
        _intervals(canvas, point, series.index(point.series), top, scale)
    for point in points:
        at = _place(point.x, point.y, top, scale)
        marker(canvas, *at, series.index(point.series), 4.0)
    canvas.y = top + _SIZE + 2 * LINE
    return canvas.svg()


def _scale(points: Sequence[Point]) -> tuple[float, float]:
    """Return the ends of the scale: multiples of 0.1 around all values."""
    ends = [end for p in points for end in (p.x, p.y, *(p.across or ()), *(p.up or ()))]
    low, high = int(min(ends) * 10) / 10, min(1.0, (int(max(ends) * 10) + 1) / 10)
    return low, high


def _place(x: float, y: float, top: float, scale: tuple[float, float]) -> tuple[float, float]:
    low, high = scale
    width = RIGHT - LEFT
    return (
        LEFT + width * (x - low) / (high - low),
        top + _SIZE - _SIZE * (y - low) / (high - low),
    )


def _axes(canvas: Canvas, axes: tuple[str, str], top: float, scale: tuple[float, float]) -> None:
    low, high = scale
    for tenth in range(round(low * 10), round(high * 10) + 1):
        x, _ = _place(tenth / 10, low, top, scale)
        _, y = _place(low, tenth / 10, top, scale)
        grid = {"stroke": RULE, "stroke_dasharray": "2 3"}
        canvas.add("line", x1=x, x2=x, y1=top, y2=top + _SIZE, **grid)
        canvas.add("line", x1=LEFT, x2=RIGHT, y1=y, y2=y, **grid)
        label = {"fill": SOFT, "font_size": 10}
        canvas.add("text", str(tenth * 10), x=x, y=top + _SIZE + 13, text_anchor="middle", **label)
        canvas.add("text", str(tenth * 10), x=LEFT - 4, y=y + 4, text_anchor="end", **label)
    (x1, y1), (x2, y2) = (_place(end, end, top, scale) for end in scale)
    canvas.add("line", x1=x1, x2=x2, y1=y1, y2=y2, stroke=SOFT, stroke_width=0.7)
    middle = (LEFT + RIGHT) / 2
    canvas.add("text", axes[0], x=middle, y=top + _SIZE + 29, text_anchor="middle")
    turned = {"text_anchor": "middle", "transform": f"rotate(-90 9 {top + _SIZE / 2:.1f})"}
    canvas.add("text", axes[1], x=9, y=top + _SIZE / 2, **turned)


def _intervals(
    canvas: Canvas, point: Point, number: int, top: float, scale: tuple[float, float]
) -> None:
    style = {"stroke": COLOURS[number % len(COLOURS)], "stroke_width": 0.8, "stroke_opacity": 0.35}
    for ends in (
        [(x, point.y) for x in point.across or ()],
        [(point.x, y) for y in point.up or ()],
    ):
        if ends:
            (x1, y1), (x2, y2) = (_place(*end, top, scale) for end in ends)
            canvas.add("line", x1=x1, x2=x2, y1=y1, y2=y2, **style)

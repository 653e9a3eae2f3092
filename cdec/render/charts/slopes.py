"""Values of systems under several conditions, as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor

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
_HEIGHT = 300.0


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
    canvas = Canvas(title, description)
    places = [LEFT + (RIGHT - LEFT) * n / (len(heads) - 1) for n in range(len(heads))]
    for number, (x, head) in enumerate(zip(places, heads, strict=True)):
        canvas.y = LINE * (number % 2)  # on two lines: neighbours would overlap
        canvas.text(x, head, text_anchor="middle", font_size=10, fill=SOFT)
    top = 2 * LINE + 6.0
    bottom = top + _HEIGHT
    all_values = [value for slope in slopes for value in slope.values]
    least, most = floor(min(all_values)), ceil(max(all_values))
    scale = _HEIGHT / max(most - least, 1)

    def heights(slope: Slope) -> list[float]:
        return [top + scale * (most - value) for value in slope.values]

    step = max(1, *(n for n in (1, 2, 5, 10, 20) if (most - least) / n > 3))
    for value in range(-(-least // step) * step, most + 1, step):
        y = top + scale * (most - value)
        canvas.add("line", x1=LEFT - 8, x2=RIGHT, y1=y, y2=y, stroke=RULE, stroke_width=0.5)
        canvas.add("text", str(value), x=2, y=y + 4, fill=SOFT, font_size=10)
    for x in places:
        canvas.add("line", x1=x, x2=x, y1=top, y2=bottom, stroke=RULE)
    for slope in sorted(slopes, key=lambda slope: slope.shown):
        if not slope.shown:
            _line(canvas, places, heights(slope), {"stroke": "#b8c0c8", "stroke_width": 0.7})
    ends = _labels({s.label: (s, heights(s)) for s in slopes if s.shown}, bottom)
    for number, (slope, at, y) in enumerate(ends):
        colour = COLOURS[number % len(COLOURS)]
        dash = DASHES[number % len(DASHES)]
        style = {"stroke": colour, "stroke_width": 2, "stroke_dasharray": dash}
        _line(canvas, places, at, style)
        for x, height in zip(places, at, strict=True):
            marker(canvas, x, height, number)
        line = {"x1": RIGHT + 5, "x2": RIGHT + 14, "y1": at[-1], "y2": y}
        canvas.add("line", **line, stroke=INK, stroke_width=0.6)
        label = shortened(slope.label, _LETTERS)
        canvas.add("text", label, x=RIGHT + 17, y=y + 3.5, font_size=10)
    canvas.y = max([bottom, *(y for *_, y in ends)]) + 8
    return canvas.svg()


def _line(
    canvas: Canvas, places: Sequence[float], at: Sequence[float], style: dict[str, object]
) -> None:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(places, at, strict=True))
    canvas.add("polyline", points=points, fill="none", **style)


def _labels(
    slopes: Mapping[str, tuple[Slope, list[float]]], bottom: float
) -> list[tuple[Slope, list[float], float]]:
    """Return the labelled lines from the top, with the heights of labels that do not overlap."""
    ordered = sorted(slopes.values(), key=lambda one: (one[1][-1], one[0].label))
    room: list[float] = []
    for _, at in ordered:
        room.append(max(at[-1], room[-1] + 13 if room else at[-1]))
    over = max(0.0, room[-1] - bottom - 8) if room else 0.0
    room = [height - over for height in room]
    for n in range(1, len(room)):
        room[n] = max(room[n], room[n - 1] + 13)
    return [(slope, at, y) for (slope, at), y in zip(ordered, room, strict=True)]

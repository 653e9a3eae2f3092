"""Dots with intervals on a scale of percent."""

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
    shortened,
)

LEFT, RIGHT = 110.0, WIDTH - 42.0
_LETTERS = 17
_STEP = 9.0


@dataclass(frozen=True)
class Dot:
    """A value in [0, 1] of a series, with its interval if it has one."""

    series: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class DotRow:
    """A row of the chart; ``group`` is the heading of its rows."""

    label: str
    dots: tuple[Dot, ...]
    group: str = ""


def dot_chart(title: str, description: str, rows: Sequence[DotRow]) -> str:
    """Return the chart as SVG; a row with one dot also shows its value as text."""
    series = list(dict.fromkeys(dot.series for row in rows for dot in row.dots))
    canvas = Canvas(title, description)
    if any(len(row.dots) > 1 for row in rows):
        legend(canvas, series, _LETTERS)
        canvas.y += 4
    groups = len({row.group for row in rows} - {""})
    _scale(canvas, LINE * groups + sum(map(_height, rows)))
    group = ""
    for row in rows:
        if row.group != group:
            group = row.group
            canvas.text(0, group, font_weight="600")
            canvas.y += LINE
        _row(canvas, row, series)
    canvas.y += LINE
    return canvas.svg()


def _height(row: DotRow) -> float:
    """Return the height of a row: its dots are placed below each other, to avoid overlap."""
    return LINE + _STEP * (len(row.dots) - 1)


def _row(canvas: Canvas, row: DotRow, series: Sequence[str]) -> None:
    top, height = canvas.y + LINE / 2, _height(row)
    rule = top if len(row.dots) == 1 else canvas.y
    canvas.add("line", x1=LEFT, x2=RIGHT, y1=rule, y2=rule, stroke=RULE)
    canvas.text(0, shortened(row.label, _LETTERS), fill=SOFT)
    for place, dot in enumerate(row.dots):
        number, middle = series.index(dot.series), top + _STEP * place
        if dot.low is not None and dot.high is not None:
            canvas.add(
                "line",
                x1=_place(dot.low),
                x2=_place(dot.high),
                y1=middle,
                y2=middle,
                stroke=COLOURS[number % len(COLOURS)],
                stroke_width=2.5,
            )
        marker(canvas, _place(dot.value), middle, number)
    if len(row.dots) == 1:
        end = f"{100 * row.dots[0].value:.1f}"
        canvas.text(WIDTH, end, text_anchor="end")
    canvas.y += height


def _scale(canvas: Canvas, height: float) -> None:
    """Draw the scale behind rows of this height, which are drawn later; labels are below."""
    bottom = canvas.y + height
    for percent in range(0, 101, 20):
        x = _place(percent / 100)
        ends = {"x1": x, "x2": x, "y1": canvas.y, "y2": bottom}
        canvas.add("line", **ends, stroke=RULE, stroke_dasharray="2 3")
        figure = {"x": x, "y": bottom + 13, "text_anchor": "middle"}
        canvas.add("text", str(percent), **figure, fill=SOFT)


def _place(value: float) -> float:
    return LEFT + (RIGHT - LEFT) * min(max(value, 0.0), 1.0)

"""Bars of two parts, right and not right, that add up to the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cdec.render.charts.canvas import COLOURS, INK, LINE, RULE, SOFT, WIDTH, Canvas, shortened

LEFT, RIGHT = 104.0, WIDTH - 146.0
_HEIGHT = 12
_LETTERS = 16


@dataclass(frozen=True)
class Bar:
    """The share of ``right`` in right + ``other``; ``group`` is the heading of its bars."""

    label: str
    right: int
    other: int
    other_name: str
    group: str = ""


def bar_chart(title: str, description: str, bars: Sequence[Bar]) -> str:
    """Return the chart as SVG: shares as lengths, followed by the counts."""
    canvas = Canvas(title, description)
    hatch = f"{canvas.prefix}-h"
    _hatching(canvas, hatch)
    group = ""
    for bar in bars:
        if bar.group != group:
            group = bar.group
            canvas.text(0, group, font_weight="600")
            canvas.y += LINE
        _bar(canvas, bar, hatch)
    return canvas.svg()


def _hatching(canvas: Canvas, name: str) -> None:
    """Define the pattern of the other part, which is distinct without colour."""
    pattern = {"id": name, "width": 6, "height": 6, "patternUnits": "userSpaceOnUse"}
    element = canvas.add("pattern", **pattern, patternTransform="rotate(45)")
    for attributes in (
        {"width": "6", "height": "6", "fill": "#fff"},
        {"width": "2.5", "height": "6", "fill": COLOURS[1]},
    ):
        element.append(element.makeelement("rect", attributes))


def _bar(canvas: Canvas, bar: Bar, hatch: str) -> None:
    whole = bar.right + bar.other
    canvas.text(0, shortened(bar.label, _LETTERS), fill=SOFT)
    top = canvas.y + (LINE - _HEIGHT) / 2
    if whole:
        width = (RIGHT - LEFT) * bar.right / whole
        canvas.add("rect", x=LEFT, y=top, width=width, height=_HEIGHT, fill=COLOURS[0])
        rest = {"x": LEFT + width, "width": RIGHT - LEFT - width}
        canvas.add("rect", **rest, y=top, height=_HEIGHT, fill=f"url(#{hatch})")
    frame = {"x": LEFT, "y": top, "width": RIGHT - LEFT, "height": _HEIGHT}
    canvas.add("rect", **frame, fill="none", stroke=INK if whole else RULE, stroke_width=0.7)
    counts = f"{bar.right:,} right, {bar.other:,} {bar.other_name}" if whole else "no links"
    canvas.text(RIGHT + 6, counts, font_size=10)
    canvas.y += LINE

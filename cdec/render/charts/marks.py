"""Markers and dashes that tell series apart without colour."""

from __future__ import annotations

from itertools import chain

from cdec.render.charts.canvas import COLOURS, Canvas

DASHES = ("none", "6 3", "2 2", "8 2 2 2")
MARKERS = ("circle", "square", "triangle", "diamond", "slash", "post")
_CORNERS: dict[str, list[tuple[float, float]]] = {
    "square": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    "triangle": [(0, -1.2), (1.1, 0.9), (-1.1, 0.9)],
    "diamond": [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)],
    "slash": [(-1.2, -0.6), (-0.6, -1.2), (1.2, 0.6), (0.6, 1.2)],
    "post": [(-0.4, -1.2), (0.4, -1.2), (0.4, 1.2), (-0.4, 1.2)],
}


def marker(canvas: Canvas, x: float, y: float, number: int, size: float = 4.5) -> None:
    """Draw the marker of a series."""
    shape, fill = MARKERS[number % len(MARKERS)], COLOURS[number % len(COLOURS)]
    outline: dict[str, object] = {"fill": fill, "stroke": "#fff", "stroke_width": 1}
    if shape == "circle":
        canvas.add("circle", cx=x, cy=y, r=size, **outline)
        return
    points = chain.from_iterable((x + size * dx, y + size * dy) for dx, dy in _CORNERS[shape])
    canvas.add("polygon", points=" ".join(f"{p:.1f}" for p in points), **outline)

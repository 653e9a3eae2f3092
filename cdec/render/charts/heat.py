"""A square table of shares, shaded, with the numbers in the cells."""

from __future__ import annotations

from collections.abc import Sequence

from cdec.render.charts.canvas import INK, LINE, RULE, SOFT, WIDTH, Canvas

LEFT = 104.0
_HEIGHT = 30


def heat_map(
    title: str, description: str, names: Sequence[str], shares: Sequence[Sequence[float]]
) -> str:
    """Return the chart as SVG: row × column, in percent; the number says what the shade shows."""
    canvas = Canvas(title, description)
    width = (WIDTH - LEFT) / len(names)
    highest = max(max(row) for row in shares) or 1.0
    for number, name in enumerate(names):
        x = LEFT + width * (number + 0.5)
        canvas.text(x, name, text_anchor="middle", font_size=9.5, fill=SOFT)
    canvas.y += LINE
    for row, (name, values) in enumerate(zip(names, shares, strict=True)):
        canvas.add("text", name, x=0, y=canvas.y + 20, fill=SOFT)
        for column, share in enumerate(values):
            _cell(canvas, LEFT + width * column, width, None if row == column else share, highest)
        canvas.y += _HEIGHT
    return canvas.svg()


def _cell(canvas: Canvas, x: float, width: float, share: float | None, highest: float) -> None:
    dark = 0.0 if share is None else share / highest
    grey = round(255 - 190 * dark)
    fill = f"#{grey:02x}{grey:02x}{grey:02x}"
    box = {"x": x, "y": canvas.y, "width": width, "height": float(_HEIGHT)}
    canvas.add("rect", **box, fill=fill, stroke=RULE)
    text = "–" if share is None else f"{100 * share:.1f}"
    middle = {"x": x + width / 2, "y": canvas.y + 20, "text_anchor": "middle"}
    canvas.add("text", text, **middle, fill="#fff" if dark > 0.55 else INK)

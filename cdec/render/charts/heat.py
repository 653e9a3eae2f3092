"""A table of shares, shaded, with the numbers in the cells."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from cdec.render.charts.canvas import INK, LINE, RULE, SOFT, WIDTH, Canvas

LEFT = 104.0
_HEIGHT = 30
_LETTER, _SMALL = 7.6, 5.2  # widths of one, of rows and of columns


def heat_map(
    title: str,
    description: str,
    rows: Sequence[str],
    columns: Sequence[str],
    shares: Sequence[Sequence[float | None]],
) -> str:
    """Return the chart as SVG: row × column, in percent; the number says what the shade shows.

    A share that is None is a dash. A title of a column that is too long has several lines.
    """
    canvas = Canvas(title, description)
    left = max(LEFT, min(WIDTH / 2, _LETTER * max(map(len, rows))))
    width = (WIDTH - left) / len(columns)
    highest = max((share for row in shares for share in row if share is not None), default=0) or 1.0
    letters = max(1, int(width / _SMALL))
    titles = [wrap(name.replace("_", " "), letters, break_long_words=False) for name in columns]
    for line in range(max(map(len, titles))):
        for number, words in enumerate(titles):
            if line < len(words):
                x = left + width * (number + 0.5)
                canvas.text(x, words[line], text_anchor="middle", font_size=9.5, fill=SOFT)
        canvas.y += LINE
    for name, values in zip(rows, shares, strict=True):
        canvas.add("text", name, x=0, y=canvas.y + 20, fill=SOFT)
        for column, share in enumerate(values):
            _cell(canvas, left + width * column, width, share, highest)
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

"""What all charts share: the SVG canvas, the marks of series, the style of matplotlib."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager, nullcontext
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

WIDTH = 480
"""Narrow enough to stay readable on a phone."""
LINE = 18
INK, SOFT, RULE = "#1b1f24", "#57606a", "#d0d7de"
# Okabe and Ito (2008): distinct for all types of colour vision. Markers differ as well.
_SIX = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
COLOURS = tuple(_SIX[(n + n // 6) % 6] for n in range(36))  # 36 pairs with the six markers
# They tell series apart without colour.
DASHES = ("none", "6 3", "2 2", "8 2 2 2")
MARKERS = ("circle", "square", "triangle", "diamond", "slash", "post")
_UNDATED: dict[str, dict[str, str | None]] = {"svg": {"Date": None}, "png": {"Software": None}}
_CORNERS: dict[str, list[tuple[float, float]]] = {
    "square": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    "triangle": [(0, -1.2), (1.1, 0.9), (-1.1, 0.9)],
    "diamond": [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)],
    "slash": [(-1.2, -0.6), (-0.6, -1.2), (1.2, 0.6), (0.6, 1.2)],
    "post": [(-0.4, -1.2), (0.4, -1.2), (0.4, 1.2), (-0.4, 1.2)],
}


class Canvas:
    """A picture of width WIDTH that grows downwards; ``y`` is the top of the next line.

    It has a title and a description for screen readers.
    """

    def __init__(self, title: str, description: str) -> None:
        self.y = 0.0
        self.prefix = "c" + sha256(f"{title}\n{description}".encode()).hexdigest()[:10]
        self._root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "aria-labelledby": f"{self.prefix}-t {self.prefix}-d",
                "font-family": "system-ui, 'DejaVu Sans', sans-serif",
                "font-size": "12",
                "fill": INK,
            },
        )
        for tag, content in (("title", title), ("desc", description)):
            ET.SubElement(self._root, tag, {"id": f"{self.prefix}-{tag[0]}"}).text = content

    def add(self, tag: str, content: str | None = None, /, **attributes: object) -> ET.Element:
        """Add an element; ``_`` in the name of an attribute becomes ``-``."""
        named = {name.replace("_", "-"): _number(value) for name, value in attributes.items()}
        element = ET.SubElement(self._root, tag, named)
        element.text = content
        return element

    def text(self, x: float, content: str, **attributes: object) -> None:
        """Write on the current line."""
        self.add("text", content, x=x, y=self.y + 13, **attributes)

    def svg(self) -> str:
        """Return the picture, cropped below the last line."""
        self._root.set("viewBox", f"0 0 {WIDTH} {_number(self.y + 4)}")
        self._root.set("width", str(WIDTH))
        self._root.set("height", _number(self.y + 4))
        return ET.tostring(self._root, encoding="unicode")


def _number(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def shortened(text: str, letters: int) -> str:
    """Return the text, cut to ``letters`` characters with … at its end."""
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def marker(canvas: Canvas, x: float, y: float, number: int, size: float = 4.5) -> None:
    """Draw the marker of a series."""
    shape, fill = MARKERS[number % len(MARKERS)], COLOURS[number % len(COLOURS)]
    outline: dict[str, object] = {"fill": fill, "stroke": "#fff", "stroke_width": 1}
    if shape == "circle":
        canvas.add("circle", cx=x, cy=y, r=size, **outline)
        return
    points = chain.from_iterable((x + size * dx, y + size * dy) for dx, dy in _CORNERS[shape])
    canvas.add("polygon", points=" ".join(f"{p:.1f}" for p in points), **outline)


def legend(canvas: Canvas, series: Sequence[str], letters: int) -> None:
    """Draw the marker and the name of each series, the name in at most ``letters``."""
    x = 0.0
    for number, name in enumerate(series):
        label = shortened(name, letters)
        width = 26 + 7.0 * len(label)
        if x + width > WIDTH:
            x, canvas.y = 0.0, canvas.y + LINE
        marker(canvas, x + 8, canvas.y + LINE / 2, number)
        canvas.text(x + 18, label)
        x += width
    canvas.y += LINE


@contextmanager
def default_style(changes: Any) -> Iterator[None]:
    """Draw with matplotlib's defaults and ``changes``, a dict; a ``matplotlibrc`` has no effect."""
    # matplotlib reads a file of that name in the working directory when it is imported.
    elsewhere = chdir(Path(__file__).parent) if Path("matplotlibrc").exists() else nullcontext()
    with elsewhere:
        import matplotlib as mpl  # noqa: PLC0415  half a second, and most commands draw nothing
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(changes)
        yield


def axes_image(
    draw: Callable[[Any], None], format: str = "svg", columns: int = 1, **labels: str
) -> bytes:
    """Return what ``draw`` draws on axes of matplotlib with these labels, as the file of an image.

    ``format`` is png or svg; with several ``columns``, ``draw`` gets the axes of each. Equal input
    gives equal bytes.
    """
    buffer = io.BytesIO()
    with default_style({"svg.hashsalt": "cdec", "svg.fonttype": "none"}):
        # Imported late because it takes a second. A Figure without pyplot does not need a screen.
        from matplotlib.figure import Figure  # noqa: PLC0415

        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        draw(figure.subplots(1, columns, subplot_kw=labels))
        figure.savefig(buffer, format=format, dpi=150, metadata=_UNDATED[format])
    return buffer.getvalue()


def axes_svg(draw: Callable[[Any], None], columns: int = 1, **labels: str) -> str:
    """Return the image as SVG to embed in a page."""
    svg = axes_image(draw, columns=columns, **labels).decode()
    return svg[svg.index("<svg") :]

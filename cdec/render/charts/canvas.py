"""An SVG picture that grows downwards, with a title and a description for screen readers."""

from __future__ import annotations

from hashlib import sha256
from xml.etree import ElementTree as ET

WIDTH = 480
"""Narrow enough to stay readable on a phone."""
LINE = 18
INK, SOFT, RULE = "#1b1f24", "#57606a", "#d0d7de"
# Okabe and Ito (2008): distinct for all types of colour vision. Markers differ as well.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


class Canvas:
    """The elements of a picture of width WIDTH; ``y`` is the top of the next line."""

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

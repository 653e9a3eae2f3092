"""Pages: sections of text, tables whose cells have lines, and charts, in every format."""

from cdec.render.page.blocks import (
    Block,
    Cell,
    Chart,
    Grid,
    Line,
    Listing,
    Page,
    Row,
    Section,
    Text,
)
from cdec.render.page.render import FORMATS, render

__all__ = [
    "FORMATS",
    "Block",
    "Cell",
    "Chart",
    "Grid",
    "Line",
    "Listing",
    "Page",
    "Row",
    "Section",
    "Text",
    "render",
]

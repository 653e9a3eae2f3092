"""Charts as SVG, readable on small screens and in print, with a description in words."""

from cdec.render.charts.bars import Bar, bar_chart
from cdec.render.charts.dots import Dot, DotRow, dot_chart

__all__ = ["Bar", "Dot", "DotRow", "bar_chart", "dot_chart"]

"""Charts as SVG: drawn here, readable small and in print, and told in words, too."""

from cdec.render.charts.bars import Bar, bar_chart
from cdec.render.charts.dots import Dot, DotRow, dot_chart

__all__ = ["Bar", "Dot", "DotRow", "bar_chart", "dot_chart"]

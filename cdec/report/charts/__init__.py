"""Charts as SVG: drawn here, readable small and in print, and told in words, too."""

from cdec.report.charts.bars import Bar, bar_chart
from cdec.report.charts.dots import Dot, DotRow, dot_chart

__all__ = ["Bar", "Dot", "DotRow", "bar_chart", "dot_chart"]

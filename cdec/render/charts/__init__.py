"""Charts as SVG, readable on small screens and in print, with a description in words."""

from cdec.render.charts.bars import Bar, bar_chart
from cdec.render.charts.dots import Dot, DotRow, dot_chart
from cdec.render.charts.heat import heat_map
from cdec.render.charts.scatter import Point, scatter_chart
from cdec.render.charts.slopes import Slope, slope_chart

__all__ = [
    "Bar",
    "Dot",
    "DotRow",
    "Point",
    "Slope",
    "bar_chart",
    "dot_chart",
    "heat_map",
    "scatter_chart",
    "slope_chart",
]

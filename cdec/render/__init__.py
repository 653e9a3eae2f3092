"""Results → terminal, Markdown, LaTeX, CSV, JSON, HTML."""

from cdec.render.numbers import percent
from cdec.render.render import FORMATS, render
from cdec.render.report import Report

__all__ = ["FORMATS", "Report", "percent", "render"]

"""Results → terminal, Markdown, LaTeX, CSV, JSON, HTML."""

from cdec.report.numbers import percent
from cdec.report.render import FORMATS, render
from cdec.report.report import Report
from cdec.report.results import Results, experiment_report

__all__ = ["FORMATS", "Report", "Results", "experiment_report", "percent", "render"]

"""The paper's tables beside ours, as sections of a page."""

from cdec.report.reproduction.artefacts import ARTEFACTS, reproduction_page

__all__ = ["ARTEFACTS", "reproduction_page"]

"""The reproduced tables, next to the published values, as sections of a page."""

from cdec.reproduction.page.artefacts import ARTEFACTS, figure3_page, reproduction_page

__all__ = ["ARTEFACTS", "figure3_page", "reproduction_page"]

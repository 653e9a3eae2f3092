"""Tuning of the systems with a threshold δ: every point of a grid, scored; the best one, kept."""

from cdec.tuning.grid import DELTAS, GRIDS, grid_of
from cdec.tuning.leakage import overlap_with_test, refuse_test
from cdec.tuning.result import Tuning
from cdec.tuning.search import TUNABLE, tune

__all__ = [
    "DELTAS",
    "GRIDS",
    "TUNABLE",
    "Tuning",
    "grid_of",
    "overlap_with_test",
    "refuse_test",
    "tune",
]

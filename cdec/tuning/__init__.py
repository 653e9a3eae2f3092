"""Tuning of the systems with a threshold δ, by grid search."""

from cdec.tuning.search import (
    DELTAS,
    GRIDS,
    Tuning,
    grid_of,
    overlap_with_test,
    refuse_test,
    tune,
)

__all__ = [
    "DELTAS",
    "GRIDS",
    "Tuning",
    "grid_of",
    "overlap_with_test",
    "refuse_test",
    "tune",
]

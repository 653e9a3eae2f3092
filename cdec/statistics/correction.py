"""Correction of p-values for many tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number, step by step (Holm 1979), in the given order."""
    order = np.argsort(p, kind="stable")
    steps = len(p) - np.arange(len(p))
    corrected = np.minimum(np.maximum.accumulate(np.asarray(p)[order] * steps), 1)
    back = np.empty(len(p))
    back[order] = corrected
    return [float(value) for value in back]

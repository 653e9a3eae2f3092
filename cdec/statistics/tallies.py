"""Counts and values of many resamples, as arrays.

A tally is the four counts (``p_num, p_den, r_num, r_den``) of each metric; a value is precision,
recall and F1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cdec.arrays import Floats
from cdec.metrics import REGISTRY, Counts, measure
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import chosen, places, scores_of


def tally(contingency: Contingency, metrics: Sequence[str]) -> Floats:
    """Return the counts of counted (not derived) metrics, shape (metrics, 4)."""
    return from_counts(measure(contingency, metrics), metrics)


def from_counts(counts: Mapping[str, Counts], metrics: Sequence[str]) -> Floats:
    """Return counts as an array, shape (metrics, 4)."""
    rows = [(c.p_num, c.p_den, c.r_num, c.r_den) for c in (counts[name] for name in metrics)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 4)


def weighted(weights: npt.NDArray[Any], each: Floats) -> Floats:
    """Return weighted sums (rows, counted, 4) of the tallies of units (units, counted, 4).

    BLAS is avoided: the last digit of its sums depends on the number of threads.
    """
    return np.asarray(np.einsum("ru,u...->r...", weights.astype(np.float64), each))


def values(tallies: Floats, counted: Sequence[str], metrics: Sequence[str]) -> Floats:
    """Return the values of ``metrics``, shape (…, metrics, 3), from tallies (…, counted, 4).

    0/0 is 0, as in ``cdec.metrics.counts``; precision and recall of a mean of F1 are NaN.
    """
    scores = scores_of(tallies)
    shown = np.empty((*tallies.shape[:-2], len(metrics), 3))
    for number, metric in enumerate(REGISTRY[name] for name in metrics):
        at = places(metric.needs, counted)
        shown[..., number, :] = metric.values_of(chosen(tallies, at), chosen(scores, at))
    return shown

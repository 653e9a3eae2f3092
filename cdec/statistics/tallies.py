"""Counts and values of many resamples at once, as arrays.

A tally is the four counts (``p_num, p_den, r_num, r_den``) of some metrics; a value is precision,
recall and F1, as each metric makes it of the counts.
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
    """Return the counts of metrics that have counts of their own, shape (metrics, 4)."""
    return from_counts(measure(contingency, metrics), metrics)


def from_counts(counts: Mapping[str, Counts], metrics: Sequence[str]) -> Floats:
    """Return counts as an array, shape (metrics, 4)."""
    rows = [(c.p_num, c.p_den, c.r_num, c.r_den) for c in (counts[name] for name in metrics)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 4)


def weighted(weights: npt.NDArray[Any], each: Floats) -> Floats:
    """Return the tallies (rows, counted, 4) of rows in which units (units, counted, 4) recur.

    Not by BLAS, whose sums depend in the last digit on the number of threads.
    """
    return np.asarray(np.einsum("ru,u...->r...", weights.astype(np.float64), each))


def values(tallies: Floats, counted: Sequence[str], metrics: Sequence[str]) -> Floats:
    """Return the values of ``metrics``, shape (…, metrics, 3), from tallies (…, counted, 4).

    0/0 is 0, as in ``cdec.metrics.counts``; a mean has an F1 only, the other two are NaN.
    """
    scores = scores_of(tallies)
    shown = np.empty((*tallies.shape[:-2], len(metrics), 3))
    for number, metric in enumerate(REGISTRY[name] for name in metrics):
        at = places(metric.needs, counted)
        shown[..., number, :] = metric.values_of(chosen(tallies, at), chosen(scores, at))
    return shown

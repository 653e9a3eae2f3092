"""Counts and values of many resamples, as arrays.

A tally is the four counts (``p_num, p_den, r_num, r_den``) of each metric; a value is precision,
recall and F1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from cdec.arrays import Floats
from cdec.files.jobs import mapped
from cdec.files.progress import notebook
from cdec.metrics import Counts, Table, derive, measure, value_of

Rows = npt.NDArray[Any]
CHUNK = 50
"""Resamples per parallel job."""
WORTH = 10**6
"""Mentions to count, over all resamples, from which parallel processes pay off."""


class Recountable(Protocol):
    """What is built anew for each resample: ``Copies`` or ``Pair``."""

    @property
    def mentions(self) -> int:
        """The number of mentions to count for a resample."""

    def tally(self, row: Rows, counted: Sequence[str]) -> Floats:
        """Return the tallies of the resample with the weights or exchanged units ``row``."""


def recounted(
    data: Recountable, rows: Rows, counted: Sequence[str], jobs: int | None = None
) -> Floats:
    """Return the tallies of all ``rows``; in parallel if there are WORTH mentions to count."""
    pieces = np.array_split(rows, max(len(rows) // CHUNK, 1))
    worth = len(rows) * data.mentions >= WORTH
    done = mapped(_stacked, pieces, (data, counted), jobs=jobs, worth=worth)
    return np.concatenate(list(notebook()(done, len(pieces), "resampling")))


def _stacked(rows: Rows, data: Recountable, counted: Sequence[str]) -> Floats:
    return np.stack([data.tally(row, counted) for row in rows])


def tally(contingency: Table, metrics: Sequence[str]) -> Floats:
    """Return the counts of counted (not derived) metrics, shape (metrics, 4)."""
    return from_counts(measure(contingency, metrics), metrics)


def from_counts(counts: Mapping[str, Counts], metrics: Sequence[str]) -> Floats:
    """Return counts as an array, shape (metrics, 4)."""
    rows = [(c.p_num, c.p_den, c.r_num, c.r_den) for c in (counts[name] for name in metrics)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 4)


def weighted(weights: Rows, each: Floats) -> Floats:
    """Return weighted sums (rows, counted, 4) of the tallies of units (units, counted, 4).

    BLAS is avoided: the last digit of its sums depends on the number of threads.
    """
    return np.asarray(np.einsum("ru,u...->r...", weights.astype(np.float64), each))


def values(tallies: Floats, counted: Sequence[str], metrics: Sequence[str]) -> Floats:
    """Return the values of ``metrics``, shape (…, metrics, 3), from tallies (…, counted, 4).

    0/0 is 0, as in ``cdec.metrics.counts``; precision and recall of a mean of F1 are NaN.
    """
    each = {name: value_of(tallies[..., n, :]) for n, name in enumerate(counted)}
    shown = np.full((*tallies.shape[:-2], len(metrics), 3), np.nan)
    for name, value in derive(each, metrics).items():
        for field, numbers in enumerate(value):
            if numbers is not None:
                shown[..., metrics.index(name), field] = numbers
    return shown

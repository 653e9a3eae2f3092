"""Counts and values of many resamples at once, as arrays.

A tally is the four counts (``p_num, p_den, r_num, r_den``) of some metrics; a value is precision,
recall and F1. The formulas are those of ``cdec.metrics``, applied to whole arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cdec.arrays import Floats
from cdec.metrics import ALL, DERIVED, Counts, measure
from cdec.metrics.blanc import BLANC, BLANC_COREF, BLANC_NONCOREF
from cdec.metrics.contingency import Contingency


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
    halves = _ratio(tallies[..., 0::2], tallies[..., 1::2])
    known = np.concatenate([halves, _harmonic(halves)[..., None]], axis=-1)
    place = {name: number for number, name in enumerate(counted)}
    shown = [
        _derived(name, known, tallies, place) if name in DERIVED else known[..., place[name], :]
        for name in metrics
    ]
    return np.stack(shown, axis=-2)


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole != 0)


def _harmonic(halves: Floats) -> Floats:
    return _ratio(2 * halves[..., 0] * halves[..., 1], halves.sum(axis=-1))


def _derived(name: str, known: Floats, tallies: Floats, place: Mapping[str, int]) -> Floats:
    """Return a mean over metrics: BLANC of its halves, the others of F1, BLANC counting as one."""
    blanc = _blanc(known, tallies, place) if BLANC_COREF.id in DERIVED[name].needs else None
    if blanc is not None and name == BLANC.id:
        return blanc
    parts = [n for n in DERIVED[name].needs if n not in (BLANC_COREF.id, BLANC_NONCOREF.id)]
    scores = [known[..., place[part], 2] for part in parts]
    scores += [] if blanc is None else [blanc[..., 2]]
    mean = np.mean(scores, axis=0)
    return np.stack([np.full_like(mean, np.nan)] * 2 + [mean], axis=-1)


def _blanc(known: Floats, tallies: Floats, place: Mapping[str, int]) -> Floats:
    """Return the mean of the halves for which the key has links; 0 with none."""
    at = [place[BLANC_COREF.id], place[BLANC_NONCOREF.id]]
    has_links = (tallies[..., at, 3] > 0).astype(np.float64)[..., None]
    return _ratio((known[..., at, :] * has_links).sum(axis=-2), _wide(has_links.sum(axis=-2)))


def _wide(count: Floats) -> Floats:
    """Return a count for each of precision, recall and F1."""
    return np.broadcast_to(count, (*count.shape[:-1], 3))


def ordered(metrics: Sequence[str] | None) -> tuple[str, ...]:
    """Return the ids of ``metrics`` (all without an argument) in result order."""
    return tuple(name for name in ALL if metrics is None or name in metrics)

"""Bootstrap scores: every metric is recomputed on every resample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cdec.arrays import Floats, Ints
from cdec.io.jobs import mapped
from cdec.metadocument import MetaDocuments
from cdec.metrics import ordered, required
from cdec.statistics.copies import Copies, copies_of
from cdec.statistics.draws import Plan, drawn, left_out
from cdec.statistics.intervals import bca, centred, percentile
from cdec.statistics.tallies import tally, values, weighted
from cdec.statistics.units import Units

CHUNK = 50
"""Resamples per parallel job."""
WORTH = 10**6
"""Mentions to count, over all resamples, from which parallel processes pay off."""


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """The scores of one system under one setting, and of its resamples.

    Arrays of (precision, recall, F1) per metric: ``estimate`` (metrics, 3), ``replicates``
    (resamples, metrics, 3), ``jackknife`` (units, metrics, 3; each with one unit left out).
    ``joint``: a meta-document spans units. ``spread`` (metrics, 3) is the standard deviation over
    the runs of a system, None for a single run.
    """

    metrics: tuple[str, ...]
    estimate: Floats
    replicates: Floats
    jackknife: Floats
    joint: bool
    spread: Floats | None = None

    def interval(self, plan: Plan) -> Floats:
        """Return lower and upper end of each interval, shape (2, metrics, 3)."""
        units = len(self.jackknife)
        if plan.method == "bca":
            return bca(self.centred, self.estimate, self.jackknife, units, plan.level)
        return percentile(self.centred, units, plan.level)

    @cached_property
    def centred(self) -> Floats:
        """The replicates, shifted to the score if a meta-document spans units."""
        return centred(self.replicates, self.estimate) if self.joint else self.replicates

    def minus(self, other: Bootstrap) -> Bootstrap:
        """Return the differences from another system's scores on the same resamples, in [−1, 1]."""
        return Bootstrap(
            self.metrics,
            self.estimate - other.estimate,
            self.centred - other.centred,
            self.jackknife - other.jackknife,
            joint=False,
        )


def bootstrap(
    meta_documents: MetaDocuments,
    units: Units,
    plan: Plan,
    metrics: Sequence[str] | None = None,
    jobs: int | None = None,
) -> Bootstrap:
    """Score the meta-documents, the resamples of ``plan``, and the corpus without each unit.

    ``jobs`` as in ``cdec.io.jobs.mapped``; it does not affect the result. Raises
    UnknownNameError for an unknown metric.
    """
    counted = required(metrics)
    copies = copies_of(meta_documents, units, counted)
    tallied = tallies(copies, _weights(len(units), plan), counted, jobs)
    return _bootstrap(tallied, counted, ordered(metrics), len(units), copies.joint)


def from_tallies(
    each: Floats, counted: Sequence[str], metrics: Sequence[str], plan: Plan
) -> Bootstrap:
    """Bootstrap from the tallies of each unit (units, counted, 4), which must be additive."""
    tallied = weighted(_weights(len(each), plan), each)
    return _bootstrap(tallied, counted, ordered(metrics), len(each), joint=False)


def _weights(units: int, plan: Plan) -> Ints:
    """Return the weights of the corpus itself, of each unit left out, and of the resamples."""
    whole = np.ones((1, units), dtype=np.int64)
    return np.concatenate([whole, left_out(units), drawn(units, plan)])


def _bootstrap(
    tallied: Floats, counted: Sequence[str], metrics: tuple[str, ...], units: int, joint: bool
) -> Bootstrap:
    scores = values(tallied, counted, metrics)
    return Bootstrap(metrics, scores[0], scores[1 + units :], scores[1 : 1 + units], joint)


def tallies(
    copies: Copies, weights: Ints, counted: Sequence[str], jobs: int | None = None
) -> Floats:
    """Return the tallies of resamples, shape (resamples, counted, 4).

    If no meta-document spans units, counts are additive and each unit is counted only once.
    """
    if not copies.joint:
        return weighted(weights, each_unit(copies, weights.shape[1], counted))
    effort = len(weights) * int(copies.mentions[2].sum())
    return in_pieces(_recounted, weights, (copies, counted), effort, jobs)


def each_unit(copies: Copies, units: int, counted: Sequence[str]) -> Floats:
    """Return the tallies of each unit alone, shape (units, counted, 4)."""
    return _recounted(np.eye(units, dtype=np.int64), copies, counted)


def in_pieces(
    work: Callable[..., Floats],
    rows: npt.NDArray[Any],
    shared: tuple[Any, ...],
    effort: int,
    jobs: int | None,
) -> Floats:
    """Return ``work(rows, *shared)``, in parallel if ``effort`` (in mentions) is at least WORTH."""
    pieces = np.array_split(rows, max(len(rows) // CHUNK, 1))
    return np.concatenate(list(mapped(work, pieces, shared, jobs=jobs, worth=effort >= WORTH)))


def _recounted(weights: Ints, copies: Copies, counted: Sequence[str]) -> Floats:
    return np.stack([tally(copies.contingency(row), counted) for row in weights])

"""Scores of resamples: every metric counted again on each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from cdec.arrays import Floats, Ints
from cdec.metadocument import MetaDocuments
from cdec.metrics import ordered, required
from cdec.statistics.copies import Copies, copies_of
from cdec.statistics.draws import Plan, drawn, left_out
from cdec.statistics.intervals import bca, centred, percentile
from cdec.statistics.tallies import tally, values, weighted
from cdec.statistics.units import Units

CHUNK = 50
"""Resamples in one piece of work."""
WORTH = 10**6
"""So many mentions to count, over all resamples, are worth the start of further processes."""


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """The scores of one system under one setting, and those of its resamples.

    Arrays of (precision, recall, F1) by metric: ``estimate`` (metrics, 3), ``replicates``
    (resamples, metrics, 3), ``jackknife`` (units, metrics, 3: one unit left out). ``joint`` says
    that a meta-document spans units.
    """

    metrics: tuple[str, ...]
    estimate: Floats
    replicates: Floats
    jackknife: Floats
    joint: bool

    def interval(self, plan: Plan) -> Floats:
        """Return the ends of the interval of each value, shape (2, metrics, 3)."""
        units = len(self.jackknife)
        if plan.method == "bca":
            return bca(self.centred, self.estimate, self.jackknife, units, plan.level)
        return percentile(self.centred, units, plan.level)

    @cached_property
    def centred(self) -> Floats:
        """The replicates; those of a meta-document that spans units are shifted to the score."""
        return centred(self.replicates, self.estimate) if self.joint else self.replicates

    def minus(self, other: Bootstrap) -> Bootstrap:
        """Return the differences to another system's scores on the same draws, in [−1, 1]."""
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
    """Score the meta-documents, the resamples that ``plan`` draws, and each unit left out.

    ``jobs`` are joblib's; by default its context decides (``joblib.parallel_config``). The result
    is the same for every number of jobs. Raises UnknownNameError for an unknown metric.
    """
    counted = required(metrics)
    copies = copies_of(meta_documents, units)
    tallied = tallies(copies, _weights(len(units), plan), counted, jobs)
    return _bootstrap(tallied, counted, ordered(metrics), len(units), copies.joint)


def from_tallies(
    each: Floats, counted: Sequence[str], metrics: Sequence[str], plan: Plan
) -> Bootstrap:
    """Return the scores and resamples of units of known tallies (units, counted, 4), which add."""
    tallied = weighted(_weights(len(each), plan), each)
    return _bootstrap(tallied, counted, ordered(metrics), len(each), joint=False)


def _weights(units: int, plan: Plan) -> Ints:
    """Return the corpus itself, each unit left out, and what ``plan`` draws."""
    itself = np.ones((1, units), dtype=np.int64)
    return np.concatenate([itself, left_out(units), drawn(units, plan)])


def _bootstrap(
    tallied: Floats, counted: Sequence[str], metrics: tuple[str, ...], units: int, joint: bool
) -> Bootstrap:
    scores = values(tallied, counted, metrics)
    return Bootstrap(metrics, scores[0], scores[1 + units :], scores[1 : 1 + units], joint)


def tallies(
    copies: Copies, weights: Ints, counted: Sequence[str], jobs: int | None = None
) -> Floats:
    """Return the tallies of resamples, shape (resamples, counted, 4).

    Where no meta-document spans units, counts of units add, and each unit is counted once.
    """
    if not copies.joint:
        return weighted(weights, each_unit(copies, weights.shape[1], counted))
    work = partial(_recounted, copies, counted=counted)
    return in_pieces(work, weights, len(weights) * int(copies.mentions[2].sum()), jobs)


def each_unit(copies: Copies, units: int, counted: Sequence[str]) -> Floats:
    """Return the tallies of each unit by itself, shape (units, counted, 4)."""
    return _recounted(copies, np.eye(units, dtype=np.int64), counted)


def in_pieces(
    work: Callable[[Any], Floats], rows: npt.NDArray[Any], effort: int, jobs: int | None
) -> Floats:
    """Return ``work`` on all rows, in processes if the effort (mentions to count) is worth it."""
    pieces = np.array_split(rows, max(len(rows) // CHUNK, 1))
    if effort < WORTH:
        return np.concatenate([work(piece) for piece in pieces])
    return np.concatenate(Parallel(n_jobs=jobs)(delayed(work)(piece) for piece in pieces))


def _recounted(copies: Copies, weights: Ints, counted: Sequence[str]) -> Floats:
    return np.stack([tally(copies.contingency(row), counted) for row in weights])

"""Paired randomisation tests: the responses of two systems are exchanged unit by unit.

Null hypothesis: both systems are equally good. Then their responses on any topics can be exchanged,
and every exchange is as likely as the observed data. The metric is recomputed on each exchange. p
is the share of exchanges with at least the observed difference, in either direction (Noreen 1989,
*Computer-Intensive Methods for Testing Hypotheses*; Yeh 2000, *More accurate tests for the
statistical significance of result differences*, COLING).

If no meta-document spans units, counts are additive, and all 2ⁿ exchanges of up to LARGEST units
are tried: the test is exact. Otherwise m random exchanges are tried, and p is (b + 1) / (m + 1),
where b is the number of them with at least the observed difference.

If a meta-document spans units, so do chains, and an exchange combines a part of a chain of one
system with a part of a chain of the other. As separate chains they would lose the links between
exchanged and other topics. Therefore chains of the two systems that are aligned by the best
one-to-one alignment (that of CEAF_m) are the same chain in an exchange; other chains remain
separate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats, Ints, chain_numbers, numbered
from cdec.metrics.align import best_assignment
from cdec.metrics.scores import ordered, required
from cdec.metrics.table import tallies as word_counts
from cdec.statistics.draws import Plan, Units
from cdec.statistics.resample import Mentions, sample, tallies, values, weighted

LARGEST = 20
"""Largest number of units for which all 2ⁿ exchanges are tried (additive counts only)."""
BLOCK = 2**14
"""Exchanges per array."""
ROUNDING = 1e-12
"""Smaller differences count as equal: the order of summation changes the last digits."""


@dataclass(frozen=True, eq=False)
class Randomisation:
    """The p-value of the F1 difference by each metric; ``exact`` if all exchanges were tried.

    ``difference`` is the observed absolute difference; ``variance`` is the variance of the
    difference over the exchanges.
    """

    p: Floats
    exchanges: int
    exact: bool
    difference: Floats
    variance: Floats

    @property
    def least_p(self) -> float:
        """The smallest p that is possible with this number of exchanges."""
        return 2 / self.exchanges if self.exact else 1 / (self.exchanges + 1)

    @classmethod
    def of(cls, gaps: Floats, *, exact: bool) -> Randomisation:
        """Return p: the share of exchanges with at least the observed gap, which comes first.

        The observed gap is counted, too: with random exchanges it is the 1 in (b + 1) / (m + 1).
        """
        at_least = gaps >= gaps[0] - ROUNDING
        exchanges = 2 * len(gaps) if exact else len(gaps) - 1
        variance = np.mean(gaps[0 if exact else 1 :] ** 2, axis=0)
        return cls(at_least.mean(axis=0), exchanges, exact, gaps[0], variance)


def paired(
    first: pd.DataFrame, second: pd.DataFrame, units: Units, counted: Sequence[str]
) -> tuple[pd.Index[str], Mentions]:
    """Return the mentions of two responses to the same key; aligned chains have the same number."""
    index = first.index.union(second.index, sort=False)
    a, b = (side.reindex(index) for side in (first, second))
    meta, key = (a[name].where(a[name].notna(), b[name]) for name in ("meta", "key"))
    of_meta = pd.factorize(meta)[0]
    each = [word_counts(side) for side in (first, second)]
    words = [
        {
            name: pd.DataFrame(rows, side.index).reindex(index, fill_value=0).to_numpy()
            for name, rows in own.items()
            if all(name in other for other in each)
        }
        for own, side in zip(each, (first, second), strict=True)
    ]
    responses = aligned(pd.factorize(a["response"])[0], pd.factorize(b["response"])[0], of_meta)
    unit = np.asarray(units.of.loc[index], dtype=np.int64)
    return index, Mentions(of_meta, chain_numbers(meta, key), responses, unit, words)


def aligned(first: Ints, second: Ints, meta: Ints) -> tuple[Ints, Ints]:
    """Return chain numbers of two responses; aligned chains have the same number."""
    ours, theirs = (numbered(meta, side, in_order_of_codes=True) for side in (first, second))
    both = (ours >= 0) & (theirs >= 0)
    (a, b), shared = np.unique(np.stack([ours[both], theirs[both]]), axis=1, return_counts=True)
    chosen = best_assignment(a, b, shared.astype(np.float64))
    size = int(ours.max(initial=-1)) + 1
    partner = np.arange(int(theirs.max(initial=-1)) + 2) + size
    partner[b[chosen]] = a[chosen]
    return ours, np.where(theirs >= 0, partner[theirs], -1)


def randomisation(
    mentions: Mentions, units: int, plan: Plan, metrics: Sequence[str] | None
) -> Randomisation:
    """Test the difference in F1 of two responses by exchanging them on units.

    If counts are not additive and there are more exchanges than ``plan.exchanges``, that number of
    random exchanges is tried; otherwise all.
    """
    counted = required(metrics)
    each = [sample(mentions.alone(number), units) for number in (0, 1)]
    if any(one.spans.any() for one in each):
        return exchanged(mentions, units, plan, metrics)
    alone = np.eye(units, dtype=np.int64)
    first, second = (tallies(one, alone, counted) for one in each)
    return additive(first, second, counted, ordered(metrics), plan)


def exchanged(
    mentions: Mentions, units: int, plan: Plan, metrics: Sequence[str] | None
) -> Randomisation:
    """Test two responses by exchanges of units 0, 1, …, on each of which they are recounted."""
    counted, shown = required(metrics), ordered(metrics)
    data = sample(mentions, units)
    masks, exact = _masks(units, plan.exchanges, plan.seed)
    draws = masks.astype(np.int64)
    # Where the response of one system remains, that of the other is exchanged.
    sides = [tallies(data, each, counted) for each in (draws, 1 - draws)]
    return Randomisation.of(_gaps(np.stack(sides, axis=1), counted, shown), exact=exact)


def additive(
    first: Floats, second: Floats, counted: Sequence[str], shown: Sequence[str], plan: Plan
) -> Randomisation:
    """Test two systems by additive tallies of the units, arrays (units, counted, 4)."""
    units = len(first)
    every = 2 ** (units - 1) if units <= LARGEST else 0
    masks, exact = _masks(units, max(plan.exchanges, every), plan.seed)
    gaps = []
    for block in np.array_split(masks, max(len(masks) // BLOCK, 1)):
        moved = weighted(block, second - first)
        sides = np.stack([first.sum(axis=0) + moved, second.sum(axis=0) - moved], axis=1)
        gaps.append(_gaps(sides, counted, shown))
    return Randomisation.of(np.concatenate(gaps), exact=exact)


def _gaps(tallied: Floats, counted: Sequence[str], shown: Sequence[str]) -> Floats:
    """Return the absolute difference in F1 of two systems, (exchanges, metrics)."""
    f1 = values(tallied, counted, shown)[..., 2]
    return np.abs(f1[:, 0] - f1[:, 1])


def _masks(units: int, most: int, seed: int) -> tuple[Bools, bool]:
    """Return masks of exchanged units, and whether they are all; the first exchanges nothing.

    If all are tried, the last unit is never exchanged. This halves the number of masks: a mask and
    its complement give the same difference with opposite sign.
    """
    if units - 1 <= LARGEST and 2 ** (units - 1) <= most:
        numbers = np.arange(2 ** (units - 1))[:, None]
        bits = (numbers >> np.arange(units)) & 1
        return bits.astype(np.bool_), True
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, 2, size=(most, units)).astype(np.bool_)
    return np.concatenate([np.zeros((1, units), dtype=np.bool_), drawn]), False


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values corrected for multiple testing (Holm 1979), in the same order."""
    order = np.argsort(p, kind="stable")
    steps = len(p) - np.arange(len(p))
    corrected = np.minimum(np.maximum.accumulate(np.asarray(p)[order] * steps), 1)
    result = np.empty(len(p))
    result[order] = corrected
    return [float(value) for value in result]

"""Paired randomisation tests: the responses of two systems are exchanged unit by unit.

Null hypothesis: both systems are equally good. Then their responses on any topics can be exchanged,
and every exchange is as likely as the observed data. The metric is recomputed on each exchange. p
is the share of exchanges with at least the observed difference, in either direction (Noreen 1989,
*Computer-Intensive Methods for Testing Hypotheses*; Yeh 2000, *More accurate tests for the
statistical significance of result differences*, COLING).

If no meta-document spans units, counts are additive, and all 2ⁿ exchanges of up to LARGEST units
are tried: the test is exact. Otherwise m random exchanges are tried, and p is (b + 1) / (m + 1),
where b is the number of them with at least the observed difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats
from cdec.metrics import ordered, required
from cdec.statistics.bootstrap import each_unit
from cdec.statistics.copies import copies_of
from cdec.statistics.draws import DEFAULT, Plan, Units
from cdec.statistics.pair import Pair
from cdec.statistics.tallies import recounted, values, weighted

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

    metrics: tuple[str, ...]
    p: Floats
    exchanges: int
    exact: bool
    difference: Floats
    variance: Floats

    @property
    def least_p(self) -> float:
        """The smallest p that is possible with this number of exchanges."""
        return 2 / self.exchanges if self.exact else 1 / (self.exchanges + 1)


def randomisation(
    first: pd.DataFrame,
    second: pd.DataFrame,
    units: Units,
    plan: Plan = DEFAULT,
    metrics: Sequence[str] | None = None,
    *,
    jobs: int | None = None,
) -> Randomisation:
    """Test the difference in F1 of two responses by exchanging them on units.

    If counts are not additive and there are more exchanges than ``plan.exchanges``, that number of
    random exchanges is tried; otherwise all. ``jobs`` as in ``bootstrap``.
    """
    counted, shown = required(metrics), ordered(metrics)
    each = unit_tallies(first, units, counted), unit_tallies(second, units, counted)
    if each[0] is not None and each[1] is not None:
        return additive(each[0], each[1], counted, shown, plan)
    pair = Pair.from_meta_documents(first, second, units, counted)
    return exchanged(pair, len(units), plan, metrics, jobs=jobs)


def exchanged(
    pair: Pair,
    units: int,
    plan: Plan,
    metrics: Sequence[str] | None = None,
    *,
    jobs: int | None = None,
) -> Randomisation:
    """Test a pair by exchanges of its units 0, 1, …; all chains are recounted on each exchange."""
    counted, shown = required(metrics), ordered(metrics)
    masks, exact = _masks(units, plan.exchanges, plan.seed)
    counts = recounted(pair, masks, counted, jobs)
    return _result(_gaps(counts, counted, shown), shown, exact)


def unit_tallies(
    meta_documents: pd.DataFrame, units: Units, counted: Sequence[str]
) -> Floats | None:
    """Return the tallies of each unit, (units, counted, 4); None if they are not additive."""
    copies = copies_of(meta_documents, units, counted)
    return None if copies.joint else each_unit(copies, len(units), counted)


def additive(
    first: Floats,
    second: Floats,
    counted: Sequence[str],
    shown: tuple[str, ...],
    plan: Plan = DEFAULT,
) -> Randomisation:
    """Test two systems by additive tallies of the units, arrays (units, counted, 4)."""
    units = len(first)
    every = 2 ** (units - 1) if units <= LARGEST else 0
    masks, exact = _masks(units, max(plan.exchanges, every), plan.seed)
    gaps = [
        _gaps(_sums(block, first, second), counted, shown)
        for block in np.array_split(masks, max(len(masks) // BLOCK, 1))
    ]
    return _result(np.concatenate(gaps), shown, exact)


def _sums(masks: Bools, first: Floats, second: Floats) -> Floats:
    """Return the tallies (exchanges, 2, counted, 4) of both responses after each exchange."""
    moved = weighted(masks, second - first)
    return np.stack([first.sum(axis=0) + moved, second.sum(axis=0) - moved], axis=1)


def _gaps(tallies: Floats, counted: Sequence[str], shown: Sequence[str]) -> Floats:
    """Return the absolute difference in F1, shape (exchanges, metrics)."""
    f1 = values(tallies, counted, shown)[..., 2]
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


def _result(gaps: Floats, shown: tuple[str, ...], exact: bool) -> Randomisation:
    """Return p: the share of exchanges with at least the observed gap, which comes first.

    The observed gap is counted, too: with random exchanges it is the 1 in (b + 1) / (m + 1).
    """
    at_least = gaps >= gaps[0] - ROUNDING
    exchanges = 2 * len(gaps) if exact else len(gaps) - 1
    variance = np.mean(gaps[0 if exact else 1 :] ** 2, axis=0)
    return Randomisation(shown, at_least.mean(axis=0), exchanges, exact, gaps[0], variance)


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values corrected for multiple testing (Holm 1979), in the same order."""
    order = np.argsort(p, kind="stable")
    steps = len(p) - np.arange(len(p))
    corrected = np.minimum(np.maximum.accumulate(np.asarray(p)[order] * steps), 1)
    result = np.empty(len(p))
    result[order] = corrected
    return [float(value) for value in result]

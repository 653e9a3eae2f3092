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
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats, chain_numbers, numbered
from cdec.metrics.align import best_assignment
from cdec.metrics.metric import NO_RULES, Rules
from cdec.metrics.scores import ordered, required
from cdec.metrics.table import tallies as word_counts
from cdec.statistics.draws import Plan
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


def paired(
    first: pd.DataFrame, second: pd.DataFrame, units: pd.Series[Any]
) -> tuple[pd.Index[str], Mentions]:
    """Return the mentions of two responses to the same key; aligned chains have the same number."""
    index = first.index.union(second.index, sort=False)
    a, b = (side.reindex(index) for side in (first, second))
    meta, key = (a[name].where(a[name].notna(), b[name]) for name in ("meta", "key"))
    of_meta = pd.factorize(meta)[0]
    ours, theirs = (
        numbered(of_meta, pd.factorize(side["response"])[0], in_order_of_codes=True)
        for side in (a, b)
    )
    # Aligned chains have the number of the first system.
    both = (ours >= 0) & (theirs >= 0)
    (rows, cols), shared = np.unique(
        np.stack([ours[both], theirs[both]]), axis=1, return_counts=True
    )
    chosen = best_assignment(rows, cols, shared.astype(np.float64))
    partner = np.arange(int(theirs.max(initial=-1)) + 2) + int(ours.max(initial=-1)) + 1
    partner[cols[chosen]] = rows[chosen]
    responses = ours, np.where(theirs >= 0, partner[theirs], -1)
    words = [word_counts(side) for side in (a, b)]
    unit = np.asarray(units.loc[index], np.int64)
    return index, Mentions(of_meta, chain_numbers(meta, key), responses, unit, words)


def exchanged(
    mentions: Mentions,
    units: int,
    plan: Plan,
    metrics: Sequence[str] | None,
    *,
    all_if_few: bool = False,
    rules: Rules = NO_RULES,
) -> Randomisation:
    """Test the difference in F1 of two responses by exchanging them on units 0, 1, ….

    If there are more exchanges than ``plan.exchanges``, that number of random exchanges is tried;
    with ``all_if_few`` all of at most LARGEST units, if counts are additive.
    """
    counted, shown = required(metrics), ordered(metrics)
    data = sample(mentions, units)
    is_additive = not data.spans.any()
    every = 2 ** (units - 1) if all_if_few and is_additive and units <= LARGEST else 0
    masks, exact = _masks(units, max(plan.exchanges, every), plan.seed)
    gaps = list[Floats]()
    if is_additive:
        none, one = np.zeros((1, units), np.int64), np.eye(units, dtype=np.int64)
        first, second, *_ = tallied = tallies(data, np.concatenate([none, 1 - none, one]), counted)
    for block in np.array_split(masks, max(len(masks) // BLOCK, 1)):
        # Where the response of one system remains, that of the other is exchanged.
        if is_additive:
            moved = weighted(block, tallied[2:] - first)
            sides = [first + moved, second - moved]
        else:
            sides = [tallies(data, draws.astype(np.int64), counted) for draws in (block, ~block)]
        f1 = values(np.stack(sides, axis=1), counted, shown, rules)[..., 2]
        gaps.append(np.abs(f1[:, 0] - f1[:, 1]))
    gap = np.concatenate(gaps)
    # The observed gap, which is first, is counted, too: with random exchanges it is the 1 in
    # (b + 1) / (m + 1).
    p = (gap >= gap[0] - ROUNDING).mean(axis=0)
    exchanges = 2 * len(gap) if exact else len(gap) - 1
    variance = np.mean(gap[0 if exact else 1 :] ** 2, axis=0)
    return Randomisation(p, exchanges, exact, gap[0], variance)


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
    return result.tolist()

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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from cdec.arrays import (
    AnySeries,
    Bools,
    Floats,
    Ints,
    StrIndex,
)
from cdec.metrics.align import best_assignment
from cdec.metrics.metric import Rules
from cdec.metrics.scores import ordered, required
from cdec.metrics.table import chain_numbers, numbered, tallies
from cdec.statistics.draws import Plan
from cdec.statistics.resample import (
    Mentions,
    Sample,
    count_draws,
    sample,
    values,
    weighted_sums,
)

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
        if self.exact:
            return 2 / self.exchanges
        return 1 / (self.exchanges + 1)


def least_p(units: int, plan: Plan, *, all_if_few: bool = False) -> float:
    """Return the smallest p that ``exchange_test`` can give for a number of units.

    ``all_if_few``: it tries all exchanges of at most LARGEST units, because counts are additive.
    """
    limit = _limit(units, plan, all_if_few=all_if_few)
    return 1 / min(1 << (units - 1), limit + 1)


def pair_mentions(
    first: pd.DataFrame, second: pd.DataFrame, units: AnySeries
) -> tuple[StrIndex, Mentions]:
    """Return the mentions of two responses to the same key; aligned chains have the same number."""
    index = first.index.union(second.index, sort=False)
    a = first.reindex(index)
    b = second.reindex(index)
    meta = a["meta"].where(a["meta"].notna(), b["meta"])
    key = a["key"].where(a["key"].notna(), b["key"])
    meta_codes = pd.factorize(meta)[0]
    a_chains = _response_chains(meta_codes, a)
    b_chains = _response_chains(meta_codes, b)
    b_chains = _with_numbers_of(a_chains, b_chains)
    mentions = Mentions(
        meta=meta_codes,
        key=chain_numbers(meta, key),
        responses=(a_chains, b_chains),
        unit=np.asarray(units.loc[index], np.int64),
        words=[tallies(a), tallies(b)],
    )
    return index, mentions


def _response_chains(meta_codes: Ints, mentions: pd.DataFrame) -> Ints:
    labels = pd.factorize(mentions["response"])[0]
    return numbered(meta_codes, labels, in_order_of_codes=True)


def _with_numbers_of(first: Ints, second: Ints) -> Ints:
    """Return the second chains; those that are aligned have the number of the first system."""
    is_common = (first >= 0) & (second >= 0)
    chains = np.stack([first[is_common], second[is_common]])
    (rows, cols), common = np.unique(chains, axis=1, return_counts=True)
    aligned = best_assignment(rows, cols, common.astype(np.float64))
    # Other chains have numbers that the first system does not use.
    unused = int(first.max(initial=-1)) + 1
    number = np.arange(int(second.max(initial=-1)) + 2) + unused
    number[cols[aligned]] = rows[aligned]
    return np.where(second >= 0, number[second], -1)


def exchange_test(
    mentions: Mentions,
    units: int,
    plan: Plan,
    metrics: Sequence[str] | None,
    *,
    all_if_few: bool = False,
    rules: Rules,
) -> Randomisation:
    """Test the difference in F1 of two responses by exchanging them on units 0, 1, ….

    If there are more exchanges than ``plan.exchanges``, that number of random exchanges is tried;
    with ``all_if_few`` all of at most LARGEST units, if counts are additive.
    """
    base_metrics = required(metrics)
    result_metrics = ordered(metrics)
    data = sample(mentions, units)
    is_additive = not data.spans.any()
    limit = _limit(units, plan, all_if_few=all_if_few and is_additive)
    masks, is_exact = _masks(units, limit, plan.seed)
    count = _count_additive if is_additive else _count_again
    blocks = np.array_split(masks, max(len(masks) // BLOCK, 1))
    differences_of_blocks = []
    for systems in count(data, blocks, base_metrics):
        counts = np.stack(systems, axis=1)
        f1 = values(counts, base_metrics, result_metrics, rules)[..., 2]
        differences_of_blocks.append(np.abs(f1[:, 0] - f1[:, 1]))
    differences = np.concatenate(differences_of_blocks)
    # The observed difference, which is first, is counted, too: with random exchanges it is the 1 in
    # (b + 1) / (m + 1).
    observed = differences[0]
    p = (differences >= observed - ROUNDING).mean(axis=0)
    if is_exact:
        # Each exchange and its complement have the same difference.
        exchanges = 2 * len(differences)
        variance = np.mean(differences**2, axis=0)
    else:
        exchanges = len(differences) - 1
        variance = np.mean(differences[1:] ** 2, axis=0)
    return Randomisation(p, exchanges, is_exact, observed, variance)


def _count_additive(
    data: Sample, blocks: Sequence[Bools], base_metrics: Sequence[str]
) -> Iterator[list[Floats]]:
    """Yield the counts of both systems after the exchanges of each block of masks of units."""
    units = blocks[0].shape[1]
    no_unit = np.zeros((1, units), np.int64)
    single_units = np.eye(units, dtype=np.int64)
    draws = np.concatenate([no_unit, 1 - no_unit, single_units])
    counts = count_draws(data, draws, base_metrics)
    first = counts[0]
    second = counts[1]
    gains = counts[2:] - first  # of the first system, by the exchange of one unit
    for masks in blocks:
        moves = weighted_sums(masks, gains)
        yield [first + moves, second - moves]


def _count_again(
    data: Sample, blocks: Sequence[Bools], base_metrics: Sequence[str]
) -> Iterator[list[Floats]]:
    """Yield the counts of both systems after the exchanges of each block of masks of units."""
    for masks in blocks:
        # Where the response of one system remains, the response of the other is exchanged.
        yield [
            count_draws(data, draws.astype(np.int64), base_metrics)
            for draws in (masks, ~masks)
        ]


def _limit(units: int, plan: Plan, *, all_if_few: bool) -> int:
    """Return the largest number of exchanges to try."""
    if all_if_few and units <= LARGEST:
        return max(plan.exchanges, 1 << (units - 1))
    return plan.exchanges


def _masks(units: int, limit: int, seed: int) -> tuple[Bools, bool]:
    """Return masks of exchanged units, and whether they are all; the first exchanges nothing.

    If all are tried, the last unit is never exchanged. This halves the number of masks: a mask and
    its complement give the same difference with opposite sign.
    """
    if 2 ** (units - 1) <= limit:
        numbers = np.arange(2 ** (units - 1))[:, None]
        bits = (numbers >> np.arange(units)) & 1
        return bits.astype(np.bool_), True
    generator = np.random.default_rng(seed)
    no_exchange = np.zeros((1, units), dtype=np.bool_)
    exchanges = generator.integers(0, 2, size=(limit, units)).astype(np.bool_)
    return np.concatenate([no_exchange, exchanges]), False


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values corrected for multiple testing (Holm 1979), in the same order."""
    order = np.argsort(p, kind="stable")
    steps = len(p) - np.arange(len(p))
    multiples = np.asarray(p)[order] * steps
    corrected = np.minimum(np.maximum.accumulate(multiples), 1)
    result = np.empty(len(p))
    result[order] = corrected
    return result.tolist()

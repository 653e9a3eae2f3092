"""How often two settings order two systems differently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from cdec.arrays import Bools, Floats, Ints
from cdec.statistics.exchange import ROUNDING


def signs(scores: Floats) -> Floats:
    """Return the sign of the difference of each pair of systems, (…, pairs), from (…, systems).

    Pairs are in the order of ``pairs``; a difference by rounding is 0.
    """
    first, second = pairs(scores.shape[-1])
    gap = scores[..., first] - scores[..., second]
    return np.where(np.abs(gap) <= ROUNDING, 0.0, np.sign(gap))


@cache
def pairs(systems: int) -> tuple[Ints, Ints]:
    """Return the numbers of the first and second system of each pair."""
    first, second = np.triu_indices(systems, k=1)
    return np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)


def adjusted(p: Floats) -> Floats:
    """Return p (systems, systems) corrected for the number of pairs: false discovery rate.

    Benjamini and Hochberg (1995), *Controlling the false discovery rate*, J. R. Stat. Soc. B 57.

    >>> adjusted(np.array([[1, 0.01, 0.04], [0.01, 1, 0.02], [0.04, 0.02, 1]]))[0].round(3).tolist()
    [1.0, 0.03, 0.04]
    """
    at = pairs(len(p))
    order = np.argsort(-p[at])
    # As scipy.stats.false_discovery_control, whose import takes longer than the page of a study.
    scaled = p[at][order] * (len(order) / np.arange(len(order), 0, -1))
    each = np.minimum.accumulate(scaled).clip(max=1)[np.argsort(order)]
    found = np.ones_like(p)
    found[at] = found[at[::-1]] = each
    return found


@dataclass(frozen=True)
class Orders:
    """Pairs that two settings order differently, of those that both order.

    ``share`` is reversed / ordered. ``significant`` pairs differ under both settings with p < 0.05;
    ``confirmed`` of them are reversed. ``across`` is the share with equal weight for each pair of
    different families, ``within`` the share among systems of one family. ``tau`` is Kendall's τ_a.
    """

    ordered: int
    reversed: int
    significant: int
    confirmed: int
    across: float
    within: float
    tau: float

    @property
    def share(self) -> float:
        """The share of ordered pairs that are reversed."""
        return self.reversed / self.ordered if self.ordered else float("nan")


def compare_orders(
    first: Floats,
    second: Floats,
    families: Sequence[str],
    p: tuple[Floats, Floats] | None = None,
    level: float = 0.05,
) -> Orders:
    """Compare the orders of systems by two arrays of scores.

    ``p``: the p-values of all pairs (systems, systems) under both settings.

    >>> import numpy as np
    >>> orders = compare_orders(np.array([1.0, 2, 3]), np.array([1.0, 3, 2]), ["x", "x", "y"])
    >>> orders.ordered, orders.reversed, orders.across
    (3, 1, 0.5)
    """
    one, other = signs(first), signs(second)
    both = (one != 0) & (other != 0)
    turned = both & (one != other)
    at = pairs(len(first))
    certain = np.zeros_like(both)
    if p is not None:
        certain = both & (p[0][at] < level) & (p[1][at] < level)
    across = _across(turned, both, tuple(families))
    a, b = (np.asarray(families)[numbers] for numbers in at)
    return Orders(
        ordered=int(both.sum()),
        reversed=int(turned.sum()),
        significant=int(certain.sum()),
        confirmed=int((certain & turned).sum()),
        across=across,
        within=_mean(turned[both & (a == b)]),
        tau=float((one * other).mean()),
    )


def _mean(values: Bools | Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _across(turned: Bools, both: Bools, families: tuple[str, ...]) -> float:
    """Return the mean, over the pairs of different families, of their share of reversed pairs."""
    of_pair, differs = _pairs_of_families(families)
    kept = both & differs
    counts = np.bincount(of_pair[kept])
    reversed_ = np.bincount(of_pair[kept], turned[kept])
    return _mean(reversed_[counts > 0] / counts[counts > 0])


@cache  # the same systems are compared under many settings
def _pairs_of_families(families: tuple[str, ...]) -> tuple[Ints, Bools]:
    """Return the number of the pair of families of each pair of systems, and if they differ."""
    a, b = (np.asarray(families)[numbers] for numbers in pairs(len(families)))
    names = [" ".join(sorted(pair)) for pair in zip(a, b, strict=True)]
    return np.unique(names, return_inverse=True)[1], a != b


def tau_interval(first: Floats, second: Floats, level: float = 0.95) -> tuple[float, float]:
    """Return the percentile interval of Kendall's τ over resamples (systems, resamples)."""
    taus = (signs(first.T) * signs(second.T)).mean(axis=1)
    low, high = np.quantile(taus, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def family_interval(
    first: Floats, second: Floats, families: Sequence[str], draws: int, seed: int
) -> tuple[float, float]:
    """Return the interval of τ over resamples of families, each drawn with all its systems.

    A pair of systems counts as often as both are drawn; pairs within a drawn family count.
    """
    names, codes = np.unique(np.asarray(families), return_inverse=True)
    agree = signs(first) * signs(second)
    a, b = pairs(len(first))
    rng = np.random.default_rng(seed)
    taus = []
    for _ in range(draws):
        weight = np.bincount(rng.integers(0, len(names), len(names)), minlength=len(names))
        of_pair = (weight[codes[a]] * weight[codes[b]]).astype(np.float64)
        if of_pair.sum():
            taus.append(float((agree * of_pair).sum() / of_pair.sum()))
    low, high = np.quantile(taus, [0.025, 0.975])
    return float(low), float(high)

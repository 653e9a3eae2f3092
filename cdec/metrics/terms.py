"""What the parts of a table add to the counts of a metric: the one form of its formula.

A metric states its *terms*: one number for each cell, each chain and each meta-document of a table
of key chains and response chains. Their sums are the counts. The same terms serve every use:

==============  ====================================================================================
score           exact sums over the table (``counts``)
resample        sums over each block of chains of a table that was drawn (``Blocks``)
explanation     a cell's term divided evenly among its common mentions, that of a chain among its
                mentions, that of a meta-document among the mentions in it (``shares``)
==============  ====================================================================================

A term depends on its part of the table only: on the overlap of a cell and the sizes of its chains,
and on whether the best alignment of the table has it.

A sum of floats depends on the order of its terms, so the order of lines, chains or documents could
change the last digit of a score. Counts are therefore sums of integers, rounded once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from cdec.arrays import Floats, Ints
from cdec.clustering import Side
from cdec.metrics.contingency import Contingency
from cdec.metrics.counts import Counts


def sum_of_ratios(numerators: Ints, denominators: Ints) -> float:
    """Return Σ numerator / denominator, correctly rounded; denominators are positive.

    For each denominator, the numerators must sum to less than 2⁵³. In a metric this is so for
    fewer than 94 million mentions.

    >>> sum_of_ratios(np.full(10, 1), np.full(10, 10)), sum([1 / 10] * 10)
    (1.0, 0.9999999999999999)
    """
    totals = np.bincount(denominators, weights=numerators)
    distinct = np.flatnonzero(totals).tolist()
    whole = lcm(*distinct)
    pairs = zip(totals[distinct].tolist(), distinct, strict=True)
    # The division of Python's integers is correctly rounded, whatever their size.
    return sum(int(total) * (whole // size) for total, size in pairs) / whole


class Ratio(NamedTuple):
    """One fraction for each part of a table: ``part / whole``; integers where there is no whole.

    >>> Ratio(np.array([1, 2]), np.array([3, 3])).sum(), Ratio(np.array([1, 2])).sum()
    (1.0, 3)
    """

    part: Ints
    whole: Ints | None = None

    def sum(self) -> float:
        """Return the exact sum, rounded once."""
        return int(self.part.sum()) if self.whole is None else sum_of_ratios(self.part, self.whole)

    def floats(self) -> Floats:
        """Return the fractions as floats."""
        return np.asarray(self.part if self.whole is None else self.part / self.whole, np.float64)


class MetaTerms(NamedTuple):
    """The terms of meta-documents: ``common`` in both numerators, the others in a denominator."""

    common: Ints
    response: Ints
    key: Ints


class SideTerms(NamedTuple):
    """The terms of one side: ``cells``, ``common`` and ``metas_common`` add to the numerator."""

    cells: Sequence[Ratio]
    chains: Ints | None
    common: Ints | None
    metas: Ints | None
    metas_common: Ints | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Terms:
    """The terms of a metric over a table; arrays with one entry per cell, chain or meta-document.

    ``precision`` and ``recall`` are the terms of the cells in the two numerators, as sums of
    fractions. ``response`` and ``key`` are those of the chains in the denominators of precision and
    of recall. ``response_common`` and ``key_common`` are those of the chains in both numerators;
    only a chain with common mentions has one. ``metas`` are those of the meta-documents.
    """

    precision: Sequence[Ratio] = ()
    recall: Sequence[Ratio] = ()
    response: Ints | None = None
    key: Ints | None = None
    response_common: Ints | None = None
    key_common: Ints | None = None
    metas: MetaTerms | None = None

    def of(self, side: Side) -> SideTerms:
        """Return the terms in recall (key) or precision (response)."""
        common, of_response, of_key = self.metas or (None, None, None)
        if side == "key":
            return SideTerms(self.recall, self.key, self.key_common, of_key, common)
        return SideTerms(self.precision, self.response, self.response_common, of_response, common)

    def counts(self) -> Counts:
        """Return the exact sums.

        >>> one = np.array([1, 1])
        >>> Terms(precision=[Ratio(one)], response=one, recall=[Ratio(one, one + 1)]).counts()
        Counts(p_num=2, p_den=2, r_num=1.0, r_den=0)
        """
        p, r = self.of("response"), self.of("key")
        both = _total(p.common) + _total(r.common) + _total(p.metas_common)
        return Counts(
            p_num=sum(ratio.sum() for ratio in p.cells) + both,
            p_den=_total(p.chains) + _total(p.metas),
            r_num=sum(ratio.sum() for ratio in r.cells) + both,
            r_den=_total(r.chains) + _total(r.metas),
        )


def floats(ratios: Sequence[Ratio]) -> Floats | None:
    """Return the sum of the ratios of each part, in their order; None without any."""
    return functools.reduce(np.add, (ratio.floats() for ratio in ratios)) if ratios else None


TermsOf: TypeAlias = Callable[[Contingency], Terms]


def _total(terms: Ints | None) -> int:
    return 0 if terms is None else int(terms.sum())


@dataclass(frozen=True, eq=False)
class Blocks:
    """A table, and the block of each of its key chains, response chains and meta-documents.

    A block is a set of chains that share no mention with the chains of other blocks, as those of
    one resample. ``size`` is the number of blocks; a block can be empty. Sums are of floats, so
    that their last digit can differ from ``Terms.counts``.
    """

    table: Contingency
    key: Ints
    response: Ints
    meta: Ints
    size: int

    def counts(self, terms: Terms) -> Floats:
        """Return the counts of each block, shape (blocks, 4), in the order of ``Counts``."""
        p, r = terms.of("response"), terms.of("key")
        both = self._sums(self.key, r.common) + self._sums(self.response, p.common)
        both += self._sums(self.meta, p.metas_common)
        cell = self.key[self.table.rows]
        return np.stack(
            [
                self._sums(cell, floats(p.cells)) + both,
                self._sums(self.response, p.chains) + self._sums(self.meta, p.metas),
                self._sums(cell, floats(r.cells)) + both,
                self._sums(self.key, r.chains) + self._sums(self.meta, r.metas),
            ],
            axis=-1,
        )

    def _sums(self, blocks: Ints, values: npt.NDArray[Any] | None) -> Floats:
        if values is None:
            return np.zeros(self.size)
        return np.bincount(blocks, weights=values, minlength=self.size).astype(np.float64)

"""Two-way tests: the responses of two systems are exchanged by unit and by word.

The test by topic assumes that topics are independent. They are not if a system decides by word:
it then links (or does not link) the mentions of one word in all topics at once. The test by word
assumes that words are independent, and ignores decisions by topic. Therefore both tests are run,
and the result is the larger p.

If systems decide by topic *and* by word, the larger p is still too small. Therefore responses are
also exchanged by cell (one word in one topic). The normal quantile of the larger p is divided by
√R, where R = (V_topic + V_word − V_cell) / max(V_topic, V_word), and R is at least 1. Each V is the
variance of the difference under one kind of exchange. The numerator is the two-way variance of
Cameron, Gelbach and Miller (2011), *Robust Inference With Multiway Clustering*, Journal of Business
& Economic Statistics 29(2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import norm

from cdec.arrays import Bools, Floats, Ints
from cdec.metadocument import TALLIES, MetaDocuments
from cdec.statistics.draws import DEFAULT, Plan
from cdec.statistics.exchange import Randomisation, recounted
from cdec.statistics.pair import Pair
from cdec.statistics.units import Units

CELLS = 4
"""Exchanges by word per exchange by cell: 250 by cell suffice, only their variance is needed."""


@dataclass(frozen=True, eq=False)
class Decisions:
    """The mentions on which two responses differ, with their units, words and cells.

    ``pair`` has all mentions; ``differing`` marks those on which the responses differ. ``unit``,
    ``word`` and ``cell`` have one number, counted from 0, per differing mention.
    """

    pair: Pair
    differing: Bools
    unit: Ints
    word: Ints
    cell: Ints

    @classmethod
    def from_meta_documents(
        cls,
        first: MetaDocuments,
        second: MetaDocuments,
        units: Units,
        words: Units,
        counted: Sequence[str] = TALLIES,
    ) -> Decisions:
        """Return the mentions in which two responses differ; aligned chains count as the same."""
        pair, by_word = (
            Pair.from_meta_documents(first, second, u, counted) for u in (units, words)
        )
        differing = pair.first != pair.second
        unit, word = pair.unit[differing], by_word.unit[differing]
        cell = word * len(units) + unit
        return cls(pair, differing, *(_numbered(groups) for groups in (unit, word, cell)))

    @property
    def words(self) -> int:
        """The number of words with a differing mention."""
        return _count(self.word)

    @property
    def shared(self) -> float:
        """The share of differing mentions whose word also differs in another unit."""
        if not len(self.word):
            return 0.0
        word_of_cell = np.zeros(_count(self.cell), dtype=np.int64)
        word_of_cell[self.cell] = self.word
        return float((np.bincount(word_of_cell)[self.word] > 1).mean())

    def by(self, groups: Ints) -> Pair:
        """Return the pair with ``groups``, numbers of the differing mentions, as units.

        Exchanges do not change the other mentions; they are assigned to unit 0.
        """
        unit = np.zeros(len(self.differing), dtype=np.int64)
        unit[self.differing] = groups
        return replace(self.pair, unit=unit)


@dataclass(frozen=True, eq=False)
class TwoWay:
    """The tests by unit, by word and by cell, and the two-way p of each metric's difference.

    ``sizes`` are the effective numbers of units, words and cells with differing mentions.
    """

    by_unit: Randomisation
    by_word: Randomisation
    by_cell: Randomisation
    sizes: tuple[float, float, float]

    @property
    def p(self) -> Floats:
        """The larger of the two p-values, corrected for decisions by both unit and word."""
        larger = np.maximum(self.by_unit.p, self.by_word.p)
        corrected = 2 * norm.sf(norm.isf(larger / 2) / np.sqrt(self.together))
        return np.asarray(np.maximum(larger, corrected))

    @property
    def together(self) -> Floats:
        """R: the two-way variance divided by the larger one-way variance, at least 1.

        A real difference that is the same in all units also increases the variances. Its part,
        D² / n, is subtracted first.
        """
        kinds = (self.by_unit, self.by_word, self.by_cell)
        unit, word, cell = (
            np.maximum(kind.variance - kind.difference**2 / size, 0)
            for kind, size in zip(kinds, self.sizes, strict=True)
        )
        larger = np.maximum(unit, word)
        ratio = np.divide(unit + word - cell, larger, out=np.ones_like(larger), where=larger > 0)
        return np.asarray(np.maximum(ratio, 1))


def two_way(
    by_unit: Randomisation,
    decisions: Decisions,
    plan: Plan = DEFAULT,
    metrics: Sequence[str] | None = None,
    *,
    jobs: int | None = None,
) -> TwoWay:
    """Extend ``by_unit``, the test by unit, to the two-way test.

    ``decisions`` are those of the same two responses; ``plan`` and ``jobs`` as in
    ``randomisation``.
    """
    fewer = replace(plan, exchanges=max(plan.exchanges // CELLS, 1))
    word, cell = decisions.word, decisions.cell
    by_word, by_cell = (
        recounted(decisions.by(groups), max(_count(groups), 1), drawn, metrics, jobs=jobs)
        for groups, drawn in ((word, plan), (cell, fewer))
    )
    sizes = (_effective(decisions.unit), _effective(word), _effective(cell))
    return TwoWay(by_unit, by_word, by_cell, sizes)


def _numbered(groups: Ints) -> Ints:
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)


def _count(groups: Ints) -> int:
    return int(groups.max(initial=-1)) + 1


def _effective(groups: Ints) -> float:
    """Return the effective number of groups, (Σn)² / Σn² for group sizes n."""
    sizes = np.bincount(groups)
    return float(sizes.sum() ** 2 / (sizes**2).sum()) if len(groups) else 1.0

"""Two-way tests: the answers of two systems exchanged by unit and by word.

An exchange of whole topics takes topics to be independent. They are not where a system decides by
word: it links, or splits, the mentions of one word in all topics at once. An exchange of whole
words takes words to be independent, and misses decisions by topic. So both are made, and the larger
p counts. Where systems decide by topic *and* by word, even that is too small. So answers are also
exchanged by cell (one word in one topic), and the normal quantile of the larger p is divided by
√R, R = (V_topic + V_word − V_cell) / max(V_topic, V_word) ≥ 1, each V the variance of the
difference under one kind of exchange (the sum is that of Cameron, Gelbach and Miller 2011, *Robust
Inference With Multiway Clustering*, Journal of Business & Economic Statistics 29(2)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import norm

from cdec.arrays import Bools, Floats, Ints
from cdec.metadocument import MetaDocuments
from cdec.statistics.draws import DEFAULT, Plan
from cdec.statistics.exchange import Randomisation, recounted
from cdec.statistics.pair import Pair
from cdec.statistics.units import Units

CELLS = 4
"""One exchange by cell to so many by word: only its variance is needed, and 250 give that."""


@dataclass(frozen=True, eq=False)
class Decisions:
    """The mentions on which two responses differ: their units, words and cells, from 0.

    ``pair`` has all mentions and their units; ``differing`` says which of them differ. The other
    arrays have one entry a differing mention.
    """

    pair: Pair
    differing: Bools
    unit: Ints
    word: Ints
    cell: Ints

    @classmethod
    def from_meta_documents(
        cls, first: MetaDocuments, second: MetaDocuments, units: Units, words: Units
    ) -> Decisions:
        """Return where two responses differ, partner chains taken as one."""
        pair, by_word = (Pair.from_meta_documents(first, second, u) for u in (units, words))
        differing = pair.first != pair.second
        unit, word = pair.unit[differing], by_word.unit[differing]
        cell = word * len(units) + unit
        return cls(pair, differing, *(_numbered(groups) for groups in (unit, word, cell)))

    @property
    def words(self) -> int:
        """How many words differ in any mention."""
        return _count(self.word)

    @property
    def shared(self) -> float:
        """The share of the differing mentions whose word differs in two units or more."""
        if not len(self.word):
            return 0.0
        word_of_cell = np.zeros(_count(self.cell), dtype=np.int64)
        word_of_cell[self.cell] = self.word
        return float((np.bincount(word_of_cell)[self.word] > 1).mean())

    def by(self, groups: Ints) -> Pair:
        """Return the pair with these groups of the differing mentions as units.

        No exchange changes a mention on which the two agree: it may be in any unit.
        """
        unit = np.zeros(len(self.differing), dtype=np.int64)
        unit[self.differing] = groups
        return replace(self.pair, unit=unit)


@dataclass(frozen=True, eq=False)
class TwoWay:
    """The exchanges by unit, word and cell, and the p of each metric's difference they give.

    ``sizes`` are the effective numbers of differing units, words and cells.
    """

    by_unit: Randomisation
    by_word: Randomisation
    by_cell: Randomisation
    sizes: tuple[float, float, float]

    @property
    def p(self) -> Floats:
        """The larger p of the two, corrected for decisions by unit and by word together."""
        larger = np.maximum(self.by_unit.p, self.by_word.p)
        corrected = 2 * norm.sf(norm.isf(larger / 2) / np.sqrt(self.together))
        return np.asarray(np.maximum(larger, corrected))

    @property
    def together(self) -> Floats:
        """R: the variance of both kinds of decisions against that of the larger kind, 1 or more.

        Of each variance that part is taken out which a real difference, the same everywhere,
        would cause.
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
    """Return the two-way test of which ``by_unit`` is the test by unit.

    ``decisions`` are those of the two responses; ``plan`` and ``jobs`` as in ``randomisation``.
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
    """Return (Σn)² / Σn² of the sizes n of groups: their number, if all were of one size."""
    sizes = np.bincount(groups)
    return float(sizes.sum() ** 2 / (sizes**2).sum()) if len(groups) else 1.0

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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import snowballstemmer
from scipy.special import ndtr, ndtri

from cdec.arrays import TALLIES, Bools, Floats, Ints
from cdec.metrics import required
from cdec.statistics.draws import Plan, Units
from cdec.statistics.exchange import Randomisation, exchanged, randomisation
from cdec.statistics.pair import Pair

CELLS = 4
"""Exchanges by word per exchange by cell: 250 by cell suffice, only their variance is needed."""


def words_of(mentions: Iterable[pd.DataFrame]) -> Units | None:
    """Return the words of all mentions as units; None if a table has no column ``text``.

    The word of a mention is the stem (Snowball, English) of its longest token, or of the first of
    several longest. It needs no language pipeline. On ECB+ train, 83 % of the mention pairs with
    the same head lemma (HanTa) have the same word; 94 % of the pairs with the same word have the
    same head lemma.
    """
    tables = list(mentions)
    if any("text" not in table for table in tables):
        return None
    texts = pd.concat([table["text"] for table in tables])
    texts = texts[~texts.index.duplicated()]
    longest = [max(str(text).lower().split(), key=len, default="") for text in texts]
    stems = snowballstemmer.stemmer("english").stemWords(longest)
    codes, names = pd.factorize(np.asarray(stems, dtype=object))
    return Units("word", tuple(map(str, names)), pd.Series(codes, texts.index))


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
        first: pd.DataFrame,
        second: pd.DataFrame,
        units: Units,
        words: Units,
        counted: Sequence[str] = TALLIES,
    ) -> Decisions:
        """Return the mentions in which two responses differ; aligned chains count as the same."""
        pair = Pair.from_meta_documents(first, second, units, counted)
        index = first.index.union(second.index, sort=False)
        differing = pair.first != pair.second
        unit, word = pair.unit[differing], words.of.loc[index[differing]].to_numpy(np.int64)
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
class PairedTest:
    """The result of a test of two systems, from the tests by unit, by word and by cell.

    ``by_word`` and ``by_cell`` are None for the test by unit alone. ``sizes`` are the effective
    numbers of units, words and cells with differing mentions. ``words`` is the number of words on
    which the systems differ. ``shared`` is the share of differing mentions whose word also differs
    in another unit. Both are None if the words are unknown. ``runs``: a test of means over several
    runs.
    """

    by_unit: Randomisation
    by_word: Randomisation | None = None
    by_cell: Randomisation | None = None
    sizes: tuple[float, float, float] = (1, 1, 1)
    words: int | None = None
    shared: float | None = None
    runs: bool = False

    @property
    def kind(self) -> str:
        """The name of the test: topic, two-way or runs."""
        if self.runs:
            return "runs"
        return "topic" if self.by_word is None else "two-way"

    @property
    def least_p(self) -> float:
        """The smallest p that is possible with this number of exchanges."""
        return max(part.least_p for part in (self.by_unit, self.by_word) if part is not None)

    @property
    def p(self) -> Floats:
        """The p by unit, or the two-way p: the larger one, corrected for decisions by both."""
        if self.by_word is None:
            return self.by_unit.p
        larger = np.maximum(self.by_unit.p, self.by_word.p)
        corrected = 2 * ndtr(ndtri(larger / 2) / np.sqrt(self.variance_ratio))
        return np.asarray(np.maximum(larger, corrected))

    @property
    def variance_ratio(self) -> Floats:
        """R: the two-way variance divided by the larger one-way variance, at least 1.

        A real difference that is the same in all units also increases the variances. Its part,
        D² / n, is subtracted first.
        """
        kinds = (self.by_unit, self.by_word or self.by_unit, self.by_cell or self.by_unit)
        unit, word, cell = (
            np.maximum(kind.variance - kind.difference**2 / size, 0)
            for kind, size in zip(kinds, self.sizes, strict=True)
        )
        larger = np.maximum(unit, word)
        ratio = np.divide(unit + word - cell, larger, out=np.ones_like(larger), where=larger > 0)
        return np.asarray(np.maximum(ratio, 1))


def paired_test(
    pair: tuple[pd.DataFrame, pd.DataFrame],
    by: tuple[Units, Units | None],
    plan: Plan,
    metrics: Sequence[str] | None = None,
    *,
    jobs: int | None = None,
) -> PairedTest:
    """Run the test by unit and by word, or by unit alone if the words are unknown.

    ``by`` has the units and the words of the mentions; words may be None.
    """
    units, words = by
    by_unit = randomisation(*pair, units, plan, metrics, jobs=jobs)
    if words is None:
        return PairedTest(by_unit)
    decisions = Decisions.from_meta_documents(*pair, units, words, required(metrics))
    alone = PairedTest(by_unit, words=decisions.words, shared=decisions.shared)
    fewer = replace(plan, exchanges=max(plan.exchanges // CELLS, 1))
    word, cell = decisions.word, decisions.cell
    by_word, by_cell = (
        exchanged(decisions.by(groups), max(_count(groups), 1), drawn, metrics, jobs=jobs)
        for groups, drawn in ((word, plan), (cell, fewer))
    )
    sizes = (_effective(decisions.unit), _effective(word), _effective(cell))
    return replace(alone, by_word=by_word, by_cell=by_cell, sizes=sizes)


def _numbered(groups: Ints) -> Ints:
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)


def _count(groups: Ints) -> int:
    return int(groups.max(initial=-1)) + 1


def _effective(groups: Ints) -> float:
    """Return the effective number of groups, (Σn)² / Σn² for group sizes n."""
    sizes = np.bincount(groups)
    return float(sizes.sum() ** 2 / (sizes**2).sum()) if len(groups) else 1.0

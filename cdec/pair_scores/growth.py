"""The response chains of all thresholds as the chains of one table.

Where two chains merge, both end and a new one begins: n mentions have at most 2n − 1 chains over
all thresholds. A metric whose terms depend on a cell and the sizes of its chains only (MUC, B³,
LEA, links) has the same terms for each of these chains as for those of one response. Its counts at
every threshold are therefore sums over the chains that have begun and not ended.

What a setting does to a chain is done here while it grows: it is divided into parts, one in each
meta-document; a mention that is alone may not count; only the first mention of a document may.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Ints, numbered
from cdec.clustering import Clustering
from cdec.metrics.contingency import Contingency
from cdec.pair_scores.merges import Merges
from cdec.settings import Setting, build

_CELLS = 2**20
"""Cells of a table, which is counted before the next is made: it bounds the memory."""


class Part(NamedTuple):
    """A response chain in one meta-document that begins (1) or ends (−1) at a level.

    ``cells`` has the number of its mentions by key chain, −1 for those without one.
    """

    level: int
    sign: int
    cells: Counter[int]


class Grown(NamedTuple):
    """Parts as response chains of a table, with the level and the sign of each."""

    table: Contingency
    level: Ints
    sign: Ints


class Growth:
    """The growing response chains under a setting.

    ``mentions`` has a row per mention in text order, as in ``SystemRun.mentions``; its positions
    are those of ``merges``. Level 0 is before the first merge, level i after the merges at
    ``merges.levels[i - 1]``.
    """

    def __init__(
        self, setting: Setting, mentions: pd.DataFrame, key: Clustering, merges: Merges
    ) -> None:
        alone = Clustering(pd.Series(range(len(mentions)), index=mentions.index, dtype=object))
        # A response mention that is alone at first is in a longer chain at a lower threshold.
        self._own = setting.ignore_singletons == "own"
        kept = replace(setting, ignore_singletons="no") if self._own else setting
        rows = build(kept, mentions, key, alone).table["meta"].reindex(mentions.index)
        self._meta = pd.factorize(rows)[0]
        labels = build(setting, mentions, key, alone).table["key"].reindex(mentions.index)
        self._key = numbered(self._meta, pd.factorize(labels)[0])
        self._key_sizes = np.bincount(self._key[self._key >= 0])
        reduced = setting.reduce_within_document
        self._slot = pd.factorize(mentions["doc"])[0] if reduced else np.arange(len(mentions))
        self._merges = merges

    def tables(self) -> Iterator[Grown]:
        """Yield the parts that begin or end, as tables of limited size."""
        parts: list[Part] = []
        cells = 0
        for part in self._parts():
            parts.append(part)
            cells += len(part.cells)
            if cells > _CELLS:
                yield self._grown(parts)
                parts, cells = [], 0
        yield self._grown(parts)

    def _grown(self, parts: list[Part]) -> Grown:
        counts = np.array([len(part.cells) for part in parts], np.int64)
        rows = _flat((part.cells.keys() for part in parts), int(counts.sum()))
        overlap = _flat((part.cells.values() for part in parts), int(counts.sum()))
        cols = np.repeat(np.arange(len(parts)), counts)
        sizes = np.bincount(cols, weights=overlap, minlength=len(parts)).astype(np.int64)
        common, none = rows >= 0, np.zeros(1, np.int64)
        cells = rows[common], cols[common], overlap[common]
        table = Contingency(self._key_sizes, sizes, *cells, none, none, none)
        level, sign = np.array([part[:2] for part in parts], np.int64).reshape(-1, 2).T
        return Grown(table, level, sign)

    def _parts(self) -> Iterator[Part]:
        """Yield the parts in order of their levels."""
        merges, root = self._merges, list(range(self._merges.size))
        chains = [_Chain(*row) for row in self._rows()]
        for one in chains:
            yield from one.parts(0, 1, one.metas, own=self._own)
        levels = np.searchsorted(-merges.levels, -merges.score) + 1
        pairs = zip(merges.first.tolist(), merges.second.tolist(), levels.tolist(), strict=True)
        for first, second, level in pairs:
            ends = (_root(root, first), _root(root, second))
            small, large = sorted(ends, key=lambda at: chains[at].size)
            metas = set(chains[small].metas)
            if chains[large].size == 1:
                metas.update(chains[large].metas)
            for at in (small, large):
                yield from chains[at].parts(level, -1, metas, own=self._own)
            root[small] = large
            chains[large].absorb(chains[small])
            yield from chains[large].parts(level, 1, metas, own=self._own)

    def _rows(self) -> Iterator[tuple[int, int, int, int]]:
        codes = (self._slot, self._meta, self._key)
        yield from zip(range(len(self._meta)), *(code.tolist() for code in codes), strict=True)


class _Chain:
    """A growing chain: ``shown`` has the mention that counts in each slot, ``cells`` its parts."""

    def __init__(self, mention: int, slot: int, meta: int, key: int) -> None:
        self.size = 1
        self.shown = {slot: (mention, meta, key)} if meta >= 0 else {}
        self.cells = {meta: Counter({key: 1})} if meta >= 0 else {}

    @property
    def metas(self) -> list[int]:
        """The meta-documents of the mentions that count."""
        return list(self.cells)

    def parts(self, level: int, sign: int, metas: Iterable[int], *, own: bool) -> Iterator[Part]:
        """Yield the parts in ``metas`` as they are now; none of a singleton that is ignored."""
        if not (own and self.size == 1):
            for meta in metas:
                if cells := self.cells.get(meta):
                    yield Part(level, sign, cells.copy())

    def absorb(self, other: _Chain) -> None:
        """Add the mentions of another chain; the earlier mention of two in one slot counts."""
        self.size += other.size
        for slot, mention in other.shown.items():
            now = self.shown.get(slot)
            if now is not None and now < mention:
                continue
            if now is not None:
                self._count(now, -1)
            self.shown[slot] = mention
            self._count(mention, 1)

    def _count(self, mention: tuple[int, int, int], by: int) -> None:
        _, meta, key = mention
        cells = self.cells.setdefault(meta, Counter())
        cells[key] += by
        if not cells[key]:
            del cells[key]


def _root(root: list[int], at: int) -> int:
    while root[at] != at:
        root[at] = root[root[at]]
        at = root[at]
    return at


def _flat(parts: Iterable[Iterable[int]], size: int) -> Ints:
    return np.fromiter(chain.from_iterable(parts), np.int64, size)
